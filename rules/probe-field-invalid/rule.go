// Package probefieldinvalid is the rule probe-field-invalid.
package probefieldinvalid

import (
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-field-invalid. The engine leaves a probe that the API server rejects to this rule alone.
var Rule = &lint.Rule{
	Name:  "probe-field-invalid",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerWorkload,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	w := p.Workload
	for _, i := range w.Invalid {
		report(p, place{owner: lint.Named(w), fields: w.Fields}, i)
	}
	for _, c := range w.Containers {
		name := words.Container(w, c)
		for _, i := range c.Invalid {
			report(p, place{owner: "container " + lint.Quote(c.Name) + " of " + lint.Named(w), fields: c.Fields, path: []string{"container", c.Name}}, i)
		}
		for _, pr := range c.Probes {
			for _, i := range pr.Invalid {
				report(p, place{
					owner: string(pr.Role) + " probe of " + name, fields: pr.Fields, path: []string{"container", c.Name, pr.Role.Key()},
					probe: pr, refs: []lint.ProbeRef{lint.RefOf(w, c, pr)},
				}, i)
			}
		}
	}
}

// place is the object that an invalid field belongs to.
type place struct {
	owner  string
	fields model.Fields
	path   []string
	probe  *model.Probe
	refs   []lint.ProbeRef
}

func report(p *lint.Pass, at place, i model.Invalid) {
	w := p.Workload
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:    title(at, i),
		Primary:  lint.Label{Span: i.Span, Text: i.Label},
		Probes:   at.refs,
		Identity: append(lint.ObjectIdentity(w, at.path...), i.Path),
	}
	if f.Primary.Span.IsZero() {
		f.Primary.Span = w.Span
	}
	switch {
	case !w.BuiltIn() && i.Rejected:
		f.Notes = append(f.Notes, "what the schema of this custom kind lets through, the API server rejects in the pods made from it: no new pod starts")
	case !w.BuiltIn():
		f.Notes = append(f.Notes, "it has no effect"+instead(at.probe, i.Rename)+"; whether it is dropped or refused is up to the schema of this custom kind")
	case i.Rejected:
		f.Notes = append(f.Notes, "the API server rejects the whole object: what runs in the cluster stays what it was")
	default:
		f.Notes = append(f.Notes, "it has no effect"+instead(at.probe, i.Rename)+"; the API server drops it with a warning, and only a client that asks for strict validation, as kubectl does, refuses it")
	}
	if i.Rename != "" {
		f.Help = lint.Quote(i.Rename) + " is the field's name"
		if _, taken := at.fields[parent(i.Path)+i.Rename]; !taken && !i.Span.IsZero() {
			f.Fixes = []lint.Fix{{
				Title: "Rename " + lint.Quote(last(i.Path)) + " to " + lint.Quote(i.Rename), Safe: true,
				Edits: []lint.Edit{{Span: i.Span, Text: i.Rename, Old: last(i.Path)}},
			}}
		}
	}
	if i.Replace != "" && !i.Span.IsZero() {
		f.Help = meant(i.Replace)
		f.Fixes = []lint.Fix{{
			Title: "Write " + lint.Quote(last(i.Path)) + " as " + lint.Quote(i.Replace), Safe: true,
			Edits: []lint.Edit{{Span: i.Span, Text: i.Replace, Old: i.Written}},
		}}
	}
	p.Report(f)
}

// meant says why a value is the right one.
func meant(value string) string {
	switch {
	case strings.HasPrefix(value, `"`):
		return "in quotes it is a text: " + lint.Quote(value)
	case value[0] >= '0' && value[0] <= '9':
		return "without quotes it is a number: " + lint.Quote(value)
	}
	return lint.Quote(value) + " is the value that the API server knows"
}

// title says whose field it is as long as there is room for that.
func title(at place, i model.Invalid) string {
	what := lint.Quote(last(i.Path)) + " " + i.Title
	if pr := at.probe; pr != nil && (i.Path == "" || i.Path == pr.Role.Key()) { // the probe itself
		return first(at.owner+" "+i.Title, lint.Quote(pr.Role.Key())+" "+i.Title)
	}
	short, _, _ := strings.Cut(what, ": ")
	return first(at.owner+": "+what, what, short)
}

// first is the first of the texts that is no longer than a title, or else the last one, cut.
func first(texts ...string) string {
	for _, t := range texts {
		if utf8.RuneCountInString(t) <= lint.TitleLength {
			return t
		}
	}
	return lint.Title("%s", texts[len(texts)-1])
}

// instead is the value in force in place of a dropped timing field of a probe, which can be nil.
func instead(pr *model.Probe, field string) string {
	if pr == nil {
		return ""
	}
	value, ok := map[string]int{
		"periodSeconds": pr.PeriodSeconds, "timeoutSeconds": pr.TimeoutSeconds, "failureThreshold": pr.FailureThreshold,
		"successThreshold": pr.SuccessThreshold, "initialDelaySeconds": pr.InitialDelaySeconds,
	}[field]
	if !ok || pr.IsDeclared(field) {
		return ""
	}
	return fmt.Sprintf(": `%s` is %d", field, value)
}

// last is the key of a path, parent what stands before it with its dot.
func last(path string) string { return path[strings.LastIndex(path, ".")+1:] }

func parent(path string) string { return path[:strings.LastIndex(path, ".")+1] }
