// Package tcpreadiness is the rule tcp-readiness.
package tcpreadiness

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is tcp-readiness.
var Rule = &lint.Rule{
	Name:  "tcp-readiness",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.Probe.Role != model.Readiness || p.Probe.Kind != model.TCPSocket || p.Probe.Target.Host != "" {
		return
	}
	protocol, because := words.Speaks(p)
	if protocol == "" {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   lint.Title("%s only connects to a port that speaks "+protocol, p.Subject()),
		Primary: lint.Label{Span: words.PortSpan(p.Probe), Text: "the kernel accepts for a process that never does"},
		Labels:  []lint.Label{because},
		Notes:   []string{"ready as soon as the port is open: while the process loads, when all its workers hang, and as long as each request fails"},
		Help:    map[string]string{"HTTP": "an httpGet probe on the same port sees an answer", "gRPC": "a grpc probe on the same port sees an answer"}[protocol],
	})
}
