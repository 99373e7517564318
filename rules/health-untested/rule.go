// Package healthuntested is the rule health-untested.
package healthuntested

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is health-untested.
var Rule = &lint.Rule{
	Name:    "health-untested",
	Level:   lint.Info,
	Nursery: true, // off until two public incidents speak for it
	Sees:    []lint.Sees{lint.Go, lint.Link},
	Scope:   lint.PerProbe,
	Facts:   []lint.Fact{lint.FactTests},
	Doc:     doc,
	Check:   check,
}

func check(p *lint.Pass) {
	e := p.Endpoint
	if e == nil || e.Tests == nil || e.Tests.Failing || e.Answer.FailureSpan.IsZero() {
		return
	}
	path := lint.Quote(p.Path())
	f := lint.Finding{
		Level: lint.Info, Certainty: lint.Weaker(model.Likely, p.LinkCertainty()), // tests are read, not run
		Title:    lint.Title("no test asks %s", path),
		Primary:  lint.Label{Span: e.Answer.FailureSpan, Text: "no test leads here"},
		Labels:   lint.Labels(p.AskedLabel, p.ServedLabel),
		Notes:    []string{"the answer that takes an instance out is first given in an outage"},
		Help:     "a test in which a check fails and the answer is 503",
		Cause:    lint.CauseAt(e.Answer.FailureSpan) + " untested",
		Identity: p.InCode("untested"),
	}
	switch {
	case e.Tests.Files == 0:
		f.Notes = append(f.Notes, "the module has no tests")
	case e.Tests.Asking > 0:
		f.Title = lint.Title("tests ask %s, and none wants it to fail", path)
		f.Labels = append([]lint.Label{{Span: e.Tests.Span, Text: "asks it, in a file that names no status of 400 or more"}}, f.Labels...)
	}
	p.Report(f)
}
