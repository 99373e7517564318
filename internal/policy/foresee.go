package policy

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// This file foresees which rules yield nothing on a unit, so that the evaluator is not asked about them: most rules speak about few
// probes, and most of the evaluator's time goes into setting up what the first conditions then end. Of a compiled body the leading
// conditions are understood that are references, comparisons, membership, plain builtins, and functions and values made of these. They
// are followed on the very values of the document, with the evaluator's own comparisons and builtins. A way through a body that comes
// to a condition which is not understood, or to its end, leaves the rule to the evaluator. What fails before that fails there too, so
// that neither a result nor an error of a builtin is lost.

// foresight is what is understood of the bodies of one path: a rule's deny or warn, a function, or a value.
type foresight struct{ bodies []*body }

// body is one rule of a path. Its variables have numbers.
type body struct {
	args  []int
	vars  int
	conds []cond
	value operand
	// whole: its last condition is understood, and so is its value.
	whole bool
}

type condKind uint8

const (
	condUnknown condKind = iota
	condTest             // the operand is defined and not false
	condBind             // the operand is the value of a variable that has none yet
	condCompare
	condMember
	condBuiltin
	condCall
)

type cond struct {
	kind    condKind
	negated bool
	op      string
	holds   func(int) bool // of a comparison
	args    []operand
	builtin topdown.BuiltinFunc
	results *quotients // of arithmetic; nil for other builtins
	call    *foresight
	out     *operand // what the result is compared with
	bind    int      // or the variable that takes it, -1 for none
}

// operand is a constant, a variable, or a reference from the input, a variable or a value of a policy.
type operand struct {
	constant ast.Value
	variable int // -1 for none
	input    bool
	of       *foresight
	path     []pathStep
	open     bool // some step of the path takes every element
}

type pathStep struct {
	key      *ast.Term
	variable int // of a key that is not constant
	open     bool
}

// Bounds of foresight: steps for one rule on one unit, and how deep functions call each other.
const (
	maxForesight = 5000
	maxNesting   = 16
)

// comparisons are the builtins that hold for an order of their operands.
var comparisons = map[string]func(int) bool{
	"eq": func(c int) bool { return c == 0 }, "equal": func(c int) bool { return c == 0 }, "neq": func(c int) bool { return c != 0 },
	"lt": func(c int) bool { return c < 0 }, "lte": func(c int) bool { return c <= 0 }, "gt": func(c int) bool { return c > 0 }, "gte": func(c int) bool { return c >= 0 },
}

// plainBuiltins look at nothing but their operands, and take no longer than these are.
var plainBuiltins = map[string]bool{
	"plus": true, "minus": true, "mul": true, "div": true, "rem": true, "abs": true, "count": true, "object.get": true, "to_number": true,
	"startswith": true, "endswith": true, "contains": true, "lower": true, "upper": true,
}

// foreseer reads compiled rules.
type foreseer struct {
	c     *ast.Compiler
	known map[string]*foresight
	depth int
	// results are of arithmetic, for all rules.
	results *quotients
}

// foresee reads the rules of a path; nil where nothing of them is understood.
func (f *foreseer) foresee(path ast.Ref) *foresight {
	key := path.String()
	if known, ok := f.known[key]; ok {
		return known
	}
	if f.depth >= maxNesting {
		return nil
	}
	f.depth++
	defer func() { f.depth-- }()
	f.known[key] = nil
	rules := f.c.GetRulesExact(path)
	if len(rules) == 0 {
		return nil
	}
	out := &foresight{}
	for _, r := range rules {
		if r.Else != nil || r.Default || len(r.Head.Ref()) != 1 {
			return nil
		}
		b := f.body(r)
		if b == nil {
			return nil
		}
		out.bodies = append(out.bodies, b)
	}
	f.known[key] = out
	return out
}

// bodyReader reads one body.
type bodyReader struct {
	f    *foreseer
	vars map[ast.Var]int
}

func (f *foreseer) body(r *ast.Rule) *body {
	br := &bodyReader{f, map[ast.Var]int{}}
	b := &body{}
	for _, a := range r.Head.Args {
		v, ok := a.Value.(ast.Var)
		if _, twice := br.vars[v]; !ok || twice {
			return nil
		}
		b.args = append(b.args, br.bind(v))
	}
	b.whole = true
	for _, e := range r.Body {
		c := br.cond(e)
		if c.kind == condUnknown {
			b.whole = false
			b.conds = append(b.conds, c)
			break
		}
		b.conds = append(b.conds, c)
	}
	if b.whole && r.Head.Value != nil {
		v, ok := br.operand(r.Head.Value)
		b.value, b.whole = v, ok && !v.open
	}
	b.vars = len(br.vars)
	return b
}

func (br *bodyReader) bind(v ast.Var) int {
	n := len(br.vars)
	br.vars[v] = n
	return n
}

// operand reads a term; ok is false where it is not understood, or a variable without a value.
func (br *bodyReader) operand(t *ast.Term) (o operand, ok bool) {
	o = operand{variable: -1}
	switch v := t.Value.(type) {
	case ast.Var:
		n, bound := br.vars[v]
		o.variable = n
		return o, bound
	case ast.Ref:
		return br.ref(v)
	case ast.String, ast.Number, ast.Boolean, ast.Null:
		o.constant = v
		return o, true
	case *ast.Array, ast.Set, ast.Object:
		if !t.IsGround() || nested(t) {
			return o, false
		}
		o.constant = t.Value
		return o, true
	}
	return o, false
}

