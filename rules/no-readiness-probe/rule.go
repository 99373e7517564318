// Package noreadinessprobe is the rule no-readiness-probe.
package noreadinessprobe

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is no-readiness-probe.
var Rule = &lint.Rule{
	Name:  "no-readiness-probe",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c := p.Container
	if p.Workload == nil || p.Workload.RunsToCompletion() || c.Kind == model.Init || c.Kind == model.Ephemeral {
		return
	}
	if c.Probe(model.Readiness) != nil || misspelled(c) {
		return
	}
	svc, port := words.Selected(p.Workload, c)
	if svc == nil || svc.PublishNotReadyAddresses {
		return
	}
	f := lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title: lint.FirstTitle(
			words.Container(p.Workload, c)+" behind Service "+lint.Quote(svc.Name)+" has no readiness probe",
			words.Container(p.Workload, c)+" behind a Service has no readiness probe",
		),
		Primary: lint.Label{Span: c.Span, Text: "nothing asks whether this container can serve"},
		Notes:   []string{"Ready as soon as the process runs: requests arrive while it starts, and an instance that hangs keeps its share of them"},
		Help:    fmt.Sprintf("a readiness probe on port %d that answers whether this instance can serve", port),
		// Renderings of one container differ in what stands beside it, and so in how it is named.
		Cause: fmt.Sprintf("%s %s %s:%d", p.Workload.Ref(), c.Name, c.Span.File, c.Span.Start),
	}
	if start := c.Probe(model.Startup); start != nil {
		f.Labels = append(f.Labels, lint.Label{Span: start.Span, Text: "Ready once this has succeeded, and from then on for good"})
		f.Notes = []string{"Ready from the first success of the startup probe until the container ends: an instance that hangs keeps its share of the requests"}
	}
	if live := c.Probe(model.Liveness); live != nil {
		f.Labels = append(f.Labels, lint.Label{Span: live.Span, Text: "restarts the container, but takes it out of no rotation"})
	}
	if !svc.Span.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: svc.Span, Text: fmt.Sprintf("sends requests to port %d of these pods", port)})
	}
	p.Report(f)
}

// misspelled reports whether a readiness probe was meant, which probe-field-invalid says.
func misspelled(c *model.Container) bool {
	for _, i := range c.Invalid {
		if i.Rename == model.Readiness.Key() {
			return true
		}
	}
	return false
}
