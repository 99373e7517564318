package shutdownbudgetexceeded

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func seconds(s float64) *float64 { return &s }

func pass(hook *model.PreStop, s *model.Shutdown) *lint.Pass {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe = nil
	p.Container.PreStop = hook
	if s != nil {
		s.Span = ruletest.Code(60)
		p.Program = &model.Program{Shutdown: s}
	}
	return p
}

func sleep(s float64) *model.PreStop {
	return &model.PreStop{Kind: "sleep", Seconds: &s, Span: ruletest.Yaml(30)}
}

func TestBothSides(t *testing.T) {
	ruletest.Want(t, Rule, pass(sleep(10), &model.Shutdown{Wait: seconds(5), Timeout: seconds(20)}), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "the shutdown of `shop` takes up to 35s of a grace period of 30s",
		Primary: lint.Label{Span: ruletest.Yaml(30), Text: "takes 10s before SIGTERM"},
		Labels:  []lint.Label{{Span: ruletest.Code(60), Text: "waits 5s, then shuts down for up to 20s", Strong: true}},
		Notes: []string{
			"preStop 10s + wait 5s + shutdown 20s + 2s margin is 37s: SIGKILL cuts the requests that are left",
			"`terminationGracePeriodSeconds` is not written: 30s is the default",
		},
		Help: "`terminationGracePeriodSeconds: 37`, or a shorter part of the sum",
	})
}

func TestLevels(t *testing.T) {
	for name, c := range map[string]struct {
		hook *model.PreStop
		s    *model.Shutdown
		edit func(*lint.Pass)
		want []string
	}{
		"hook alone":    {hook: sleep(30), want: []string{"error proven the preStop hook of `shop` takes 30s of a grace period of 30s"}},
		"hook almost":   {hook: sleep(29)},
		"exactly":       {hook: sleep(5), s: &model.Shutdown{Wait: seconds(3), Timeout: seconds(20)}},
		"a second over": {hook: sleep(6), s: &model.Shutdown{Wait: seconds(3), Timeout: seconds(20)}, want: []string{"error proven the shutdown of `shop` needs 31s, a margin of 2s included, of a grace period of 30s"}},
		"timeout alone": {s: &model.Shutdown{Timeout: seconds(30)}, want: []string{"error proven the shutdown of `shop` needs 32s, a margin of 2s included, of a grace period of 30s"}},
		"likely program": {
			s: &model.Shutdown{Timeout: seconds(30)}, edit: func(p *lint.Pass) { p.ProgramCertainty = model.Likely },
			want: []string{"warning likely the shutdown of `shop` needs 32s, a margin of 2s included, of a grace period of 30s"},
		},
		"nothing known":    {hook: sleep(29), s: &model.Shutdown{}},
		"unknown length":   {hook: &model.PreStop{Kind: "exec"}},
		"no hook, no code": {},
		"refused by the server": {hook: sleep(60), edit: func(p *lint.Pass) {
			p.Container.Invalid = []model.Invalid{{Path: "lifecycle.preStop.sleep.seconds", Rejected: true}}
		}},
		"init container": {hook: sleep(60), edit: func(p *lint.Pass) { p.Container.Kind = model.Init }},
	} {
		t.Run(name, func(t *testing.T) {
			p := pass(c.hook, c.s)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}
