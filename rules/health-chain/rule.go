// Package healthchain is the rule health-chain.
package healthchain

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is health-chain.
var Rule = &lint.Rule{
	Name:  "health-chain",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Scope != model.External || seen[d.Span] || !asksHealth(d) {
			continue
		}
		seen[d.Span] = true
		report(p, d)
	}
}

// health are the last parts of a path that asks another service how it is.
var health = regexp.MustCompile(`(?i)/(?:-/)?(?:health|healthz|healthcheck|health[-_]check|live|livez|liveness|alive|ready|readyz|readiness|startupz|ping|heartbeat|up)(?:/(?:live|liveness|ready|readiness))?/?(?:\?.*)?$`)

func asksHealth(d *model.Dependency) bool {
	if d.Kind == "grpc" {
		return strings.Contains(d.Call, "grpc_health_v1")
	}
	return d.Kind == "http" && health.MatchString(d.Target)
}

func report(p *lint.Pass, d *model.Dependency) {
	level := lint.Warning
	if !d.Gates && !d.GatesUnknown {
		level = lint.Info
	}
	who := lint.DependencyName(d)
	f := lint.Finding{
		Level: level, Certainty: lint.Weaker(d.Certainty),
		Title:    lint.Title("%s asks %s for its health", lint.Quote(p.Path()), who),
		Primary:  lint.Label{Span: d.Span, Text: lint.Text("asks %s", target(d))},
		Labels:   append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...),
		Cause:    lint.CauseAt(d.Span) + " chain",
		Identity: p.InCode(d.Call, "chain"),
		Notes: []string{
			"an outage travels up the graph: each service answers for all below it, and two that ask each other never become ready",
		},
		Help: "let each service answer for itself, and handle the failure where its answer is needed",
	}
	if d.Loop > 1 {
		f.Primary.Text = lint.Text(fmt.Sprintf("asks %d services, %%s first", d.Loop), target(d))
	}
	p.Report(f)
}

func target(d *model.Dependency) string {
	if d.Target == "" {
		return "its health service"
	}
	return lint.Quote(d.Target)
}
