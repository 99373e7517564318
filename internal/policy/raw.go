package policy

import (
	"context"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// The names that conftest evaluates (github.com/open-policy-agent/conftest, policy/engine.go).
var (
	rawFailure = regexp.MustCompile(`^(deny|violation)(_[a-zA-Z0-9]+)*$`)
	rawWarning = regexp.MustCompile(`^warn(_[a-zA-Z0-9]+)*$`)
)

// rawEntries are the rules of a package for raw manifests that yield results.
func rawEntries(m *ast.Module, l *loader) []entry {
	var out []entry
	for _, r := range m.Rules {
		name := nameOf(r)
		level := lint.Off
		switch {
		case len(r.Head.Args) > 0:
		case rawFailure.MatchString(name):
			level = lint.Error
		case rawWarning.MatchString(name):
			level = lint.Warning
		}
		if level == lint.Off || slices.ContainsFunc(out, func(e entry) bool { return e.name == name }) {
			continue
		}
		ref := append(slices.Clone(m.Package.Path), ast.StringTerm(name))
		out = append(out, entry{name: name, ref: ref, level: level, at: span(l.files, r.Location)})
	}
	return out
}

// exceptionName is what an exception calls a rule: its name without the word in front.
func exceptionName(rule string) string {
	switch rule {
	case "violation", "deny", "warn":
		return ""
	}
	for _, p := range []string{"violation_", "deny_", "warn_"} {
		rule = strings.TrimPrefix(rule, p)
	}
	return rule
}

// prepareRaw makes the query of one namespace; the last variable is that of its exceptions.
func (s *Set) prepareRaw(ns string, rules []*Rule) {
	q, err := s.rawQuery(rules)
	if err != nil {
		s.failOn(rules[0], Fault{Title: err.Error()}, "")
		return
	}
	s.run.raw[ns] = q
}

func (s *Set) rawQuery(rules []*Rule) (*query, error) {
	var more []ast.Ref
	pkg := ast.MustParseRef("data." + rules[0].Package)
	exceptions := append(slices.Clone(pkg), ast.StringTerm("exception"))
	if len(s.compiler.GetRulesExact(exceptions)) > 0 {
		more = append(more, exceptions)
	}
	return s.query(rules, more...)
}

// exceptions are the rules that the package excepts for one object, by exceptionName.
func (s *Set) exceptions(ctx context.Context, q *query, m manifest, into map[string]bool) {
	n := len(q.entries)
	if len(q.vars) == n {
		return
	}
	res := s.eval(ctx, q, m.value, false)
	if res.err != nil || res.values[n] == nil {
		return
	}
	each(ast.NewTerm(res.values[n]), func(all *ast.Term) {
		each(all, func(list *ast.Term) {
			each(list, func(t *ast.Term) {
				if s, ok := t.Value.(ast.String); ok {
					into[string(s)] = true
				}
			})
		})
	})
}

// Document runs the policies for raw manifests on one file.
func (s *Set) Document(ctx context.Context, f *source.File) (objects int, found []lint.Finding) {
	if s.run == nil || !s.Raw() || ctx.Err() != nil {
		return 0, nil
	}
	docs := manifestsOf(f)
	for _, ns := range s.loaded.o.Namespaces {
		q := s.current(func(r *run) *query { return r.raw[ns] })
		if q == nil || len(q.body) == 0 {
			continue
		}
		for _, m := range docs {
			found = append(found, s.rawDocument(ctx, q, m)...)
		}
	}
	return len(docs), found
}

func (s *Set) rawDocument(ctx context.Context, q *query, m manifest) []lint.Finding {
	var out []lint.Finding
	var excepted map[string]bool
	name := m.name()
	q = s.withFile(q, m.file)
	whole := q
	take := func(q *query, v ast.Value, i int) {
		e, rule := q.entries[i], q.of[i]
		var values []*ast.Term
		each(ast.NewTerm(v), func(wrapped *ast.Term) { // a complete rule has one value, or none
			switch wrapped.Value.(type) {
			case *ast.Array, ast.Set:
				each(wrapped, func(t *ast.Term) { values = append(values, t) })
			}
		})
		if len(values) == 0 {
			return
		}
		if excepted == nil {
			excepted = map[string]bool{}
			s.exceptions(ctx, whole, m, excepted)
		}
		places := s.readBy(ctx, rule, e, m)
		for _, t := range values {
			f, ok := s.rawResult(rule, e, m, t, places, name)
			if !ok {
				continue
			}
			if excepted[exceptionName(e.name)] {
				f.Suppressed = &lint.Suppression{Reason: "an exception of package " + rule.Package, Span: rule.Span}
			}
			out = append(out, f)
		}
	}
	s.evaluate(ctx, q, m.value, name, take)
	return out
}

// name is how a fault names the object.
func (m manifest) name() string {
	o, ok := m.value.Value.(ast.Object)
	if !ok {
		return m.file.Path
	}
	kind := stringAt(o, "kind")
	if meta, ok := o.Get(ast.StringTerm("metadata")).Value.(ast.Object); ok {
		return kind + "/" + stringAt(meta, "name")
	}
	return kind
}

func stringAt(o ast.Object, key string) string {
	if t := o.Get(ast.StringTerm(key)); t != nil {
		if s, ok := t.Value.(ast.String); ok {
			return string(s)
		}
	}
	return ""
}

// rawResult is one result as a finding. The place is `_loc.line` where the policy gives it, as conftest has it, else what the
// rule read of the manifest.
func (s *Set) rawResult(rule *Rule, e entry, m manifest, t *ast.Term, places map[string]model.Span, name string) (lint.Finding, bool) {
	f := lint.Finding{Rule: rule.ID, Level: e.level, Certainty: model.Proven, Docs: rule.docs()}
	var msg string
	line := 0
	switch v := t.Value.(type) {
	case ast.String:
		msg = string(v)
	case ast.Object:
		if x := v.Get(ast.StringTerm("msg")); x != nil {
			text, ok := x.Value.(ast.String)
			if !ok {
				s.fail(rule, Fault{Span: e.at, Title: "`msg` is " + kindName(x.Value) + " and no text", Label: "this rule yields it"}, name)
				return f, false
			}
			msg = string(text)
		} else {
			s.fail(rule, Fault{Span: e.at, Title: "a result has no `msg`", Label: "this rule yields it"}, name)
			return f, false
		}
		if loc := v.Get(ast.StringTerm("_loc")); loc != nil {
			line = lineOf(loc)
		}
	default:
		return f, false
	}
	if strings.TrimSpace(msg) == "" {
		return f, false // conftest counts it as passed
	}
	j := lint.Judged{Finding: f}
	(&reader{set: s}).words(&j, &Rule{}, msg)
	f = j.Finding
	at, ok := places[t.String()]
	if !ok {
		at = m.place(named)
	}
	if line >= 1 && line <= m.file.Lines() {
		at = m.line(line)
	}
	f.Primary = lint.Label{Span: at, Text: lint.Text("%s", lint.Quote(e.name)+" of package "+lint.Quote(rule.Package))}
	f.Identity = []string{"manifest", name, namespaceOf(m), msg}
	return f, true
}

var named = []ast.Value{ast.String("metadata"), ast.String("name")}

func namespaceOf(m manifest) string {
	if o, ok := m.value.Value.(ast.Object); ok {
		if meta := o.Get(ast.StringTerm("metadata")); meta != nil {
			if o, ok := meta.Value.(ast.Object); ok {
				return stringAt(o, "namespace")
			}
		}
	}
	return ""
}

// lineOf is the line of a `_loc`, 0 where it has none.
func lineOf(t *ast.Term) int {
	o, ok := t.Value.(ast.Object)
	if !ok {
		return 0
	}
	if x := o.Get(ast.StringTerm("line")); x != nil {
		if n, ok := x.Value.(ast.Number); ok {
			i, _ := n.Int()
			return i
		}
	}
	return 0
}

// withFile gives a query data.conftest.file where some policy reads it.
func (s *Set) withFile(q *query, f *source.File) *query {
	if !s.loaded.readsFile {
		return q
	}
	again, err := s.rawQueryWith(q.rules, f)
	if err != nil {
		return q
	}
	return again
}

func (s *Set) rawQueryWith(rules []*Rule, f *source.File) (*query, error) {
	q, err := s.rawQuery(rules)
	if err != nil {
		return nil, err
	}
	abs := filepath.Join(s.set.Root, filepath.FromSlash(f.Path))
	value := ast.ObjectTerm([2]*ast.Term{ast.StringTerm("name"), ast.StringTerm(path.Base(f.Path))}, [2]*ast.Term{ast.StringTerm("dir"), ast.StringTerm(filepath.ToSlash(filepath.Dir(abs)))})
	for _, e := range q.plain {
		e.With = append(e.With, &ast.With{Target: ast.MustParseTerm("data.conftest.file"), Value: value})
	}
	q.compiler, q.file = s.compiler.QueryCompiler(), f
	if q.body, err = q.compiler.Compile(q.plain); err != nil {
		return nil, err
	}
	return q, nil
}
