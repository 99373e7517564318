package policy

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// reader turns results of one unit into findings.
type reader struct {
	set  *Set
	unit *lint.Unit
	objs map[string]object
}

// badResult is a result that names nothing or has no message; the check before the run sees only what is constant.
type badResult struct{ title, help string }

func (e *badResult) Error() string { return e.title }

// read is one result of a rule as a finding.
func (r *reader) read(rule *Rule, e entry, t *ast.Term) (lint.Judged, error) {
	j := lint.Judged{Finding: lint.Finding{
		Rule: rule.ID, Level: e.level, Certainty: model.Proven, Help: rule.Help, Docs: rule.docs(),
	}}
	if rule.Description != "" {
		j.Notes = append(j.Notes, strings.TrimSuffix(rule.Description, "."))
	}
	at := r.whole()
	var msg, field, key string
	var o ast.Object
	switch v := t.Value.(type) {
	case ast.String:
		msg = string(v)
	case ast.Object:
		o = v
		for _, k := range v.Keys() {
			if name, ok := k.Value.(ast.String); !ok || !slices.Contains(resultKeys, string(name)) {
				return j, &badResult{k.String() + " is no key of a result", "it takes " + oneOfText(resultKeys)}
			}
		}
		var err error
		if msg, err = textOf(v, "msg"); err != nil {
			return j, err
		}
		if field, err = textOf(v, "field"); err != nil {
			return j, err
		}
		if key, err = textOf(v, "key"); err != nil {
			return j, err
		}
		if x := v.Get(ast.StringTerm("at")); x != nil {
			found, err := r.object(x)
			if err != nil {
				return j, err
			}
			at = found
		}
		if s, err := textOf(v, "severity"); err != nil {
			return j, err
		} else if s != "" {
			l, ok := lint.ParseLevel(s)
			if !ok || l == lint.Off {
				return j, &badResult{lint.Quote(s) + " is no severity", "one of " + oneOfText(levels)}
			}
			j.Level = l
		}
	default:
		return j, &badResult{"a result is " + kindName(t.Value) + " and has no message", ""}
	}
	if msg = strings.TrimSpace(msg); msg == "" {
		return j, &badResult{"a result has no `msg`", ""}
	}
	j.Workload, j.Container, j.Probe, j.Endpoint, j.Program = at.workload, at.container, at.probe, at.endpoint, at.program
	r.words(&j, rule, msg)
	j.Primary.Span = at.place(field)
	r.context(&j, at)
	if key != "" {
		j.Identity = append(identityOf(at), "key", key)
	}
	if o != nil {
		if x := o.Get(ast.StringTerm("related")); x != nil {
			if err := r.related(&j, x); err != nil {
				return j, err
			}
		}
		if x := o.Get(ast.StringTerm("fix")); x != nil {
			fix, err := r.fix(at, x)
			if err != nil {
				return j, err
			}
			if fix != nil {
				j.Fixes = append(j.Fixes, *fix)
			}
		}
	}
	return j, nil
}

// words splits a message: its first line is the title, and what does not fit there is a note.
func (r *reader) words(j *lint.Judged, rule *Rule, msg string) {
	first, rest, _ := strings.Cut(msg, "\n")
	first = strings.TrimSpace(first)
	j.Title = lint.Title("%s", first)
	var more []string
	if j.Title != first {
		more = append(more, first)
	}
	if rest = strings.Join(strings.Fields(rest), " "); rest != "" {
		more = append(more, rest)
	}
	j.Notes = append(more, j.Notes...)
	if rule.Title != "" && rule.Title != first {
		j.Primary.Text = lint.Text("%s", strings.TrimSuffix(rule.Title, "."))
	}
}

// whole is the unit itself, for a result that names no object.
func (r *reader) whole() object {
	if r.unit.Workload != nil {
		return object{workload: r.unit.Workload, what: "workload"}
	}
	if len(r.unit.Programs) > 0 {
		return object{program: r.unit.Programs[0], what: "program"}
	}
	return object{}
}

