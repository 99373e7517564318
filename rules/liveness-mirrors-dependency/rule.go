// Package livenessmirrorsdependency is the rule liveness-mirrors-dependency.
package livenessmirrorsdependency

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is liveness-mirrors-dependency.
var Rule = &lint.Rule{
	Name:     "liveness-mirrors-dependency",
	Level:    lint.Warning,
	Sees:     []lint.Sees{lint.Link, lint.Go},
	Scope:    lint.PerProbe,
	Doc:      doc,
	Silences: []string{"cached-aggregate"},
	Check:    check,
}

func check(p *lint.Pass) {
	if p.Probe.Role != model.Liveness || p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, s := range p.Endpoint.State {
		if s.Kind != "mirrored" || !s.Gates || seen[s.Span] {
			continue
		}
		seen[s.Span] = true
		report(p, s)
	}
}

func report(p *lint.Pass, s model.State) {
	who := s.Dependency
	if who == "" {
		who = "a dependency"
	}
	certainty := p.LinkCertainty()
	f := lint.Finding{
		Level: lint.Lowered(lint.Warning, certainty), Certainty: certainty,
		Title:    lint.Title("%s follows %s through %s", p.Subject(), who, lint.Quote(s.Name)),
		Primary:  lint.Label{Span: s.Span, Text: lint.Text("flips when %s is away", who)},
		Cause:    lint.CauseAt(s.Span),
		Identity: p.InCode(s.Name),
		Notes:    []string{"no call is made here, and yet an outage of " + who + " restarts the container"},
		Help:     "leave it to readiness, and let liveness test that the loop itself still runs: the age of its last turn",
	}
	if s.Latch {
		f.Primary.Text = lint.Text("turns when %s has answered once", who)
		f.Notes = []string{"no call is made here, and yet the container restarts again and again while " + who + " is away at its start"}
		f.Help = "leave it to readiness or a startup probe with a budget of its own, and let liveness answer from the open port on"
	}
	if !s.SetSpan.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: s.SetSpan, Text: lint.Text("set here from what %s answers", who), Strong: true})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.OutageLabel(), p.ServedLabel)...)
	p.Report(f)
}
