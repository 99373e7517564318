package checkwithoutdeadline

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func get(change func(*model.Dependency)) *model.Endpoint {
	d := &model.Dependency{
		Kind: "http", Name: "HTTP service", Call: "net/http.Get", File: "main.go", Line: 40, Span: ruletest.Code(40),
		Scope: model.External, Gates: true, Mode: "sequential", Bound: model.BoundNone, Certainty: model.Proven,
		Via: []model.Frame{{Symbol: "main.health", File: "main.go", Line: 33, Span: ruletest.Code(33)}},
	}
	if change != nil {
		change(d)
	}
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestNoDeadline(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, get(nil)), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` waits for an HTTP service without a deadline",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "nothing ends `http.Get` when it does not answer"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(33), Text: "leads to `http.Get`"},
		},
		Notes:    []string{"the kubelet gives up after 2s, the handler does not: each probe that waits leaves a goroutine and a connection behind, 360 an hour"},
		Help:     "give the call a deadline below the probe's timeout, such as 1600ms: use an `http.Client` with a `Timeout`",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "net/http.Get"},
	})
}

func TestRequestAlone(t *testing.T) {
	e := get(func(d *model.Dependency) {
		d.Name, d.Call, d.Bound, d.Via = "PostgreSQL", "(*database/sql.DB).PingContext", model.BoundRequest, nil
	})
	ruletest.Want(t, Rule, ruletest.Guessed(model.Readiness, e), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:    "`/healthz` waits for PostgreSQL until the kubelet gives up",
		Primary:  lint.Label{Span: ruletest.Code(40), Text: "ends only with the request: `DB.PingContext` has no deadline"},
		Labels:   []lint.Label{{Span: ruletest.Code(10), Text: "served here"}},
		Notes:    []string{"the kubelet gives up and cancels the request: the probe has failed by then, whatever the check would have said"},
		Help:     "give the call a deadline below the probe's timeout, such as 800ms: `context.WithTimeout(r.Context(), ...)`",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "(*database/sql.DB).PingContext"},
	})
}

func TestLevels(t *testing.T) {
	const none = "`/healthz` waits for an HTTP service without a deadline"
	for name, c := range map[string]struct {
		change func(*model.Dependency)
		edit   func(*lint.Pass)
		want   []string
	}{
		"deadline":         {change: func(d *model.Dependency) { d.Bound, d.Deadline = model.BoundDeadline, ruletest.Second(9) }},
		"configured":       {change: func(d *model.Dependency) { d.Bound = model.BoundConfigured }},
		"the client's own": {change: func(d *model.Dependency) { d.Bound = model.BoundClient }},
		"the client's, short": {change: func(d *model.Dependency) {
			d.Bound, d.Deadline = model.BoundClient, &model.Deadline{Seconds: 1.5, Known: true, From: "library"}
		}},
		"the client's, long": {
			change: func(d *model.Dependency) {
				d.Bound, d.Deadline = model.BoundClient, &model.Deadline{Seconds: 5, Known: true, From: "library"}
			},
			want: []string{"warning proven `/healthz` waits up to 5s for an HTTP service: its client has no other limit"},
		},
		"the client's, and an ignored deadline": {change: func(d *model.Dependency) {
			d.Bound, d.Deadline = model.BoundClient, &model.Deadline{Seconds: 5, Known: true, From: "library"}
			d.Ignored = &model.IgnoredDeadline{}
		}},
		"not known":         {change: func(d *model.Dependency) { d.Bound = model.BoundUnknown }},
		"a file":            {change: func(d *model.Dependency) { d.Scope = model.FileSys }},
		"an informer":       {change: func(d *model.Dependency) { d.Scope = model.Informer }},
		"detached":          {change: func(d *model.Dependency) { d.Mode = "detached" }},
		"loopback":          {change: func(d *model.Dependency) { d.Scope = model.Loopback }, want: []string{"error proven " + none}},
		"only reported":     {change: func(d *model.Dependency) { d.Gates = false }, want: []string{"error proven " + none}},
		"after the answer":  {change: func(d *model.Dependency) { d.AfterAnswer = true }, want: []string{"error proven " + none}},
		"possible call":     {change: func(d *model.Dependency) { d.Certainty = model.Likely }, want: []string{"warning likely " + none}},
		"uncertain link":    {edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely }, want: []string{"error proven " + none}},
		"answer is bounded": {change: func(d *model.Dependency) { d.Bound = model.BoundAnswer }, want: []string{"warning proven `/healthz` answers in time, but its call to an HTTP service goes on"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := ruletest.Pass(model.Liveness, get(c.change))
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("one call, once", func(t *testing.T) {
		e := get(nil)
		e.Dependencies = append(e.Dependencies, e.Dependencies[0])
		ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, e), "error proven "+none)
	})
}
