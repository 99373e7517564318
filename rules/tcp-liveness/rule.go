// Package tcpliveness is the rule tcp-liveness.
package tcpliveness

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is tcp-liveness.
var Rule = &lint.Rule{
	Name:  "tcp-liveness",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.Probe.Role != model.Liveness || p.Probe.Kind != model.TCPSocket || p.Probe.Target.Host != "" {
		return
	}
	protocol, because := words.Speaks(p)
	if protocol == "" {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s only connects to a port that speaks "+protocol, p.Subject()),
		Primary: lint.Label{Span: words.PortSpan(p.Probe), Text: "the kernel accepts for a process that never does"},
		Labels:  []lint.Label{because},
		Notes:   []string{"sees that a process holds the port; a deadlock, which a restart would mend, stays unseen"},
		Help:    map[string]string{"HTTP": "an httpGet probe of a constant answer sees that requests are served", "gRPC": "a grpc probe sees that calls are served"}[protocol],
	})
}
