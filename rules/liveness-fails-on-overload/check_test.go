package livenessfailsonoverload

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func load(change func(*model.State)) *model.Endpoint {
	s := model.State{Name: "inflight", Kind: "local", Gates: true, Load: true, Span: ruletest.Code(40)}
	if change != nil {
		change(&s)
	}
	return &model.Endpoint{State: []model.State{s}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, load(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "liveness probe of `shop` fails under load through `inflight`",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "measures load, and turns the status"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Yaml(26), Text: "3 failures, 10s apart: restarted 20s to 32s into an outage"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"a restart at the peak drops what is in flight and hands its share to the others, which then fail as well"},
		Help:     "shed load in readiness, or answer 503 to requests; liveness tells a stuck process from a busy one",
		Cause:    "main.go:4000-4010 load",
		Identity: []string{"go", "main.health", "inflight"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, load(nil)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, load(func(s *model.State) { s.Load = false })))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, load(func(s *model.State) { s.Gates = false })))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, load(nil)), "info guessed `/healthz` fails under load through `inflight`")
}
