package livenesschecksdependency

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func endpoint(deps ...*model.Dependency) *model.Endpoint { return &model.Endpoint{Dependencies: deps} }

func TestBothSides(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, endpoint(ruletest.Ping())), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "liveness probe of `shop` fails whenever PostgreSQL does",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "the kubelet restarts container `app` when this fails"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(26), Text: "3 failures, 10s apart: restarted 20s to 31s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(40), Text: "pings PostgreSQL on every probe", Strong: true},
		},
		Notes: []string{"a restart cannot repair PostgreSQL; all 3 replicas restart together and start cold against a recovering server"},
		Help:  "keep `/healthz` about this process alone, and report PostgreSQL in the readiness answer",
		Cause: "main.go:30 main.health",
	})
}

func TestWithoutAManifest(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Guessed(model.Liveness, endpoint(ruletest.Ping())), lint.Finding{
		Level: lint.Info, Certainty: model.Guessed,
		Title:    "`/healthz` fails whenever PostgreSQL does",
		Primary:  lint.Label{Span: ruletest.Code(40), Text: "pings PostgreSQL on every probe"},
		Labels:   []lint.Label{{Span: ruletest.Code(10), Text: "served here"}},
		Notes:    []string{"a restart cannot repair PostgreSQL; the container starts cold against a recovering server"},
		Help:     "keep `/healthz` about this process alone, and report PostgreSQL in the readiness answer",
		Cause:    "main.go:30 main.health",
		Identity: []string{"go", "main.health", "(*database/sql.DB).PingContext"},
	})
}

// A limiter that fails open: what its store answers fails the probe, an outage of it does not, unless it is waited for.
func TestFailsOpen(t *testing.T) {
	limiter := func(seconds float64) *model.Dependency {
		d := ruletest.Ping()
		d.Kind, d.Name, d.Call, d.Operation, d.FailsOpen = "cache", "Redis", "(*github.com/redis/go-redis/v9.cmdable).Incr", "exec", true
		d.Span, d.Bound, d.Deadline = ruletest.Code(33), model.BoundClient, ruletest.Second(seconds)
		return d
	}
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, endpoint(limiter(1))), "warning proven liveness probe of `shop` fails by what Redis answers")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Startup, endpoint(limiter(1))), "warning proven startup probe of `shop` fails by what Redis answers")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, endpoint(limiter(5))), "error proven liveness probe of `shop` hangs whenever Redis does")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, endpoint(limiter(1), ruletest.Ping())), "error proven liveness probe of `shop` fails whenever PostgreSQL does")
}

func TestStartupIsAWarning(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Startup, endpoint(ruletest.Ping())), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "startup probe of `shop` fails while PostgreSQL is down",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "container `app` never starts while this fails"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(26), Text: "3 failures, 10s apart: restarted 20s to 31s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(40), Text: "pings PostgreSQL on every probe", Strong: true},
		},
		Notes: []string{"while PostgreSQL is away no new pod starts, so neither a rollout nor more replicas can relieve the rest"},
		Help:  "keep `/healthz` about this process alone, and report PostgreSQL in the readiness answer",
		Cause: "main.go:30 main.health",
	})
}

