package deadlineignoredbyclient

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func ignored(change func(*model.Dependency)) *model.Endpoint {
	d := ruletest.Ping()
	d.Name, d.Call, d.Bound = "Redis", "(*github.com/redis/go-redis/v9.Client).Ping", model.BoundClient
	d.Deadline = &model.Deadline{Seconds: 5, Known: true, From: "library"}
	d.Ignored = &model.IgnoredDeadline{
		Client: "go-redis v9 without `ContextTimeoutEnabled`", Stated: *ruletest.Second(1), Because: ruletest.Code(15),
		Cure: "set `ContextTimeoutEnabled: true`",
	}
	if change != nil {
		change(d)
	}
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, ignored(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` sets a deadline of 1s that go-redis v9 does not honour",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "`Client.Ping` goes on when the context has ended"},
		Labels: []lint.Label{
			{Span: ruletest.Code(38), Text: "has no effect on this call", Strong: true},
			{Span: ruletest.Code(15), Text: "this is go-redis v9"},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"what ends it is the client's own limit of 5s"},
		Help:     "set `ContextTimeoutEnabled: true`",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "(*github.com/redis/go-redis/v9.Client).Ping"},
	})
	pq := ignored(func(d *model.Dependency) {
		d.Name, d.Bound, d.Deadline = "PostgreSQL", model.BoundNone, nil
		d.Ignored = &model.IgnoredDeadline{Client: "lib/pq.v1"}
		d.Certainty = model.Likely
	})
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, pq), "warning likely `/healthz` sets its deadline that lib/pq v1 does not honour")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, ignored(func(d *model.Dependency) { d.Ignored = nil })))
}
