package policy

import (
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// seer follows understood conditions on one document.
type seer struct {
	input ast.Value
	steps int
	// unsure: a condition that is not understood was met, or the bound of steps.
	unsure bool
	stack  []ast.Value // of variables
}

// silent reports whether a path certainly yields nothing on the document.
func (s *seer) silent(fs *foresight) bool {
	if fs == nil {
		return false
	}
	s.steps, s.unsure, s.stack = 0, false, s.stack[:0]
	for _, b := range fs.bodies {
		if s.run(b, 0, s.vars(b), nil) || s.unsure {
			return false
		}
	}
	return true
}

// vars takes the variables of a body off the stack, which the next rule has for itself again.
func (s *seer) vars(b *body) []ast.Value {
	n := len(s.stack)
	for range b.vars {
		s.stack = append(s.stack, nil)
	}
	return s.stack[n : n+b.vars : n+b.vars]
}

// step counts, and reports false at the bound.
func (s *seer) step() bool {
	if s.steps++; s.steps > maxForesight {
		s.unsure = true
	}
	return !s.unsure
}

// yield collects what a function or a complete rule results in.
type yield struct{ value ast.Value }

// run follows a body from one condition on. It is over, and reports true, as soon as a way comes to its end (of a function: yields
// a second value), or to a condition that is not understood.
func (s *seer) run(b *body, at int, vars []ast.Value, to *yield) bool {
	for ; at < len(b.conds); at++ {
		c := &b.conds[at]
		if !s.step() || c.kind == condUnknown {
			s.unsure = true
			return true
		}
		if last := len(c.args) - 1; last >= 0 && c.args[last].open {
			v := s.head(&c.args[last], vars)
			if v == nil || s.unsure {
				return s.unsure
			}
			return s.through(b, at, vars, to, v, c.args[last].path)
		}
		holds := s.holds(c, vars)
		if s.unsure {
			return true
		}
		if holds == c.negated {
			return false
		}
	}
	if to == nil {
		return true
	}
	if !b.whole {
		s.unsure = true
		return true
	}
	v, ok := s.get(&b.value, vars)
	if !ok || s.unsure {
		return s.unsure
	}
	if to.value != nil && to.value.Compare(v) != 0 { // an error of the policy
		s.unsure = true
	}
	to.value = v
	return s.unsure
}

// through goes on from a condition for every value that its open operand can have.
func (s *seer) through(b *body, at int, vars []ast.Value, to *yield, v ast.Value, path []pathStep) bool {
	for i := range path {
		p := &path[i]
		if !p.open {
			if v = below(v, p.term(vars)); v == nil {
				return false
			}
			continue
		}
		rest := path[i+1:]
		switch v := v.(type) {
		case *ast.Array:
			for k := range v.Len() {
				if !s.step() {
					return true
				}
				vars[p.variable] = ast.InternedTerm(k).Value
				if s.through(b, at, vars, to, v.Elem(k).Value, rest) {
					return true
				}
			}
		case ast.Object:
			return v.Until(func(k, x *ast.Term) bool {
				vars[p.variable] = k.Value
				return !s.step() || s.through(b, at, vars, to, x.Value, rest)
			})
		case ast.Set:
			return v.Until(func(x *ast.Term) bool {
				vars[p.variable] = x.Value
				return !s.step() || s.through(b, at, vars, to, x.Value, rest)
			})
		}
		return false
	}
	switch c := &b.conds[at]; c.kind {
	case condBind:
		vars[c.bind] = v
	case condTest:
		if !truth(v) {
			return false
		}
	default: // a comparison with something that has one value
		other, ok := s.get(&c.args[0], vars)
		if s.unsure || !ok || !c.holds(other.Compare(v)) {
			return s.unsure
		}
	}
	return s.run(b, at+1, vars, to)
}

// holds reports whether a condition without open steps holds, before it is negated, and gives a variable its value.
func (s *seer) holds(c *cond, vars []ast.Value) bool {
	var vals [3]ast.Value
	if len(c.args) > len(vals) {
		s.unsure = true
		return false
	}
	for i := range c.args {
		v, ok := s.get(&c.args[i], vars)
		if !ok || s.unsure {
			return false
		}
		vals[i] = v
	}
	switch c.kind {
	case condTest:
		return truth(vals[0])
	case condBind:
		vars[c.bind] = vals[0]
		return true
	case condCompare:
		return c.holds(vals[0].Compare(vals[1]))
	case condMember:
		return member(vals[0], vals[1])
	case condBuiltin:
		return s.takes(c, vars, s.builtin(c, vals[:len(c.args)]))
	case condCall:
		return s.takes(c, vars, s.value(c.call, vals[:len(c.args)]))
	}
	s.unsure = true
	return false
}

// takes hands a result on: to a variable, to a comparison, or to a test.
func (s *seer) takes(c *cond, vars []ast.Value, v ast.Value) bool {
	switch {
	case v == nil || s.unsure:
		return false
	case c.bind >= 0:
		vars[c.bind] = v
		return true
	case c.out != nil:
		want, ok := s.get(c.out, vars)
		return ok && want.Compare(v) == 0
	}
	return truth(v)
}

// quotients are results of arithmetic by operands: a division is costly, and the same few numbers come up in every workload.
type quotients struct {
	known sync.Map // quotient -> ast.Value
	count atomic.Int64
}

type quotient struct{ op, a, b string }

const maxQuotients = 1024

// builtin calls one; nil where its result is undefined. An error is one of the policy, which the evaluator words.
func (s *seer) builtin(c *cond, args []ast.Value) (out ast.Value) {
	var key quotient
	if c.results != nil {
		a, isA := args[0].(ast.Number)
		b, isB := args[1].(ast.Number)
		if isA && isB {
			key = quotient{c.op, string(a), string(b)}
			if v, ok := c.results.known.Load(key); ok {
				return v.(ast.Value)
			}
		}
	}
	terms := make([]*ast.Term, len(args))
	for i, a := range args {
		terms[i] = ast.NewTerm(a)
	}
	err := c.builtin(topdown.BuiltinContext{}, terms, func(t *ast.Term) error {
		out = t.Value
		return nil
	})
	if err != nil {
		s.unsure = true
	} else if key.op != "" && out != nil && c.results.count.Add(1) <= maxQuotients {
		c.results.known.Store(key, out)
	}
	return out
}

// value is what a function or a complete rule yields; nil where that is undefined.
func (s *seer) value(fs *foresight, args []ast.Value) ast.Value {
	to := &yield{}
	for _, b := range fs.bodies {
		if len(b.args) != len(args) {
			s.unsure = true
			return nil
		}
		vars := s.vars(b)
		for i, n := range b.args {
			vars[n] = args[i]
		}
		if s.run(b, 0, vars, to) || s.unsure {
			s.unsure = true
			return nil
		}
	}
	return to.value
}

// get is the value of an operand without open steps.
func (s *seer) get(o *operand, vars []ast.Value) (ast.Value, bool) {
	v := s.head(o, vars)
	for i := range o.path {
		if v == nil {
			return nil, false
		}
		v = below(v, o.path[i].term(vars))
	}
	return v, v != nil
}

func (s *seer) head(o *operand, vars []ast.Value) ast.Value {
	switch {
	case o.constant != nil:
		return o.constant
	case o.input:
		return s.input
	case o.of != nil:
		return s.value(o.of, nil)
	case o.variable >= 0:
		return vars[o.variable]
	}
	return nil
}

func (p *pathStep) term(vars []ast.Value) *ast.Term {
	if p.key != nil {
		return p.key
	}
	return ast.NewTerm(vars[p.variable])
}

// below is the value at a key, nil where there is none.
func below(v ast.Value, key *ast.Term) ast.Value {
	var t *ast.Term
	switch v := v.(type) {
	case ast.Object:
		t = v.Get(key)
	case *ast.Array:
		t = v.Get(key)
	case ast.Set:
		if v.Contains(key) {
			t = key
		}
	}
	if t == nil {
		return nil
	}
	return t.Value
}

// truth is whether a value holds as a condition.
func truth(v ast.Value) bool {
	b, ok := v.(ast.Boolean)
	return !ok || bool(b)
}

// member is `x in xs`.
func member(x, xs ast.Value) bool {
	switch xs := xs.(type) {
	case ast.Set:
		return xs.Contains(ast.NewTerm(x))
	case *ast.Array:
		for i := range xs.Len() {
			if xs.Elem(i).Value.Compare(x) == 0 {
				return true
			}
		}
	case ast.Object:
		return xs.Until(func(_, v *ast.Term) bool { return v.Value.Compare(x) == 0 })
	}
	return false
}
