package nodraindelay

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func seconds(s float64) *float64 { return &s }

// pass is a pass over a container whose port a Service selects.
func pass(hook *model.PreStop, prog *model.Program) *lint.Pass {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe = nil
	p.Container.PreStop = hook
	p.Workload.Services[0].Ports = []model.ServicePort{{Port: 80, TargetPort: 8080}}
	p.Workload.Services[0].Span = ruletest.At("service.yaml", 4)
	p.Program = prog
	return p
}

func TestBothSides(t *testing.T) {
	prog := &model.Program{Shutdown: &model.Shutdown{Wait: seconds(0), Span: ruletest.Code(60)}}
	hook := &model.PreStop{Kind: "sleep", Seconds: seconds(1), Span: ruletest.Yaml(30)}
	ruletest.Want(t, Rule, pass(hook, prog), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`shop` refuses connections for up to 1s at each rollout",
		Primary: lint.Label{Span: ruletest.Code(60), Text: "closes the listener at once after SIGTERM"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(30), Text: "SIGTERM comes 1s after the deletion"},
			{Span: ruletest.At("service.yaml", 4), Text: "sends requests to these pods"},
		},
		Notes: []string{"Service `shop` sends new connections for about 2s after the deletion; this container takes them for 1s"},
		Help:  "`lifecycle.preStop.sleep.seconds: 2` keeps the listener open as long as it is sent to",
	})
}

func TestLevels(t *testing.T) {
	shutdown := func(wait *float64) *model.Program {
		return &model.Program{Shutdown: &model.Shutdown{Wait: wait, Span: ruletest.Code(60)}}
	}
	atMost := func(s float64) *model.Program {
		return &model.Program{Shutdown: &model.Shutdown{WaitMost: &s, Span: ruletest.Code(60)}}
	}
	sleep := func(s float64) *model.PreStop {
		return &model.PreStop{Kind: "sleep", Seconds: &s, Span: ruletest.Yaml(30)}
	}
	for name, c := range map[string]struct {
		hook *model.PreStop
		prog *model.Program
		edit func(*lint.Pass)
		want []string
	}{
		"manifest alone":         {want: []string{"info proven `shop` refuses connections for up to 2s at each rollout, unless its code waits"}},
		"hook long enough":       {hook: sleep(2)},
		"hook of unknown length": {hook: &model.PreStop{Kind: "exec"}},
		"wait long enough":       {prog: shutdown(seconds(2))},
		"both together":          {hook: sleep(1), prog: shutdown(seconds(1))},
		"wait too short":         {prog: shutdown(seconds(0.5)), want: []string{"warning proven `shop` refuses connections for up to 1.5s at each rollout"}},
		"wait unknown":           {prog: shutdown(nil), want: []string{"info proven `shop` refuses connections for up to 2s at each rollout, unless its code waits"}},
		"a setting decides":      {prog: atMost(2)},
		"a setting, too short":   {prog: atMost(0.5), want: []string{"info proven `shop` refuses connections for up to 1.5s at each rollout, unless its code waits longer"}},
		"no shutdown seen":       {prog: &model.Program{Complete: true}, want: []string{"info proven `shop` refuses connections for up to 2s at each rollout, unless its code waits"}},
		"likely program": {
			prog: shutdown(seconds(0)), edit: func(p *lint.Pass) { p.ProgramCertainty = model.Likely },
			want: []string{"warning likely `shop` refuses connections for up to 2s at each rollout"},
		},
		"load balancer": {
			hook: sleep(2), edit: func(p *lint.Pass) { p.Workload.Services[0].Type = "LoadBalancer" },
			want: []string{"info proven `shop` refuses connections for up to 3s at each rollout, unless its code waits"},
		},
		"no Service": {edit: func(p *lint.Pass) { p.Workload.Services = nil }},
		"a Job":      {edit: func(p *lint.Pass) { p.Workload.Kind = "Job" }},
	} {
		t.Run(name, func(t *testing.T) {
			p := pass(c.hook, c.prog)
			if c.edit != nil {
				c.edit(p)
			}
			ruletest.WantLine(t, Rule, p, c.want...)
		})
	}
}
