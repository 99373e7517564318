// Package grpchealthstatic is the rule grpc-health-static.
package grpchealthstatic

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is grpc-health-static.
var Rule = &lint.Rule{
	Name:  "grpc-health-static",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Kind != model.GRPC || p.Endpoint == nil || p.Endpoint.GRPC == nil {
		return
	}
	g := p.Endpoint.GRPC
	if !g.Registered || !g.Standard || g.Turns || g.Server.IsZero() {
		return
	}
	l := lint.Info
	if p.Probe.Role == model.Readiness {
		l = lint.Warning
	}
	l, certainty, stopped := p.Absence(l)
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Title:    lint.Title("gRPC health of %s is SERVING from the open port to the exit", name(p)),
		Primary:  lint.Label{Span: g.Server, Text: "no status is ever set on this server"},
		Labels:   lint.Labels(p.TargetLabel, p.ServedLabel),
		Notes:    []string{"`health.NewServer` answers SERVING for \"\" from birth: not ready is never said, neither while it loads nor while it drains"},
		Help:     "call `SetServingStatus` with NOT_SERVING until it can serve, and `Shutdown` before GracefulStop",
		Cause:    lint.CauseAt(g.Server),
		Identity: p.InCode("grpc health"),
	}
	if stopped != "" {
		f.Notes = append(f.Notes, stopped)
	}
	p.Report(f)
}

func name(p *lint.Pass) string {
	if p.Workload != nil {
		return lint.Named(p.Workload)
	}
	return "the server"
}
