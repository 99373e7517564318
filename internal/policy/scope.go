package policy

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
)

// scope is what is known of the variables of one rule. The compiler has given each a name of its own, those of
// comprehensions too.
type scope struct {
	ck    *checker
	m     *module
	env   map[ast.Var]union
	facts map[string]fact // what a reference is compared with in the body at hand
	key   string          // the path of the rule
	quiet bool
	line  *ast.Location // of the expression at hand, for terms without a place
}

type fact struct {
	value ast.Value
	text  string
}

func (s *scope) fault(at *ast.Location, f Fault) {
	if s.quiet || s.m == nil {
		return
	}
	if at == nil {
		at = s.line
	}
	if s.m.file == libraryFile {
		for _, c := range s.ck.callers[s.key] {
			f.Span = span(s.ck.l.files, c.at)
			f.Label = "passed to " + lint.Quote(s.key[strings.LastIndexByte(s.key, '.')+1:])
			s.ck.fault(c.m, f)
		}
		return
	}
	f.Span = span(s.ck.l.files, at)
	s.ck.fault(s.m, f)
}

func (s *scope) body(b ast.Body) {
	for _, e := range b {
		before := s.line
		s.line = e.Location
		s.expr(e)
		s.line = before
	}
}

// inner walks a body of its own: what is compared in it says nothing of the body around.
func (s *scope) inner(b ast.Body) {
	outer := s.facts
	s.facts = map[string]fact{}
	s.body(b)
	s.facts = outer
}

func (s *scope) expr(e *ast.Expr) {
	switch t := e.Terms.(type) {
	case *ast.Term:
		s.of(t)
		if b, ok := t.Value.(ast.Boolean); ok && !bool(b) && !e.Negated && !e.Generated {
			s.never(t.Location, "`false` is never true")
		}
	case *ast.Every:
		key, value := s.of(t.Domain).element()
		if t.Key != nil {
			s.bind(t.Key, key)
		}
		s.bind(t.Value, value)
		s.inner(t.Body)
	case []*ast.Term:
		s.call(e, t)
	}
}

func (s *scope) never(at *ast.Location, why string) {
	s.fault(at, Fault{Title: "this rule never reports: " + why, Label: "no input passes here"})
}

// call takes a builtin, a comparison or a function of a policy.
func (s *scope) call(e *ast.Expr, terms []*ast.Term) {
	op, ok := terms[0].Value.(ast.Ref)
	if !ok {
		return
	}
	args := terms[1:]
	name := op.String()
	if op.HasPrefix(ast.DefaultRootRef) {
		s.function(op, args)
		return
	}
	switch name {
	case "eq", "assign", "equal":
		if len(args) >= 2 {
			s.unify(e, args[0], args[1])
		}
	case "neq", "lt", "gt", "lte", "gte":
		if len(args) >= 2 {
			s.compare(args[0], args[1])
		}
	case "internal.member_2", "internal.member_3":
		s.member(args, name == "internal.member_3")
	case "object.get":
		s.get(args)
	default:
		s.builtin(name, args)
	}
}

func (s *scope) function(op ast.Ref, args []*ast.Term) {
	rules := s.ck.c.GetRulesExact(op)
	if len(rules) == 0 {
		return
	}
	arity := len(rules[0].Head.Args)
	in := make([]union, 0, arity)
	for _, a := range args[:min(arity, len(args))] {
		in = append(in, s.of(a))
	}
	if s.m != nil {
		s.ck.calledFrom(op.String(), site{s.m, s.line})
	}
	out := s.ck.call(op, in)
	if len(args) > arity {
		s.bind(args[arity], out)
	}
}

// sameBack are builtins whose result holds what their arguments hold.
var sameBack = map[string]bool{
	"array.concat": true, "array.slice": true, "array.reverse": true, "union": true, "intersection": true, "and": true, "or": true, "minus": true,
	"sort": true,
}

func (s *scope) builtin(name string, args []*ast.Term) {
	b := ast.BuiltinMap[name]
	arity := len(args)
	if b != nil {
		arity = min(arity, b.Decl.Arity())
	}
	out := union{}
	for _, a := range args[:arity] {
		out = out.or(orUnknown(s.of(a)))
	}
	if !sameBack[name] {
		out = unknown
		if b != nil {
			out = resultOf(b)
		}
	}
	for _, a := range args[arity:] {
		s.bind(a, orUnknown(out))
	}
}

