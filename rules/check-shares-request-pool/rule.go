// Package checksharesrequestpool is the rule check-shares-request-pool.
package checksharesrequestpool

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is check-shares-request-pool.
var Rule = &lint.Rule{
	Name:    "check-shares-request-pool",
	Level:   lint.Info,
	Nursery: true, // off until two public incidents speak for it
	Sees:    []lint.Sees{lint.Go, lint.Link},
	Scope:   lint.PerProbe,
	Facts:   []lint.Fact{lint.FactPools},
	Doc:     doc,
	Check:   check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Pool == nil || seen[d.Span] || !d.Gates && !d.GatesUnknown && lint.WaitOf(d, 1) == lint.WaitsNot {
			continue // a bounded call that is only reported harms nobody
		}
		seen[d.Span] = true
		report(p, d)
	}
}

func report(p *lint.Pass, d *model.Dependency) {
	path, other := lint.Quote(p.Path()), lint.Quote(d.Pool.UseRoute)
	f := lint.Finding{
		Level: lint.Info, Certainty: lint.Weaker(d.Certainty),
		Title:   lint.Title("%s waits for a connection of the pool that %s uses", path, other),
		Primary: lint.Label{Span: d.Span, Text: "takes a connection of the pool, or waits for one"},
		Labels: append([]lint.Label{
			{Span: d.Pool.Use, Text: lint.Text("%s takes its connections here", other)},
			{Span: d.Pool.Made, Text: "one client for both"},
		}, append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...)...),
		Notes:    []string{consequence(p.Probe.Role)},
		Help:     "a client of its own with one connection for the check, or the pool's own figures, which tell a full pool from a broken " + kind(d),
		Cause:    lint.CauseAt(d.Span) + " pool",
		Identity: p.InCode(d.Call, "pool"),
	}
	p.Report(f)
}

func consequence(r model.Role) string {
	if r == model.Readiness {
		return "with all connections in use the check queues behind requests: a busy instance looks like one whose dependency is down, and its load moves on to the others"
	}
	return "with all connections in use the check queues behind requests: a busy instance is restarted, and its load moves on to the others"
}

func kind(d *model.Dependency) string {
	if d.Kind == "database" || d.Kind == "cache" {
		return d.Kind
	}
	return "dependency"
}