// object is the object of the input that a value is.
func (r *reader) object(t *ast.Term) (object, error) {
	o, ok := t.Value.(ast.Object)
	if !ok {
		return object{}, &badResult{"`at` is " + kindName(t.Value) + " and no object of the input", ""}
	}
	t = o.Get(ast.StringTerm("id"))
	if t == nil {
		return object{}, &badResult{"`at` has no `id`", "an object of the input, such as a probe or a dependency"}
	}
	if r.objs == nil {
		r.objs = objects(r.unit)
	}
	id, ok := t.Value.(ast.String)
	found, known := r.objs[string(id)]
	if !ok || !known {
		return object{}, &badResult{"no object of the input has the id " + t.String(), ""}
	}
	return found, nil
}

// identityOf names an object for a fingerprint without its place.
func identityOf(o object) []string {
	var id []string
	if w := o.workload; w != nil {
		id = append(id, "object", w.Kind, w.Namespace, w.Name)
	} else if o.program != nil {
		id = append(id, "program", o.program.Package)
	}
	if o.container != nil {
		id = append(id, "container", o.container.Name)
	}
	if o.probe != nil {
		id = append(id, o.probe.Role.Key())
	}
	return id
}

// context adds the other side: the probe of a finding in code with how it asks, and the way from the handler to the call.
func (r *reader) context(j *lint.Judged, at object) {
	if at.endpoint == nil {
		return
	}
	pass := &lint.Pass{Workload: at.workload, Container: at.container, Probe: at.probe, Endpoint: at.endpoint, Program: at.program}
	j.Certainty = pass.LinkCertainty()
	if at.dep != nil {
		j.Certainty = lint.Weaker(j.Certainty, at.dep.Certainty)
	}
	if l, ok := pass.AskedLabel(); ok {
		j.Labels = append(j.Labels, l)
	}
	if l, ok := pass.ServedLabel(); ok {
		j.Labels = append(j.Labels, l)
	}
	if at.dep != nil {
		j.Labels = append(j.Labels, pass.ViaLabels(at.dep)...)
	}
}

// related adds the further places of a result.
func (r *reader) related(j *lint.Judged, t *ast.Term) error {
	var err error
	each(t, func(x *ast.Term) {
		if err != nil {
			return
		}
		target, field, text := x, "", ""
		if o, ok := x.Value.(ast.Object); ok {
			if at := o.Get(ast.StringTerm("at")); at != nil {
				target = at
				if field, err = textOf(o, "field"); err != nil {
					return
				}
				if text, err = textOf(o, "msg"); err != nil {
					return
				}
			}
		}
		var at object
		if at, err = r.object(target); err != nil {
			return
		}
		if text == "" {
			text = at.label()
		}
		j.Labels = append(j.Labels, lint.Label{Span: at.place(field), Text: lint.Text("%s", text)})
		if at.probe != nil && at.workload != nil {
			ref := lint.RefOf(at.workload, at.container, at.probe)
			if j.Probe == nil {
				j.Probes = append(j.Probes, ref)
			}
		}
	})
	return err
}

// label is what an object contributes where the policy says nothing.
func (o object) label() string {
	switch o.what {
	case "dependency":
		return "asks " + lint.DependencyName(o.dep)
	case "endpoint":
		return "answered by " + lint.Quote(lint.ShortCall(o.endpoint.Symbol))
	case "probe":
		return string(o.probe.Role) + " probe"
	case "container":
		return "container " + lint.Quote(o.container.Name)
	case "workload":
		return o.workload.Ref()
	case "program":
		return "program " + lint.Quote(o.program.Name())
	}
	return o.what
}

// each calls f for the elements of a list or set, or for the value itself.
func each(t *ast.Term, f func(*ast.Term)) {
	switch v := t.Value.(type) {
	case *ast.Array:
		v.Foreach(f)
	case ast.Set:
		v.Foreach(f)
	default:
		f(t)
	}
}

// textOf is a text of a result, "" where it is absent.
func textOf(o ast.Object, key string) (string, error) {
	t := o.Get(ast.StringTerm(key))
	if t == nil {
		return "", nil
	}
	s, ok := t.Value.(ast.String)
	if !ok {
		return "", &badResult{lint.Quote(key) + " is " + kindName(t.Value) + " and no text", ""}
	}
	return string(s), nil
}

func kindName(v ast.Value) string {
	switch v.(type) {
	case ast.Boolean:
		return "a boolean"
	case ast.Number:
		return "a number"
	case ast.String:
		return "a text"
	case *ast.Array:
		return "a list"
	case ast.Set:
		return "a set"
	case ast.Null:
		return "null"
	}
	return "an object"
}
