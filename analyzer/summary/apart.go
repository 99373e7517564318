package summary

import (
	"go/constant"
	"go/token"
	"go/types"
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

// joinedUnknown keeps the known half of a joined text whose other half is not known: the path that an address ends with.
func joinedUnknown(op token.Token, a, b Value, pos token.Pos) (Value, bool) {
	if op != token.ADD || a.Text != nil || b.Text != nil {
		return Value{}, false
	}
	half := func(v Value) (Scalar, bool) {
		switch {
		case len(v.Scalars) == 1 && !v.Open && (v.Scalars[0].Sym != nil || v.Scalars[0].C != nil && v.Scalars[0].C.Kind() == constant.String):
			return v.Scalars[0], true
		case len(v.Scalars) == 0 && v.Open:
			return Scalar{Sym: &Sym{Op: opUnknown, Pos: pos}, Pos: pos}, true
		case len(v.Scalars) == 1 && v.Open && v.Scalars[0].Sym != nil && v.Scalars[0].Sym.Op == opConcat:
			return v.Scalars[0], true
		}
		return Scalar{}, false
	}
	x, okx := half(a)
	y, oky := half(b)
	if !okx || !oky || !a.Open && !b.Open || a.Open && b.Open && len(a.Scalars)+len(b.Scalars) == 0 {
		return Value{}, false
	}
	if !isText(a.Type) && !isText(b.Type) {
		return Value{}, false
	}
	return Value{Open: true, Scalars: []Scalar{{Sym: &Sym{Op: opConcat, Args: []Scalar{x, y}, Pos: pos}, Pos: pos}}}, true
}

func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}
