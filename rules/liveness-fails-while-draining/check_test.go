package livenessfailswhiledraining

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func drain(change func(*model.State)) *model.Endpoint {
	s := model.State{Name: "draining", Kind: "local", Gates: true, Draining: true, Span: ruletest.Code(40), SetSpan: ruletest.Code(60)}
	if change != nil {
		change(&s)
	}
	return &model.Endpoint{State: []model.State{s}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, drain(nil)), lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   "liveness probe of `shop` fails while the process drains, through `draining`",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "set on the way out, and turns the status"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Code(60), Text: "set here"},
		},
		Notes:    []string{"the kubelet stops asking liveness when a pod is deleted; other checkers read a drain as a crash and replace the instance"},
		Help:     "let readiness alone say that this instance is leaving",
		Cause:    "main.go:4000-4010 draining",
		Identity: []string{"go", "main.health", "draining"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, drain(nil)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, drain(func(s *model.State) { s.Draining = false })))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, drain(func(s *model.State) { s.Gates = false })))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, drain(nil)), "info guessed `/healthz` fails while the process drains, through `draining`")
}