// resultOf is what a builtin yields as far as its declaration says a simple kind.
func resultOf(b *ast.Builtin) union {
	if b.Decl.Result() == nil {
		return unknown
	}
	switch b.Decl.Result().String() {
	case "string":
		return one(text1)
	case "number":
		return one(number1)
	case "boolean":
		return one(bool1)
	}
	return unknown
}

// get is object.get: its key is a field, or a list of them.
func (s *scope) get(args []*ast.Term) {
	if len(args) < 3 {
		return
	}
	from, fallback := s.of(args[0]), s.of(args[2])
	out := unknown
	switch k := args[1].Value.(type) {
	case ast.String:
		out = s.field(from, args[1], string(k))
	case *ast.Array:
		out = from
		k.Foreach(func(t *ast.Term) {
			switch key := t.Value.(type) {
			case ast.String:
				out = s.field(out, t, string(key))
			case ast.Number:
				_, out = out.element()
			default:
				out = unknown
			}
		})
	default:
		s.of(args[1])
	}
	if len(args) > 3 {
		s.bind(args[3], out.or(orUnknown(fallback)))
	}
}

// field is a field, or a fault.
func (s *scope) field(u union, at *ast.Term, name string) union {
	out, missing := u.field(name)
	if missing {
		names := u.fieldNames()
		f := Fault{Title: lint.Quote(name) + " is no field of " + u.names(), Label: "never defined"}
		switch {
		case len(names) == 0:
			f.Title, f.Label = u.names()+" has no field "+lint.Quote(name), "never defined"
		case did(name, names) != "":
			f.Help = did(name, names)
		default:
			f.Help = "it has " + oneOfText(names)
		}
		s.fault(at.Location, f)
	}
	return out
}

// of is what a term can be.
func (s *scope) of(t *ast.Term) union {
	if t == nil {
		return unknown
	}
	switch v := t.Value.(type) {
	case ast.Var:
		return s.env[v]
	case ast.Ref:
		return s.ref(v)
	case ast.String:
		return s.constant(t, &shape{kind: isText, enum: []string{string(v)}, constant: true})
	case ast.Number:
		return one(number1)
	case ast.Boolean:
		return one(bool1)
	case *ast.Array:
		elem := union{}
		v.Foreach(func(x *ast.Term) { elem = elem.or(orUnknown(s.of(x))) })
		return s.kept(t, isList, elem)
	case ast.Set:
		elem := union{}
		v.Foreach(func(x *ast.Term) { elem = elem.or(orUnknown(s.of(x))) })
		return s.kept(t, isSet, elem)
	case ast.Object:
		return s.object(t, v)
	case *ast.ArrayComprehension:
		s.inner(v.Body)
		return s.kept(t, isList, s.of(v.Term))
	case *ast.SetComprehension:
		s.inner(v.Body)
		return s.kept(t, isSet, s.of(v.Term))
	case *ast.ObjectComprehension:
		s.inner(v.Body)
		s.of(v.Key)
		return s.kept(t, isMapping, s.of(v.Value))
	case ast.Call:
		return unknown
	}
	return unknown
}

// constant and kept return one shape for a term however often it is walked, so that what is known does not grow for ever.
func (s *scope) constant(t *ast.Term, sh *shape) union {
	if old := s.ck.literals[t]; old != nil {
		return one(old)
	}
	s.ck.literals[t] = sh
	return one(sh)
}

func (s *scope) kept(t *ast.Term, k kind, elem union) union {
	sh := s.ck.literals[t]
	if sh == nil {
		sh = &shape{kind: k}
		s.ck.literals[t] = sh
	}
	sh.elem = orUnknown(elem)
	return one(sh)
}

func (s *scope) object(t *ast.Term, o ast.Object) union {
	sh := s.ck.literals[t]
	if sh == nil {
		sh = &shape{kind: isLiteral, fields: map[string]union{}, terms: map[string]*ast.Term{}}
		s.ck.literals[t] = sh
	}
	o.Foreach(func(k, v *ast.Term) {
		key, ok := k.Value.(ast.String)
		if !ok {
			s.of(k)
			s.of(v)
			sh.open = true
			return
		}
		if _, seen := sh.fields[string(key)]; !seen {
			sh.order = append(sh.order, string(key))
		}
		sh.fields[string(key)] = orUnknown(s.of(v))
		sh.terms[string(key)] = v
		if k.Location != nil {
			sh.terms["key "+string(key)] = k
		}
	})
	return one(sh)
}

