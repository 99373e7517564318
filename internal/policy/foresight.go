package policy

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// seer follows understood conditions on one document.
type seer struct {
	input ast.Value
	steps int
	// unsure: a condition that is not understood was met, or the bound of steps.
	unsure bool
}

// silent reports whether a path certainly yields nothing on a document.
func (fs *foresight) silent(input ast.Value) bool {
	if fs == nil {
		return false
	}
	s := &seer{input: input}
	for _, b := range fs.bodies {
		vars := make([]ast.Value, b.vars)
		if s.run(b, 0, vars, func([]ast.Value) bool { return true }) || s.unsure {
			return false
		}
	}
	return true
}

// run follows a body from one condition on, and calls end for each way to its end. It is over as soon as end reports true, or a
// condition is met that is not understood.
func (s *seer) run(b *body, at int, vars []ast.Value, end func([]ast.Value) bool) bool {
	for ; at < len(b.conds); at++ {
		if s.steps++; s.steps > maxForesight {
			s.unsure = true
		}
		c := &b.conds[at]
		if c.kind == condUnknown || s.unsure {
			s.unsure = true
			return true
		}
		if last := len(c.args) - 1; last >= 0 && c.args[last].open {
			return s.each(&c.args[last], vars, func(v ast.Value) bool {
				holds := true
				switch c.kind {
				case condBind:
					vars[c.bind] = v
				case condTest:
					holds = truth(v)
				default: // a comparison with something that has one value
					other, ok := s.get(&c.args[0], vars)
					holds = ok && comparisons[c.op](other.Compare(v))
				}
				return holds && s.run(b, at+1, vars, end) || s.unsure
			})
		}
		holds := s.holds(c, vars)
		if s.unsure {
			return true
		}
		if holds == c.negated {
			return false
		}
	}
	return end(vars)
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
		return comparisons[c.op](vals[0].Compare(vals[1]))
	case condMember:
		return member(vals[0], vals[1])
	case condBuiltin:
		return s.takes(c, vars, s.builtin(c.builtin, vals[:len(c.args)]))
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

// builtin calls one; nil where its result is undefined. An error is one of the policy, which the evaluator words.
func (s *seer) builtin(f topdown.BuiltinFunc, args []ast.Value) (out ast.Value) {
	terms := make([]*ast.Term, len(args))
	for i, a := range args {
		terms[i] = ast.NewTerm(a)
	}
	err := f(topdown.BuiltinContext{}, terms, func(t *ast.Term) error {
		out = t.Value
		return nil
	})
	if err != nil {
		s.unsure = true
	}
	return out
}

// value is what a function or a complete rule yields; nil where that is undefined. Two values at once are an error of the policy.
func (s *seer) value(fs *foresight, args []ast.Value) (out ast.Value) {
	for _, b := range fs.bodies {
		if len(b.args) != len(args) {
			s.unsure = true
			return nil
		}
		vars := make([]ast.Value, b.vars)
		for i, n := range b.args {
			vars[n] = args[i]
		}
		s.run(b, 0, vars, func(vars []ast.Value) bool {
			if !b.whole {
				s.unsure = true
				return true
			}
			v, ok := s.get(&b.value, vars)
			if !ok {
				return false
			}
			if out != nil && out.Compare(v) != 0 {
				s.unsure = true
			}
			out = v
			return s.unsure
		})
		if s.unsure {
			return nil
		}
	}
	return out
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

// each calls f for the values of an operand with open steps, until it reports true.
func (s *seer) each(o *operand, vars []ast.Value, f func(ast.Value) bool) bool {
	v := s.head(o, vars)
	if v == nil || s.unsure {
		return s.unsure
	}
	return s.from(v, o.path, vars, f)
}

func (s *seer) from(v ast.Value, path []pathStep, vars []ast.Value, f func(ast.Value) bool) bool {
	for i := range path {
		p := &path[i]
		if !p.open {
			if v = below(v, p.term(vars)); v == nil {
				return false
			}
			continue
		}
		rest := path[i+1:]
		next := func(k, v *ast.Term) bool {
			if s.steps++; s.steps > maxForesight {
				s.unsure = true
				return true
			}
			vars[p.variable] = k.Value
			return s.from(v.Value, rest, vars, f)
		}
		switch v := v.(type) {
		case *ast.Array:
			for k := range v.Len() {
				if next(ast.InternedTerm(k), v.Elem(k)) {
					return true
				}
			}
		case ast.Object:
			return v.Until(next)
		case ast.Set:
			return v.Until(func(t *ast.Term) bool { return next(t, t) })
		}
		return false
	}
	return f(v)
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
