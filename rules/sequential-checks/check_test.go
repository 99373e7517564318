package sequentialchecks

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func two() *model.Endpoint {
	redis := ruletest.Ping()
	redis.Name, redis.Kind, redis.Span, redis.Deadline = "Redis", "cache", ruletest.Code(44), ruletest.Second(1.5)
	return &model.Endpoint{
		Dependencies: []*model.Dependency{ruletest.Ping(), redis},
		Budget:       &model.TimeBudget{Lower: 2.5, Basis: "sum", From: "constant", Parallel: 1.5},
	}
}

func TestTheSumBreaksTheBudget(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, two()), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "first PostgreSQL, up to 1s"},
		Labels: []lint.Label{
			{Span: ruletest.Code(44), Text: "then Redis, up to 1.5s", Strong: true},
			{Span: ruletest.Yaml(25), Text: "the kubelet gives up after 2s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the probe waits 2s: side by side the slowest check counts, 1.5s"},
		Help:     "run the checks side by side under one context, and collect their results",
		Cause:    "main.go:4000-4010 sequential",
		Identity: []string{"go", "main.health", "sequential"},
	})
}

func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*model.Endpoint)
		edit   func(*lint.Pass)
		want   []string
	}{
		"fits":           {edit: func(p *lint.Pass) { p.Probe.TimeoutSeconds = 3 }, want: []string{"info proven `/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s"}},
		"neither fits":   {edit: func(p *lint.Pass) { p.Probe.TimeoutSeconds = 1 }, want: []string{"info proven `/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s"}},
		"likely link":    {edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely }, want: []string{"warning likely `/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s"}},
		"T not readable": {edit: func(p *lint.Pass) { p.Probe.Unknown = []string{"timeoutSeconds"} }, want: []string{"info proven `/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s"}},
		"no budget":      {change: func(e *model.Endpoint) { e.Budget = nil }, want: []string{"info proven `/healthz` makes 2 checks one after the other"}},
		"one deadline":   {change: func(e *model.Endpoint) { e.Budget.Basis = "single" }, want: []string{"info proven `/healthz` makes 2 checks one after the other"}},
		"side by side": {change: func(e *model.Endpoint) {
			e.Budget.Basis = "max"
			e.Dependencies[0].Mode, e.Dependencies[1].Mode = "parallel", "parallel"
		}},
		"after the answer": {change: func(e *model.Endpoint) { e.Budget = nil; e.Dependencies[1].AfterAnswer = true }},
		"one server, twice": {change: func(e *model.Endpoint) {
			e.Budget = nil
			e.Dependencies[1].Name, e.Dependencies[1].Kind = "PostgreSQL", "database"
		}},
		"a loop": {
			change: func(e *model.Endpoint) {
				e.Dependencies = e.Dependencies[:1]
				e.Dependencies[0].Loop = 3
				e.Budget = &model.TimeBudget{Lower: 3, Basis: "sum", From: "constant", Parallel: 1}
			},
			want: []string{"warning proven `/healthz` makes 3 checks one after the other: 3s instead of 1s"},
		},
		"nothing": {change: func(e *model.Endpoint) { *e = model.Endpoint{} }},
	} {
		t.Run(name, func(t *testing.T) {
			e := two()
			if c.change != nil {
				c.change(e)
			}
			p := ruletest.Pass(model.Readiness, e)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("without a manifest", func(t *testing.T) {
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, two()), "info guessed `/healthz` makes 2 checks one after the other: 2.5s instead of 1.5s")
	})
}