// ref follows a reference from its head.
func (s *scope) ref(r ast.Ref) union {
	head, ok := r[0].Value.(ast.Var)
	if !ok {
		return unknown
	}
	var u union
	rest := r[1:]
	switch {
	case head == ast.InputRootDocument.Value.(ast.Var):
		u = one(inputShape())
	case head == ast.DefaultRootDocument.Value.(ast.Var):
		u, rest = s.data(r)
	default:
		u = s.env[head]
	}
	for _, t := range rest {
		u = s.step(u, t)
	}
	return u
}

func (s *scope) step(u union, t *ast.Term) union {
	switch k := t.Value.(type) {
	case ast.String:
		return s.field(u, t, string(k))
	case ast.Number:
		_, v := u.element()
		return v
	case ast.Var:
		key, v := u.element()
		if old := s.env[k]; old.empty() {
			s.env[k] = key
		} else if u.all(isObject) { // a variable that names a field: any of them
			return unknown
		}
		return v
	}
	s.of(t)
	if u.known() {
		_, v := u.element()
		return v
	}
	return unknown
}

// data follows a reference into packages and data. What is left of the reference is below the value.
func (s *scope) data(r ast.Ref) (union, ast.Ref) {
	for n := 2; n <= len(r); n++ {
		if !r[:n].IsGround() {
			break
		}
		if len(s.ck.c.GetRulesExact(r[:n])) > 0 {
			return s.ck.value(r[:n]), r[n:]
		}
	}
	path := make([]string, 0, len(r))
	for _, t := range r[1:] {
		k, ok := t.Value.(ast.String)
		if !ok {
			break
		}
		path = append(path, string(k))
	}
	if len(path) > 1 && path[0] == "fixtures" {
		at := s.ck.l.o.Fixtures
		for i, p := range path[1:] {
			next, ok := at[p].(map[string]any)
			if !ok {
				break
			}
			if next["version"] != nil {
				return one(inputShape()), r[i+3:]
			}
			at = next
		}
	}
	if len(path) == 0 || len(s.ck.c.GetRulesWithPrefix(ast.Ref(r[:len(path)+1]))) > 0 || defines(s.ck.l.data, path) {
		return unknown, nil
	}
	s.undefined(r, path)
	return unknown, nil
}

// undefined says that nothing defines a reference into data.
func (s *scope) undefined(r ast.Ref, path []string) {
	n := len(path)
	for n > 1 && !defines(s.ck.l.data, path[:n-1]) && len(s.ck.c.GetRulesWithPrefix(r[:n])) == 0 {
		n--
	}
	names := keysAt(s.ck.l.data, path[:n-1])
	prefix := "data." + strings.Join(path[:n-1], ".")
	for _, m := range s.ck.l.modules {
		for _, rule := range m.parsed.Rules {
			ref := "data." + m.pkg + "." + nameOf(rule)
			if rest, ok := strings.CutPrefix(ref, strings.TrimSuffix(prefix, ".")+"."); ok {
				next, _, _ := strings.Cut(rest, ".")
				if !slices.Contains(names, next) {
					names = append(names, next)
				}
			}
		}
	}
	s.fault(r[n].Location, Fault{
		Title: "nothing defines " + lint.Quote("data."+strings.Join(path[:n], ".")), Label: "neither a rule nor a data file",
		Help: did(path[n-1], names),
	})
}

// bind gives a pattern the shape of what it is unified with.
func (s *scope) bind(t *ast.Term, u union) {
	switch v := t.Value.(type) {
	case ast.Var:
		s.env[v] = s.env[v].or(u)
	case *ast.Array:
		_, elem := u.element()
		v.Foreach(func(x *ast.Term) { s.bind(x, elem) })
	case ast.Object:
		v.Foreach(func(k, x *ast.Term) {
			if key, ok := k.Value.(ast.String); ok && u.known() {
				s.bind(x, s.field(u, k, string(key)))
				return
			}
			s.bind(x, unknown)
		})
	}
}
