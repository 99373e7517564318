// Package dockerfilehealthcheckignored is the rule dockerfile-healthcheck-ignored.
package dockerfilehealthcheckignored

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is dockerfile-healthcheck-ignored.
var Rule = &lint.Rule{
	Name:  "dockerfile-healthcheck-ignored",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c, w := p.Container, p.Workload
	if c.Contents == nil || c.Contents.Healthcheck.IsZero() || w.RunsToCompletion() || c.Kind != model.Main || len(c.Probes) > 0 {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: c.Contents.Certainty,
		Title:   lint.Title("%s has no probe, and the HEALTHCHECK of its image is ignored", words.Container(w, c)),
		Primary: lint.Label{Span: c.Span, Text: "no probe: ready as soon as the process runs"},
		Labels:  []lint.Label{{Span: c.Contents.Healthcheck, Text: "Docker and Compose run this, the kubelet does not"}},
		Notes:   []string{"Kubernetes switches the HEALTHCHECK of an image off; a container without a readiness probe gets traffic from its first moment"},
		Help:    "what the HEALTHCHECK asks is a candidate for the readiness probe; the kubelet asks over HTTP, gRPC or TCP without a program in the image",
	})
}
