package fleetcheckload

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestLoad(t *testing.T) {
	loop := func(n int) *model.Dependency {
		d := ruletest.Ping()
		d.Loop = n
		return d
	}
	redis := ruletest.Ping()
	redis.Kind, redis.Name, redis.Span = "cache", "Redis", ruletest.Code(44)
	for name, c := range map[string]struct {
		replicas int
		deps     []*model.Dependency
		edit     func(*lint.Pass)
		want     []string
	}{
		"few":             {replicas: 199, deps: []*model.Dependency{ruletest.Ping()}},
		"at the budget":   {replicas: 200, deps: []*model.Dependency{ruletest.Ping()}, want: []string{"warning proven readiness probe of `shop` asks PostgreSQL 20 times a second over 200 replicas"}},
		"two calls":       {replicas: 100, deps: []*model.Dependency{ruletest.Ping(), ruletest.Ping()}, want: []string{"warning proven readiness probe of `shop` asks PostgreSQL 20 times a second over 100 replicas"}},
		"two of two":      {replicas: 100, deps: []*model.Dependency{ruletest.Ping(), redis}},
		"a loop":          {replicas: 20, deps: []*model.Dependency{loop(10)}, want: []string{"warning proven readiness probe of `shop` asks PostgreSQL 20 times a second over 20 replicas"}},
		"a stored answer": {replicas: 200, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Endpoint.Cache = &model.Cache{Known: true, Seconds: 11} }},
		"a short-lived one": {
			replicas: 200, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Endpoint.Cache = &model.Cache{Known: true, Seconds: 1} },
			want: []string{"warning proven readiness probe of `shop` asks PostgreSQL 20 times a second over 200 replicas"},
		},
		"one of unknown life": {replicas: 900, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Endpoint.Cache = &model.Cache{} }},
		"no number":           {replicas: 900, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Workload.Replicas = nil }},
		"own sidecar": {replicas: 900, deps: []*model.Dependency{func() *model.Dependency {
			d := ruletest.Ping()
			d.Scope = model.Loopback
			return d
		}()}},
		"likely link": {
			replicas: 200, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely },
			want: []string{"warning likely readiness probe of `shop` asks PostgreSQL 20 times a second over 200 replicas"},
		},
		"another budget": {replicas: 900, deps: []*model.Dependency{ruletest.Ping()}, edit: func(p *lint.Pass) { p.Settings.FleetCallsPerSecond = 100 }},
	} {
		t.Run(name, func(t *testing.T) {
			p := ruletest.Pass(model.Readiness, &model.Endpoint{Dependencies: c.deps})
			p.Workload.Replicas = &c.replicas
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}
