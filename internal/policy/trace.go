package policy

import (
	"context"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/probelint/probelint/internal/model"
)

// readBy runs one entry again under a tracer and returns the place of each result, by its text: what the rule read of the
// manifest on its way to it. Policies that were written for conftest say no place.
func (s *Set) readBy(ctx context.Context, rule *Rule, e entry, m manifest) map[string]model.Span {
	q, err := s.query([]*Rule{{ID: rule.ID, Package: rule.Package, Raw: true, entries: []entry{e}}})
	if err != nil {
		return nil
	}
	if s.loaded.readsFile {
		q = s.withFile(q, m.file)
	}
	tr := &reads{m: m, entry: e, paths: map[any][]ast.Value{}, frames: map[uint64]*frame{}, rules: map[string][]read{}, out: map[string]model.Span{}}
	tr.index(m.value.Value, nil)
	if res := s.evalTraced(ctx, q, m.value, tr); res.err != nil {
		return nil
	}
	return tr.out
}

// read is one path of the input that an expression looked at; missing: only its beginning is there.
type read struct {
	path    []ast.Value
	missing bool
}

// reads is a tracer that keeps what each rule reads of the input.
type reads struct {
	m     manifest
	entry entry
	// paths are where the objects and lists of the input stand, by identity: the evaluator passes them on without a copy.
	paths  map[any][]ast.Value
	frames map[uint64]*frame
	// rules are what the rules and functions that the entry uses have read, by their path.
	rules map[string][]read
	out   map[string]model.Span
}

// frame is one query of the evaluator: a rule's body, or one within it.
type frame struct {
	rule   string
	top    bool // of the entry itself
	parent *frame
}

func (t *reads) Enabled() bool { return true }

// Config asks for no copies of variables; events are plugged while they happen.
func (t *reads) Config() topdown.TraceConfig { return topdown.TraceConfig{} }

func (t *reads) index(v ast.Value, path []ast.Value) {
	switch v := v.(type) {
	case ast.Object:
		t.paths[v] = path
		v.Foreach(func(k, x *ast.Term) { t.index(x.Value, append(slices.Clip(path), k.Value)) })
	case *ast.Array:
		t.paths[v] = path
		for i := range v.Len() {
			t.index(v.Elem(i).Value, append(slices.Clip(path), ast.Number(itoa(i))))
		}
	}
}

// TraceEvent follows the evaluation.
func (t *reads) TraceEvent(e topdown.Event) {
	switch e.Op {
	case topdown.EnterOp:
		f := &frame{parent: t.frames[e.ParentID]}
		if f.parent != nil {
			f.rule, f.top = f.parent.rule, f.parent.top
		}
		if r, ok := e.Node.(*ast.Rule); ok {
			f.rule, f.top = pathOfRule(r).String(), pathOfRule(r).Equal(t.entry.ref)
			if len(r.Head.Args) > 0 {
				delete(t.rules, f.rule)
			}
		}
		t.frames[e.QueryID] = f
	case topdown.EvalOp:
		f := t.frames[e.QueryID]
		if expr, ok := e.Node.(*ast.Expr); ok && f != nil && !f.top {
			for _, r := range t.of(&e, expr) {
				t.note(f, r)
			}
		}
	case topdown.ExitOp:
		if r, ok := e.Node.(*ast.Rule); ok && pathOfRule(r).Equal(t.entry.ref) {
			t.exit(&e, r)
		}
	}
}

// note attributes what was read to the rule and to the rules that asked for it, up to the entry.
func (t *reads) note(f *frame, r read) {
	last := ""
	for ; f != nil && !f.top; f = f.parent {
		if f.rule != "" && f.rule != last {
			t.rules[f.rule] = append(t.rules[f.rule], r)
			last = f.rule
		}
	}
}

// of are the paths of the input in one expression.
func (t *reads) of(e *topdown.Event, x ast.Node) []read {
	var out []read
	ast.WalkRefs(x, func(r ast.Ref) bool {
		if found, ok := t.follow(e, r); ok {
			out = append(out, found)
		}
		return false
	})
	return out
}

// follow is the path that a reference has under the bindings at hand.
func (t *reads) follow(e *topdown.Event, r ast.Ref) (read, bool) {
	var at ast.Value
	var path []ast.Value
	switch head := r[0].Value.(type) {
	case ast.Var:
		if head == ast.InputRootDocument.Value.(ast.Var) {
			at = t.m.value.Value
			break
		}
		value := e.Plug(r[0]).Value
		known, ok := t.paths[identity(value)]
		if !ok {
			return read{}, false
		}
		at, path = value, known
	default:
		return read{}, false
	}
	for _, k := range r[1:] {
		key := e.Plug(k)
		switch key.Value.(type) {
		case ast.String, ast.Number:
		default:
			return read{path: path}, true
		}
		next, err := at.Find(ast.Ref{key})
		if err != nil {
			return read{path, true}, true
		}
		at, path = next, append(slices.Clip(path), key.Value)
	}
	return read{path: path}, true
}

// identity is what tells two objects of the input apart.
func identity(v ast.Value) any {
	switch v := v.(type) {
	case ast.Object:
		return v
	case *ast.Array:
		return v
	}
	return nil
}

// exit is a result: the body's expressions from the last one on, without those that make the message, lead to the place.
func (t *reads) exit(e *topdown.Event, r *ast.Rule) {
	result := r.Head.Key
	if result == nil {
		result = r.Head.Value
	}
	value := e.Plug(result)
	at := t.best(e, r)
	span := t.m.place(at)
	if r.Head.Key != nil {
		t.keep(value, span)
		return
	}
	each(value, func(x *ast.Term) { t.keep(x, span) })
}

func (t *reads) keep(v *ast.Term, at model.Span) {
	if _, seen := t.out[v.String()]; !seen {
		t.out[v.String()] = at
	}
}

func (t *reads) best(e *topdown.Event, r *ast.Rule) []ast.Value {
	for i := len(r.Body) - 1; i >= 0; i-- {
		x := r.Body[i]
		if makesText(x) {
			continue
		}
		all := t.of(e, x)
		ast.WalkRefs(x, func(ref ast.Ref) bool {
			if ref.HasPrefix(ast.DefaultRootRef) {
				for n := len(ref); n > 1; n-- {
					if rs, ok := t.rules[ref[:n].ConstantPrefix().String()]; ok {
						all = append(all, rs...)
						break
					}
				}
			}
			return false
		})
		var found []ast.Value
		for _, c := range all {
			// What is missing is the fact where a rule asks whether something is there.
			if !plainFact(c) && (found == nil || len(c.path) > len(found)) {
				found = c.path
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return named
}

// makesText reports whether an expression puts the message together.
func makesText(e *ast.Expr) bool {
	if !e.IsCall() {
		return false
	}
	switch e.Operator().String() {
	case "sprintf", "concat", "internal.template_string", "format_int", "json.marshal":
		return true
	}
	return false
}

// plainFact reports whether a path says which object it is, which nearly every rule reads first.
func plainFact(r read) bool {
	if len(r.path) == 0 {
		return true
	}
	first, _ := r.path[0].(ast.String)
	switch {
	case first == "kind" || first == "apiVersion":
		return true
	case first == "metadata" && len(r.path) == 2:
		second, _ := r.path[1].(ast.String)
		return second == "name" || second == "namespace"
	}
	return false
}
