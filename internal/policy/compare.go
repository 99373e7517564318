package policy

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
)

// unify takes `a = b`: what is known of one side is known of the other.
func (s *scope) unify(e *ast.Expr, a, b *ast.Term) {
	ua, ub := s.of(a), s.of(b)
	switch {
	case isPattern(a) && ua.empty():
		s.bind(a, orUnknown(ub))
	case isPattern(b) && ub.empty():
		s.bind(b, orUnknown(ua))
	case isPatternObject(a) && ub.known():
		s.bind(a, ub)
	case isPatternObject(b) && ua.known():
		s.bind(b, ua)
	default:
		s.compareShapes(a, b, ua, ub)
		if !e.Negated {
			s.contradicts(a, b)
			s.contradicts(b, a)
		}
	}
}

func isPattern(t *ast.Term) bool {
	switch t.Value.(type) {
	case ast.Var:
		return true
	}
	return false
}

// isPatternObject reports whether a term takes a value apart: [x, y] or {"a": x}.
func isPatternObject(t *ast.Term) bool {
	switch t.Value.(type) {
	case *ast.Array, ast.Object:
		return !t.IsGround()
	}
	return false
}

func (s *scope) compare(a, b *ast.Term) { s.compareShapes(a, b, s.of(a), s.of(b)) }

// compareShapes says that two values are never equal, or no order holds between them: a word that an enum excludes, or two
// kinds.
func (s *scope) compareShapes(a, b *ast.Term, ua, ub union) {
	if !ua.known() || !ub.known() {
		return
	}
	if s.excluded(a, ua, ub) || s.excluded(b, ub, ua) {
		return
	}
	ka, kb := kindsOf(ua), kindsOf(ub)
	if len(ka) == 0 || len(kb) == 0 || slices.ContainsFunc(ka, func(k kind) bool { return slices.Contains(kb, k) }) {
		return
	}
	at := b.Location
	if at == nil {
		at = a.Location
	}
	left := sourceText(a)
	if left == "" {
		left = "one side"
	} else {
		left = lint.Quote(left)
	}
	s.fault(at, Fault{Title: left + " is " + ua.names() + " and is compared with " + ub.names(), Label: "never equal"})
}

// kindsOf are the kinds of a value as far as two of different kinds never are equal; nil where that is open.
func kindsOf(u union) []kind {
	var out []kind
	for _, sh := range u.of {
		k := sh.kind
		if k == isLiteral || k == isMapping {
			k = isObject
		}
		out = append(out, k)
	}
	return out
}

// excluded reports a constant that is none of the words of an enum.
func (s *scope) excluded(at *ast.Term, constants, words union) bool {
	var allowed []string
	for _, sh := range words.of {
		if sh.kind == isText && len(words.of) == 1 && len(sh.examples) > 0 {
			return s.mistyped(at, constants, sh.examples)
		}
		if sh.kind != isText || sh.constant || len(sh.enum) == 0 {
			return false
		}
		allowed = append(allowed, sh.enum...)
	}
	for _, sh := range constants.of {
		if !sh.constant || slices.Contains(allowed, sh.enum[0]) {
			return false
		}
	}
	s.excludedWord(at.Location, constants.of[0].enum[0], allowed)
	return true
}

// mistyped reports a constant that is none of the words that a field most often is, and near to one of them: any word is allowed
// there, and one that is known elsewhere is not written so.
func (s *scope) mistyped(at *ast.Term, constants union, words []string) bool {
	words = slices.Concat(words, s.ck.l.o.Kinds)
	for _, sh := range constants.of {
		if !sh.constant || slices.Contains(words, sh.enum[0]) || did(sh.enum[0], words) == "" {
			return false
		}
	}
	word := constants.of[0].enum[0]
	s.fault(at.Location, Fault{
		Title: lint.Quote(word) + " is no kind that is known", Label: "never equal", Help: did(word, words),
		Notes: []string{"a kind of the project's own is named in its knowledge files"},
	})
	return true
}

func (s *scope) excludedWord(at *ast.Location, word string, allowed []string) {
	f := Fault{Title: lint.Quote(word) + " is no value of this field", Label: "never equal", Help: did(word, allowed)}
	if f.Help == "" {
		f.Help = "one of " + oneOfText(slices.DeleteFunc(slices.Clone(allowed), func(w string) bool { return w == "" }))
	}
	s.fault(at, f)
}

// member is `x in xs`: each constant of the list is looked at on its own.
func (s *scope) member(args []*ast.Term, keyed bool) {
	i := 0
	if keyed {
		i = 1
		if len(args) > 0 {
			s.of(args[0])
		}
	}
	if len(args) < i+2 {
		return
	}
	x, xs := args[i], args[i+1]
	ux, uxs := s.of(x), s.of(xs)
	if ux.empty() {
		_, v := uxs.element()
		s.bind(x, v)
		ux = v
	}
	var each []*ast.Term
	switch v := xs.Value.(type) {
	case *ast.Array:
		v.Foreach(func(t *ast.Term) { each = append(each, t) })
	case ast.Set:
		v.Foreach(func(t *ast.Term) { each = append(each, t) })
	}
	for _, t := range each {
		if u := s.of(t); u.known() && ux.known() {
			s.excluded(t, u, ux)
		}
	}
	if len(each) == 0 && uxs.known() && ux.known() {
		if _, v := uxs.element(); v.known() {
			s.excluded(x, ux, v)
		}
	}
	if uxs.all(isText, isNumber, isBool) {
		s.fault(xs.Location, Fault{Title: "`in` looks into a list, a set or a map, and this is " + uxs.names(), Label: "nothing is in it"})
	}
}

// contradicts notes that a reference is equal to a constant, and reports that it was equal to another one before.
func (s *scope) contradicts(ref, constant *ast.Term) {
	switch ref.Value.(type) {
	case ast.Ref, ast.Var:
	default:
		return
	}
	switch constant.Value.(type) {
	case ast.String, ast.Number, ast.Boolean:
	default:
		return
	}
	if r, ok := ref.Value.(ast.Ref); ok && !ast.Ref(r[1:]).IsGround() {
		return
	}
	key := ref.String()
	old, seen := s.facts[key]
	if !seen {
		s.facts[key] = fact{constant.Value, constant.String()}
		return
	}
	if old.value.Compare(constant.Value) != 0 {
		name := sourceText(ref)
		if name == "" {
			name = "one value"
		} else {
			name = lint.Quote(name)
		}
		s.never(constant.Location, name+" is not both "+old.text+" and "+constant.String())
	}
}

// sourceText is a term as it is written, "" where the compiler made it.
func sourceText(t *ast.Term) string {
	if t.Location == nil {
		return ""
	}
	return string(t.Location.Text)
}
