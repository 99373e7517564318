package livenessmirrorsdependency

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func mirror(change func(*model.State)) *model.Endpoint {
	s := model.State{Name: "nc.IsConnected", Kind: "mirrored", Gates: true, Dependency: "NATS", Span: ruletest.Code(40), SetSpan: ruletest.Code(20)}
	if change != nil {
		change(&s)
	}
	return &model.Endpoint{State: []model.State{s}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, mirror(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "liveness probe of `shop` follows NATS through `nc.IsConnected`",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "flips when NATS is away"},
		Labels: []lint.Label{
			{Span: ruletest.Code(20), Text: "set here from what NATS answers", Strong: true},
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Yaml(26), Text: "3 failures, 10s apart: restarted 20s to 32s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"no call is made here, and yet an outage of NATS restarts the container"},
		Help:     "leave it to readiness, and let liveness test that the loop itself still runs: the age of its last turn",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "nc.IsConnected"},
	})
}

func TestWhen(t *testing.T) {
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, mirror(nil)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, mirror(func(s *model.State) { s.Gates = false })))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, mirror(func(s *model.State) { s.Kind = "local" })))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, mirror(nil)), "info guessed `/healthz` follows NATS through `nc.IsConnected`")
	p := ruletest.Pass(model.Liveness, mirror(func(s *model.State) { s.Dependency = "" }))
	p.Probe.Certainty = model.Likely
	ruletest.WantLine(t, Rule, p, "warning likely liveness probe of `shop` follows a dependency through `nc.IsConnected`")
}
