package unhealthynot503

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func fails(statuses ...int) *model.Endpoint {
	return &model.Endpoint{Answer: model.Answer{Statuses: statuses, FailureSpan: ruletest.Code(42)}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, fails(200, 500)), lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   "`/healthz` says unhealthy with 500 instead of 503",
		Primary: lint.Label{Span: ruletest.Code(42), Text: "answers 500"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the kubelet takes any status from 400 on; load balancers, clients and people read 503 as not now and 500 as broken"},
		Help:     "answer 503 Service Unavailable",
		Cause:    "main.go:4200-4210",
		Identity: []string{"go", "main.health", "status"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, fails(200)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, fails(200, 500, 503)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, fails(200, 405)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, fails(200, 401, 429)))
	e := fails(200, 500)
	e.Wrappers = []model.Wrapper{{Statuses: []int{500}}}
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, e))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, fails(200, 418)), "info proven `/healthz` says unhealthy with 418 instead of 503")
}
