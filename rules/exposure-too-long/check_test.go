package exposuretoolong

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestStoredVerdict(t *testing.T) {
	e := &model.Endpoint{Cache: &model.Cache{Seconds: 60, Known: true, Kind: "background", Span: ruletest.Code(50)}}
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "readiness probe of `shop` notices a hung instance after up to 92s",
		Primary: lint.Label{Span: ruletest.Yaml(26), Text: "3 hangs, 10s apart: out of rotation after 22s to 32s"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(25), Text: "a hung attempt lasts 2s"},
			{Span: ruletest.Yaml(24), Text: "an attempt every 10s"},
			{Span: ruletest.Code(50), Text: "the verdict served here is up to 60s old", Strong: true},
		},
		Notes: []string{
			"the product 3 x 10s is 30s; a hang is noticed after 22s to 32s, an error answer after 20s to 30s; the budget is 45s",
			"the endpoint answers from a verdict that is up to 60s old, which comes on top: 92s",
			"Service `shop` keeps sending for about 2s after the verdict",
		},
		Help: "the stored verdict alone is as old as the budget of 45s allows, or older; shorten its life first",
	})
}

func TestBudgets(t *testing.T) {
	for name, c := range map[string]struct {
		role    model.Role
		profile string
		cache   float64
		edit    func(*model.Probe)
		want    []string
	}{
		"defaults": {role: model.Readiness},
		"defaults, strict": {role: model.Readiness, profile: "strict", want: []string{
			"warning proven readiness probe of `shop` notices a hung instance after up to 32s",
		}},
		"target of the strict profile": {role: model.Readiness, profile: "strict", edit: func(p *model.Probe) { p.PeriodSeconds, p.FailureThreshold = 5, 2 }},
		"exactly the budget":           {role: model.Readiness, cache: 13},
		"a second over":                {role: model.Readiness, cache: 14, want: []string{"warning proven readiness probe of `shop` notices a hung instance after up to 46s"}},
		"liveness":                     {role: model.Liveness, edit: func(p *model.Probe) { p.FailureThreshold = 12 }, want: []string{"info proven liveness probe of `shop` notices a hung container after up to 122s"}},
		"liveness below":               {role: model.Liveness, edit: func(p *model.Probe) { p.FailureThreshold = 11 }},
		"startup":                      {role: model.Startup, edit: func(p *model.Probe) { p.FailureThreshold = 100 }},
		"not readable":                 {role: model.Readiness, edit: func(p *model.Probe) { p.FailureThreshold, p.Unknown = 100, []string{"timeoutSeconds"} }},
		"likely link":                  {role: model.Readiness, cache: 60, edit: func(p *model.Probe) { p.Certainty = model.Likely }, want: []string{"warning likely readiness probe of `shop` notices a hung instance after up to 92s"}},
		"the product is over, too": {role: model.Readiness, edit: func(p *model.Probe) { p.PeriodSeconds, p.TimeoutSeconds, p.FailureThreshold = 1, 15, 60 }, want: []string{
			"warning proven readiness probe of `shop` notices a hung instance after up to 901s",
		}},
		"timeout-exceeds-period explains it": {role: model.Readiness, edit: func(p *model.Probe) { p.PeriodSeconds, p.TimeoutSeconds = 1, 20 }},
	} {
		t.Run(name, func(t *testing.T) {
			e := &model.Endpoint{}
			if c.cache > 0 {
				e.Cache = &model.Cache{Seconds: c.cache, Known: true}
			}
			p := ruletest.Pass(c.role, e)
			p.Settings = lint.DefaultSettings(c.profile)
			if c.edit != nil {
				c.edit(p.Probe)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}

func TestOutOfReach(t *testing.T) {
	for name, c := range map[string]struct {
		cache, budget float64
		want          string
	}{
		"no stored verdict": {0, 1, "no probe of two failures keeps the budget of 1s: `periodSeconds: 2`, `timeoutSeconds: 1`, `failureThreshold: 2` notice a hang within 5s"},
		"a young one": {
			8, 10,
			"a stored verdict of up to 8s leaves no room in the budget of 10s: `periodSeconds: 2`, `timeoutSeconds: 1`, `failureThreshold: 2` take 13s with it; shorten its life first",
		},
		"as old as the budget": {10, 10, "the stored verdict alone is as old as the budget of 10s allows, or older; shorten its life first"},
	} {
		t.Run(name, func(t *testing.T) {
			e := &model.Endpoint{}
			if c.cache > 0 {
				e.Cache = &model.Cache{Seconds: c.cache, Known: true}
			}
			p := ruletest.Pass(model.Readiness, e)
			p.Settings.ReadinessExposure = c.budget
			got := ruletest.Findings(t, Rule, p)
			if len(got) != 1 || got[0].Help != c.want {
				t.Errorf("got %+v, want the help %q", got, c.want)
			}
		})
	}
}
