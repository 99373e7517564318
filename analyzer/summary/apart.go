package summary

import (
	"go/constant"
	"strings"
)

// apart reports one text that no value of the other can equal, whatever its settings are: "Bearer " and a token is never
// the empty header of a request without credentials.
func apart(a, b Value) bool {
	x, okx := onlyScalar(a)
	y, oky := onlyScalar(b)
	if !okx || !oky || a.Open || b.Open {
		return false
	}
	if x.C == nil {
		x, y = y, x
	}
	if x.C == nil || x.C.Kind() != constant.String || y.Sym == nil || y.Sym.Op != opConcat {
		return false
	}
	text, parts := constant.StringVal(x.C), y.Sym.parts(nil)
	fixed := 0
	for i, p := range parts {
		if p.C == nil {
			continue
		}
		s := textOf(p)
		fixed += len(s)
		if i == 0 && !strings.HasPrefix(text, s) || i == len(parts)-1 && !strings.HasSuffix(text, s) || !strings.Contains(text, s) {
			return true
		}
	}
	return fixed > len(text)
}

// parts are the pieces of a joined text in order.
func (s *Sym) parts(out []Scalar) []Scalar {
	for _, a := range s.Args {
		if a.Sym != nil && a.Sym.Op == opConcat && len(out) < 32 {
			out = a.Sym.parts(out)
			continue
		}
		out = append(out, a)
	}
	return out
}

// textOf is the text of a constant as joining writes it.
func textOf(s Scalar) string {
	if s.C.Kind() == constant.String {
		return constant.StringVal(s.C)
	}
	return s.C.ExactString()
}
