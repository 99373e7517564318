package checkbudgetexceedstimeout

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func budget(lower float64, from, basis string, parts ...model.Deadline) *model.Endpoint {
	return &model.Endpoint{
		Budget:       &model.TimeBudget{Lower: lower, Upper: &lower, From: from, Basis: basis, Parts: parts},
		Dependencies: []*model.Dependency{ruletest.Ping()},
	}
}

func part(s float64, line int, from string) model.Deadline {
	return model.Deadline{Seconds: s, Known: true, From: from, Span: ruletest.Code(line)}
}

func TestASum(t *testing.T) {
	e := budget(3.5, "constant", "sum", part(1.5, 33, "constant"), part(2, 36, "constant"))
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` can take 3.5s, the readiness probe waits 2s",
		Primary: lint.Label{Span: ruletest.Code(36), Text: "up to 2s"},
		Labels: []lint.Label{
			{Span: ruletest.Code(33), Text: "up to 1.5s", Strong: true},
			{Span: ruletest.Yaml(25), Text: "the kubelet gives up after 2s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes: []string{
			"the kubelet has hung up before the check has its own verdict: the probe fails as a timeout, and what failed is not said",
			"one after the other: 1.5s + 2s = 3.5s",
		},
		Help:     "bound the whole check to 1600ms, or set `timeoutSeconds: 5`",
		Fixes:    []lint.Fix{{Title: "Set `timeoutSeconds` to 5", Edits: []lint.Edit{{Span: ruletest.Yaml(25), Text: "5", Old: "2"}}}},
		Cause:    "main.go:3600-3610 2s",
		Identity: []string{"go", "main.health", "budget"},
	})
}

// A longer wait of the kubelet is no cure where one of the calls goes on behind the deadline that the code states.
func TestNoCureByTheTimeoutAlone(t *testing.T) {
	goesOn := func(e *model.Endpoint) { e.Budget.Upper, e.Budget.Unknown = nil, true }
	own := func(e *model.Endpoint) {
		e.Dependencies = append(e.Dependencies, &model.Dependency{
			Kind: "cache", Name: "Redis", Scope: model.External, Bound: model.BoundClient, Span: ruletest.Code(40),
			Deadline: &model.Deadline{Seconds: 5, Known: true, From: "library"}, Ignored: &model.IgnoredDeadline{},
		})
	}
	for name, edit := range map[string]func(*model.Endpoint){"no end": goesOn, "the client's own limit": own} {
		t.Run(name, func(t *testing.T) {
			e := budget(3, "constant", "single", part(3, 33, "constant"))
			edit(e)
			p := ruletest.Pass(model.Readiness, e)
			f := ruletest.Findings(t, Rule, p)
			if len(f) != 1 || f[0].Help != "bound the whole check to 1600ms" || len(f[0].Fixes) != 0 {
				t.Errorf("got %+v", f)
			}
		})
	}
}

func TestWithoutAManifest(t *testing.T) {
	e := budget(2, "constant", "single", part(2, 33, "constant"))
	ruletest.Want(t, Rule, ruletest.Guessed(model.Readiness, e), lint.Finding{
		Level: lint.Info, Certainty: model.Guessed,
		Title:    "`/healthz` can take 2s, a probe waits 1s by default",
		Primary:  lint.Label{Span: ruletest.Code(33), Text: "up to 2s"},
		Labels:   []lint.Label{{Span: ruletest.Code(10), Text: "served here"}},
		Notes:    []string{"the kubelet has hung up before the check has its own verdict: the probe fails as a timeout, and what failed is not said"},
		Help:     "bound the whole check to 800ms",
		Cause:    "main.go:3300-3310 1s",
		Identity: []string{"go", "main.health", "budget"},
	})
}

func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		e    *model.Endpoint
		edit func(*lint.Pass)
		want []string
	}{
		"no budget":       {e: &model.Endpoint{}},
		"enough":          {e: budget(1.6, "constant", "sum")},
		"tight":           {e: budget(1.7, "constant", "single"), want: []string{"warning proven `/healthz` can take 1.7s of the 2s that the readiness probe waits"}},
		"equal":           {e: budget(2, "constant", "single"), want: []string{"error proven `/healthz` can take 2s, the readiness probe waits 2s"}},
		"from the env":    {e: budget(3, "manifest", "single"), want: []string{"error proven `/healthz` can take 3s, the readiness probe waits 2s"}},
		"default in code": {e: budget(3, "default", "single"), want: []string{"warning likely `/healthz` can take 3s by default, the readiness probe waits 2s"}},
		"default, tight":  {e: budget(1.9, "default", "single"), want: []string{"info likely `/healthz` can take 1.9s by default of the 2s that the readiness probe waits"}},
		"likely link": {
			e:    budget(3, "constant", "single"),
			edit: func(p *lint.Pass) { p.Probe.Certainty = model.Likely },
			want: []string{"warning likely `/healthz` can take 3s, the readiness probe waits 2s"},
		},
		"timeout not readable": {e: budget(9, "constant", "single"), edit: func(p *lint.Pass) { p.Probe.Unknown = []string{"timeoutSeconds"} }},
		"a longer timeout":     {e: budget(3, "constant", "single"), edit: func(p *lint.Pass) { p.Probe.TimeoutSeconds = 5 }},
		"not known": {
			e:    &model.Endpoint{Budget: &model.TimeBudget{Unknown: true, Basis: "single"}, Dependencies: []*model.Dependency{ruletest.Ping()}},
			want: []string{"info likely how long `/healthz` can take is not known; the probe waits 2s"},
		},
		"unbounded, which is another rule": {e: &model.Endpoint{Budget: &model.TimeBudget{Basis: "single"}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := ruletest.Pass(model.Readiness, c.e)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
	t.Run("no place for the longer timeout in the period", func(t *testing.T) {
		p := ruletest.Pass(model.Readiness, budget(9, "constant", "single"))
		for _, f := range ruletest.Findings(t, Rule, p) {
			if len(f.Fixes) > 0 {
				t.Errorf("a fix that makes the timeout longer than the period: %v", f.Fixes)
			}
		}
	})
}

func TestTheClientsOwnLimits(t *testing.T) {
	e := func(bound model.Bound, limits ...float64) *model.Endpoint {
		e := &model.Endpoint{Budget: &model.TimeBudget{Upper: new(float64), From: "constant", Basis: "single"}}
		for i, l := range limits {
			d := ruletest.Ping()
			d.Span = ruletest.Code(40 + i)
			d.Bound, d.Deadline = bound, &model.Deadline{Seconds: l, Known: true, From: "library"}
			e.Dependencies = append(e.Dependencies, d)
			*e.Budget.Upper += l
		}
		return e
	}
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e(model.BoundClient, 1.5, 1)), lint.Finding{
		Level: lint.Warning, Certainty: model.Likely,
		Title:   "`/healthz` can take 2.5s by default, the readiness probe waits 2s",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "up to 1.5s, the library's default"},
		Labels: []lint.Label{
			{Span: ruletest.Code(41), Text: "up to 1s, the library's default", Strong: true},
			{Span: ruletest.Yaml(25), Text: "the kubelet gives up after 2s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the kubelet has hung up before the check has its own verdict: the probe fails as a timeout, and what failed is not said"},
		Help:     "bound the whole check to 1600ms, in the client's own options where it does not honour the context",
		Cause:    "main.go:4000-4010 2s",
		Identity: []string{"go", "main.health", "budget"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, e(model.BoundClient, 1.5)))
	// One alone that is too long, and a request that ends it first: check-without-deadline says both.
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, e(model.BoundClient, 5)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, e(model.BoundRequest, 5)))
}

// The title says what is certain; what clients add by their own limits stands beside it.
func TestUpperBoundIsNamed(t *testing.T) {
	upper := 3.0
	e := &model.Endpoint{Budget: &model.TimeBudget{
		Lower: 2, Upper: &upper, Basis: "single", From: "constant",
		Parts: []model.Deadline{{Seconds: 2, Known: true, From: "constant", Span: ruletest.Code(30)}},
	}}
	p := ruletest.Pass(model.Readiness, e)
	p.Probe.TimeoutSeconds = 1
	got := ruletest.Findings(t, Rule, p)
	want := "2s are certain, with the limits that clients set themselves it is up to 3s"
	if len(got) != 1 || got[0].Notes[len(got[0].Notes)-1] != want {
		t.Errorf("got %+v, want the note %q", got, want)
	}
	upper = 2
	if got := ruletest.Findings(t, Rule, p); len(got) != 1 || len(got[0].Notes) != 1 {
		t.Errorf("got %+v, want one note where nothing is added", got)
	}
}