// nested reports a literal that holds references or comprehensions: they are ground, and no constants.
func nested(t *ast.Term) bool {
	found := false
	ast.WalkTerms(t, func(x *ast.Term) bool {
		switch x.Value.(type) {
		case ast.Ref, ast.Call, *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			found = true
		}
		return found
	})
	return found
}

func (br *bodyReader) ref(r ast.Ref) (o operand, ok bool) {
	o = operand{variable: -1}
	head, isVar := r[0].Value.(ast.Var)
	if !isVar {
		return o, false
	}
	rest := r[1:]
	switch n, bound := br.vars[head]; {
	case bound:
		o.variable = n
	case head == ast.InputRootDocument.Value.(ast.Var):
		o.input = true
	case head == ast.DefaultRootDocument.Value.(ast.Var):
		for n := 2; n <= len(r) && r[:n].IsGround(); n++ {
			if rules := br.f.c.GetRulesExact(r[:n]); len(rules) > 0 {
				if rules[0].Head.RuleKind() == ast.MultiValue || len(rules[0].Head.Args) > 0 || len(rules[0].Head.Ref()) != 1 {
					return o, false
				}
				o.of, rest = br.f.foresee(r[:n]), r[n:]
				break
			}
		}
		if o.of == nil {
			return o, false
		}
	default:
		return o, false
	}
	for _, t := range rest {
		step := pathStep{variable: -1}
		switch v := t.Value.(type) {
		case ast.String, ast.Number, ast.Boolean:
			step.key = t
		case ast.Var:
			n, bound := br.vars[v]
			if !bound {
				n = br.bind(v)
				step.open, o.open = true, true
			}
			step.variable = n
		default:
			return o, false
		}
		o.path = append(o.path, step)
	}
	return o, true
}

func (br *bodyReader) operands(terms []*ast.Term) (out []operand, ok bool) {
	for _, t := range terms {
		o, ok := br.operand(t)
		if !ok || o.open {
			return nil, false
		}
		out = append(out, o)
	}
	return out, true
}

// cond reads one condition; of kind condUnknown where it is not understood.
func (br *bodyReader) cond(e *ast.Expr) cond {
	unknown := cond{kind: condUnknown}
	c := cond{negated: e.Negated, bind: -1}
	if len(e.With) > 0 {
		return unknown
	}
	var terms []*ast.Term
	switch t := e.Terms.(type) {
	case *ast.Term:
		o, ok := br.operand(t)
		if !ok || c.negated && o.open {
			return unknown
		}
		c.kind, c.args = condTest, []operand{o}
		return c
	case []*ast.Term:
		terms = t
	default:
		return unknown
	}
	op, ok := terms[0].Value.(ast.Ref)
	if !ok {
		return unknown
	}
	args := terms[1:]
	if name := op.String(); name == "eq" && len(args) == 2 {
		return br.equality(c, args)
	} else if comparisons[name] != nil && len(args) == 2 {
		c.kind, c.holds = condCompare, comparisons[name]
		c.args, ok = br.operands(args)
	} else if name == "internal.member_2" && len(args) == 2 {
		c.kind = condMember
		c.args, ok = br.operands(args)
	} else if plainBuiltins[name] {
		return br.result(c, condBuiltin, args, ast.BuiltinMap[name].Decl.Arity(), func(c *cond) bool {
			c.builtin = topdown.GetBuiltin(name)
			switch name {
			case "plus", "minus", "mul", "div", "rem":
				c.op, c.results = name, br.f.results
			}
			return c.builtin != nil
		})
	} else if op.HasPrefix(ast.DefaultRootRef) {
		rules := br.f.c.GetRulesExact(op)
		if len(rules) == 0 || rules[0].Head.RuleKind() == ast.MultiValue {
			return unknown
		}
		return br.result(c, condCall, args, len(rules[0].Head.Args), func(c *cond) bool {
			c.call = br.f.foresee(op)
			return c.call != nil
		})
	} else {
		return unknown
	}
	if !ok {
		return unknown
	}
	return c
}

// result reads a call with its arguments and what takes its result.
func (br *bodyReader) result(c cond, k condKind, args []*ast.Term, arity int, find func(*cond) bool) cond {
	unknown := cond{kind: condUnknown}
	c.kind = k
	if len(args) < arity || len(args) > arity+1 || !find(&c) {
		return unknown
	}
	var ok bool
	if c.args, ok = br.operands(args[:arity]); !ok {
		return unknown
	}
	if len(args) == arity {
		return c
	}
	out := args[arity]
	if v, isVar := out.Value.(ast.Var); isVar {
		if _, bound := br.vars[v]; !bound {
			if c.negated {
				return unknown
			}
			c.bind = br.bind(v)
			return c
		}
	}
	o, ok := br.operand(out)
	if !ok || o.open {
		return unknown
	}
	c.out = &o
	return c
}

// equality gives a variable its value, or compares.
func (br *bodyReader) equality(c cond, args []*ast.Term) cond {
	a, okA := br.operand(args[0])
	b, okB := br.operand(args[1])
	switch {
	case okA && okB && !(a.open && b.open) && !(c.negated && (a.open || b.open)):
		if a.open {
			a, b = b, a // the open one is gone through
		}
		c.kind, c.holds, c.args = condCompare, comparisons["eq"], []operand{a, b}
		return c
	case okA == okB || c.negated:
		return cond{kind: condUnknown}
	}
	takes, given := args[0], b
	if okA {
		takes, given = args[1], a
	}
	v, isVar := takes.Value.(ast.Var)
	if _, bound := br.vars[v]; !isVar || bound {
		return cond{kind: condUnknown}
	}
	c.kind, c.args, c.bind = condBind, []operand{given}, br.bind(v)
	return c
}
