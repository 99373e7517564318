package readinessshareddependency

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func endpoint(change func(*model.Dependency)) *model.Endpoint {
	d := ruletest.Ping()
	if change != nil {
		change(d)
	}
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestAllLeaveTogether(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, endpoint(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "all 3 replicas of `shop` leave the rotation when PostgreSQL fails",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "no replica is ready while PostgreSQL is down"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Yaml(26), Text: "out of rotation 20s to 31s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes: []string{"20s to 33s into an outage no replica is left behind the Service `shop`, and requests that need nothing of it fail too"},
		Help: "answer ready while this instance works, report PostgreSQL in the body, and let requests that need it fail by themselves; " +
			"or mark it `//probelint:critical reason`",
		Cause:    "main.go:4000-4010 shared",
		Identity: []string{"go", "main.health", "(*database/sql.DB).PingContext"},
	})
}

func TestMarkedCritical(t *testing.T) {
	e := endpoint(func(d *model.Dependency) {
		d.Critical = &model.Critical{Reason: "orders are the product", Span: ruletest.Code(39)}
	})
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e), lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   "all 3 replicas of `shop` leave the rotation when PostgreSQL fails",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "no replica is ready while PostgreSQL is down"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Yaml(26), Text: "out of rotation 20s to 31s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(39), Text: "marked critical here"},
		},
		Notes: []string{
			"20s to 33s into an outage no replica is left behind the Service `shop`, and requests that need nothing of it fail too",
			"marked critical: orders are the product",
			"no PodDisruptionBudget or other bound says how many replicas can be away at once",
		},
		Help:     "decide for the fleet how many replicas leave at once, and keep the rest answering errors of their own",
		Cause:    "main.go:4000-4010 shared",
		Identity: []string{"go", "main.health", "(*database/sql.DB).PingContext"},
	})
}

func TestLevels(t *testing.T) {
	const all = "all 3 replicas of `shop` leave the rotation when PostgreSQL fails"
	for name, c := range map[string]struct {
		role   model.Role
		change func(*model.Dependency)
		edit   func(*lint.Pass)
		want   []string
	}{
		"liveness":         {role: model.Liveness},
		"startup":          {role: model.Startup},
		"only reported":    {change: func(d *model.Dependency) { d.Gates = false }},
		"not shared":       {change: func(d *model.Dependency) { d.Shared = false }},
		"loopback":         {change: func(d *model.Dependency) { d.Scope = model.Loopback }},
		"after the answer": {change: func(d *model.Dependency) { d.AfterAnswer = true }},
		"a Job":            {edit: func(p *lint.Pass) { p.Workload.Kind = "Job" }},
		"a DaemonSet":      {edit: func(p *lint.Pass) { p.Workload.Replicas = nil }, want: []string{"warning proven every pod of `shop` leaves the rotation when PostgreSQL fails"}},
		"one replica": {
			edit: func(p *lint.Pass) { one := 1; p.Workload.Replicas = &one },
			want: []string{"warning proven the only replica of `shop` leaves the rotation when PostgreSQL fails"},
		},
		"likely link":   {edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely }, want: []string{"warning likely " + all}},
		"possible call": {change: func(d *model.Dependency) { d.Certainty = model.Likely }, want: []string{"warning likely " + all}},
		"guessed call":  {change: func(d *model.Dependency) { d.Certainty = model.Guessed }, want: []string{"info guessed " + all}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.role == "" {
				c.role = model.Readiness
			}
			p := ruletest.Pass(c.role, endpoint(c.change))
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("without a manifest", func(t *testing.T) {
		ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, endpoint(nil)), "info guessed `/healthz` takes every replica out of rotation when PostgreSQL fails")
	})
}

// Each label is read alone in formats that have one place.
func TestLabelsStandAlone(t *testing.T) {
	e := endpoint(nil)
	other := ruletest.Ping()
	other.Name, other.Span = "Redis", ruletest.Code(45)
	e.Dependencies = append(e.Dependencies, other)
	got := ruletest.Findings(t, Rule, ruletest.Pass(model.Readiness, e))
	if len(got) != 1 || got[0].Labels[0].Text != "no replica is ready while Redis is down" {
		t.Errorf("got %+v", got)
	}
}

// The window ends with the handler's own deadline where one is shorter than the kubelet's patience, and has the age of a stored
// verdict in it.
func TestWindow(t *testing.T) {
	for name, c := range map[string]struct {
		deadline *model.Deadline
		cache    *model.Cache
		want     string
	}{
		"bounded":                  {ruletest.Second(0.5), nil, "out of rotation 20s to 30.5s into an outage"},
		"bounded above":            {ruletest.Second(5), nil, "out of rotation 20s to 32s into an outage"},
		"without a bound":          {nil, nil, "out of rotation 20s to 32s into an outage"},
		"stored":                   {ruletest.Second(1), &model.Cache{Seconds: 15, Known: true}, "out of rotation 20s to 46s into an outage"},
		"stored, unknown how long": {ruletest.Second(1), &model.Cache{}, "out of rotation 20s to 31s into an outage"},
	} {
		e := endpoint(func(d *model.Dependency) { d.Deadline = c.deadline })
		e.Cache = c.cache
		got := ruletest.Findings(t, Rule, ruletest.Pass(model.Readiness, e))
		if len(got) != 1 || got[0].Labels[1].Text != c.want {
			t.Errorf("%s: got %+v, want %q", name, got, c.want)
		}
	}
}
