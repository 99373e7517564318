// Package livenessfailswhiledraining is the rule liveness-fails-while-draining.
package livenessfailswhiledraining

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is liveness-fails-while-draining.
var Rule = &lint.Rule{
	Name:  "liveness-fails-while-draining",
	Level: lint.Info,
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
		if !s.Draining || !s.Gates || seen[s.Span] {
			continue
		}
		seen[s.Span] = true
		f := lint.Finding{
			Level: lint.Info, Certainty: p.LinkCertainty(),
			Title:    lint.Title("%s fails while the process drains, through %s", p.Subject(), lint.Quote(s.Name)),
			Primary:  lint.Label{Span: s.Span, Text: "set on the way out, and turns the status"},
			Labels:   lint.Labels(p.AskedLabel, p.ServedLabel),
			Cause:    lint.CauseAt(s.Span) + " draining",
			Identity: p.InCode(s.Name),
			Notes:    []string{"the kubelet stops asking liveness when a pod is deleted; other checkers read a drain as a crash and replace the instance"},
			Help:     "let readiness alone say that this instance is leaving",
		}
		if !s.SetSpan.IsZero() {
			f.Labels = append(f.Labels, lint.Label{Span: s.SetSpan, Text: "set here"})
		}
		p.Report(f)
	}
}
