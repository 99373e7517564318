// Package flushbeforeverdict is the rule flush-before-verdict.
package flushbeforeverdict

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is flush-before-verdict.
var Rule = &lint.Rule{
	Name:  "flush-before-verdict",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.EarlyFlush == nil {
		return
	}
	e := p.Endpoint.Answer.EarlyFlush
	name := e.Name
	if name == "" {
		name = "its last part"
	}
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   lint.Title("%s sends its status before it has checked %s", lint.Quote(p.Path()), name),
		Primary: lint.Label{Span: e.Flush, Text: "status and headers leave here"},
		Labels:  []lint.Label{{Span: e.Check, Text: lint.Text("waits for %s when the verdict is out", name), Strong: true}},
		Notes: []string{
			"a body that stalls or breaks off is an errored attempt: the kubelet tries three times and counts none, so this probe cannot fail",
		},
		Help:     "finish every check before the first write",
		Cause:    lint.CauseAt(e.Flush),
		Identity: p.InCode("flush"),
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}
