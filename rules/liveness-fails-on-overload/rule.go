// Package livenessfailsonoverload is the rule liveness-fails-on-overload.
package livenessfailsonoverload

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is liveness-fails-on-overload.
var Rule = &lint.Rule{
	Name:  "liveness-fails-on-overload",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Role != model.Liveness || p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, s := range p.Endpoint.State {
		if !s.Load || !s.Gates || seen[s.Span] {
			continue
		}
		seen[s.Span] = true
		certainty := p.LinkCertainty()
		f := lint.Finding{
			Level: lint.Lowered(lint.Warning, certainty), Certainty: certainty,
			Title:    lint.Title("%s fails under load through %s", p.Subject(), lint.Quote(s.Name)),
			Primary:  lint.Label{Span: s.Span, Text: "measures load, and turns the status"},
			Cause:    lint.CauseAt(s.Span) + " load",
			Identity: p.InCode(s.Name),
			Notes:    []string{"a restart at the peak drops what is in flight and hands its share to the others, which then fail as well"},
			Help:     "shed load in readiness, or answer 503 to requests; liveness tells a stuck process from a busy one",
		}
		f.Labels = lint.Labels(p.AskedLabel, p.DetectLabel, p.ServedLabel)
		p.Report(f)
	}
}