func TestLevels(t *testing.T) {
	dep := func(change func(*model.Dependency)) *model.Dependency {
		d := ruletest.Ping()
		change(d)
		return d
	}
	report := func(bound model.Bound, seconds float64) *model.Dependency {
		return dep(func(d *model.Dependency) {
			d.Gates, d.Bound, d.Deadline = false, bound, nil
			if seconds > 0 {
				d.Deadline = ruletest.Second(seconds)
			}
		})
	}
	redis := dep(func(d *model.Dependency) { d.Name, d.Span = "Redis", ruletest.Code(44) })
	kafka := dep(func(d *model.Dependency) { d.Name, d.Span = "Kafka", ruletest.Code(45) })
	for name, c := range map[string]struct {
		role model.Role
		deps []*model.Dependency
		edit func(*lint.Pass)
		want []string
	}{
		"readiness":              {role: model.Readiness, deps: []*model.Dependency{ruletest.Ping()}},
		"loopback":               {deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Scope = model.Loopback })}},
		"a file":                 {deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Scope = model.FileSys })}},
		"after the answer":       {deps: []*model.Dependency{dep(func(d *model.Dependency) { d.AfterAnswer = true })}},
		"detached":               {deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Mode = "detached" })}},
		"reported, bounded":      {deps: []*model.Dependency{report(model.BoundDeadline, 1)}},
		"reported, client bound": {deps: []*model.Dependency{report(model.BoundClient, 1.9)}},
		"reported, bound at T":   {deps: []*model.Dependency{report(model.BoundDeadline, 2)}, want: []string{"error proven liveness probe of `shop` hangs whenever PostgreSQL does"}},
		"reported, no bound":     {deps: []*model.Dependency{report(model.BoundNone, 0)}, want: []string{"error proven liveness probe of `shop` hangs whenever PostgreSQL does"}},
		"reported, request":      {deps: []*model.Dependency{report(model.BoundRequest, 0)}, want: []string{"error proven liveness probe of `shop` hangs whenever PostgreSQL does"}},
		"reported, unknown":      {deps: []*model.Dependency{report(model.BoundConfigured, 0)}},
		"two": {
			deps: []*model.Dependency{ruletest.Ping(), redis},
			want: []string{"error proven liveness probe of `shop` fails whenever PostgreSQL or Redis does"},
		},
		"three": {
			deps: []*model.Dependency{ruletest.Ping(), redis, kafka},
			want: []string{"error proven liveness probe of `shop` fails whenever PostgreSQL or 2 others do"},
		},
		"one call twice": {
			deps: []*model.Dependency{ruletest.Ping(), ruletest.Ping()},
			want: []string{"error proven liveness probe of `shop` fails whenever PostgreSQL does"},
		},
		"a sum": {
			deps: []*model.Dependency{report(model.BoundDeadline, 1)},
			edit: func(p *lint.Pass) { p.Endpoint.Budget = &model.TimeBudget{Lower: 2, Basis: "sum", From: "constant"} },
			want: []string{"error proven liveness probe of `shop` hangs whenever PostgreSQL does"},
		},
		"likely link": {
			deps: []*model.Dependency{ruletest.Ping()},
			edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely },
			want: []string{"warning likely liveness probe of `shop` fails whenever PostgreSQL does"},
		},
		"likely call": {
			deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Certainty = model.Likely })},
			want: []string{"warning likely liveness probe of `shop` fails whenever PostgreSQL does"},
		},
		"outcome not followed": {
			deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Gates, d.GatesUnknown = false, true })},
			want: []string{"info likely liveness probe of `shop` asks PostgreSQL; whether that turns its verdict is not known"},
		},
		"timeout not readable": {
			deps: []*model.Dependency{report(model.BoundDeadline, 5)},
			edit: func(p *lint.Pass) { p.Probe.Unknown = []string{"timeoutSeconds"} },
		},
		"an address for a name": {
			deps: []*model.Dependency{dep(func(d *model.Dependency) { d.Kind, d.Name, d.Target = "http", "HTTP service", "http://catalog:8080/ok" })},
			want: []string{"error proven liveness probe of `shop` fails whenever `catalog` does"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.role == "" {
				c.role = model.Liveness
			}
			p := ruletest.Pass(c.role, endpoint(c.deps...))
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}

func TestManifestAlone(t *testing.T) {
	command := func(c model.ExecCheck) func(*lint.Pass) {
		return func(p *lint.Pass) {
			p.Probe.Kind, p.Probe.Exec = model.Exec, []model.ExecCheck{c}
			p.Probe.Fields["exec.command[1]"] = model.Field{Key: ruletest.Yaml(30), Value: ruletest.Yaml(30)}
		}
	}
	remote := model.ExecCheck{Command: "pg_isready", Kind: "database", Name: "PostgreSQL", Host: "db", Remote: true, Decides: true, Argument: 1}
	with := func(change func(*model.ExecCheck)) model.ExecCheck {
		c := remote
		change(&c)
		return c
	}
	host := func(h string) func(*lint.Pass) { return func(p *lint.Pass) { p.Probe.Target.Host = h } }
	for name, c := range map[string]struct {
		role model.Role
		edit func(*lint.Pass)
		want []string
	}{
		"remote command":   {edit: command(remote), want: []string{"error proven liveness probe of `shop` fails whenever PostgreSQL on `db` does"}},
		"startup":          {role: model.Startup, edit: command(remote), want: []string{"warning proven startup probe of `shop` fails while PostgreSQL on `db` is down"}},
		"readiness":        {role: model.Readiness, edit: command(remote)},
		"local command":    {edit: command(with(func(c *model.ExecCheck) { c.Host, c.Remote = "", false }))},
		"exit is hidden":   {edit: command(with(func(c *model.ExecCheck) { c.Decides = false }))},
		"its own Service":  {edit: command(with(func(c *model.ExecCheck) { c.Host = "shop.default.svc" }))},
		"host elsewhere":   {edit: host("status.example.com"), want: []string{"error proven liveness probe of `shop` fails whenever `status.example.com` does"}},
		"loopback host":    {edit: host("127.0.0.1")},
		"a placeholder":    {edit: host("${HOST}")},
		"its Service name": {edit: host("shop")},
	} {
		t.Run(name, func(t *testing.T) {
			if c.role == "" {
				c.role = model.Liveness
			}
			p := ruletest.Pass(c.role, nil)
			c.edit(p)
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}
