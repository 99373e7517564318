package statusafterbody

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func late(l model.LateStatus) *model.Endpoint {
	l.First, l.Late = ruletest.Code(33), ruletest.Code(36)
	return &model.Endpoint{Answer: model.Answer{LateStatus: &l}}
}

func TestTooLate(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, late(model.LateStatus{FirstStatus: 200, Status: 503})), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` sets 503 after the answer has begun: the kubelet sees 200",
		Primary: lint.Label{Span: ruletest.Code(36), Text: "too late: net/http drops this status"},
		Labels: []lint.Label{
			{Span: ruletest.Code(33), Text: "the first write sends 200", Strong: true},
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the failure is in the body, which the kubelet does not read"},
		Help:     "run the checks first, then write the status, then the body",
		Cause:    "main.go:3600-3610",
		Identity: []string{"go", "main.health", "late status"},
	})
}

func TestMissingReturn(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Guessed(model.Liveness, late(model.LateStatus{FirstStatus: 503, Status: 200, MissingReturn: true})), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` goes on after it has answered 503",
		Primary: lint.Label{Span: ruletest.Code(33), Text: "the branch does not return"},
		Labels: []lint.Label{
			{Span: ruletest.Code(36), Text: "written behind the error", Strong: true},
			{Span: ruletest.Code(10), Text: "served here"},
		},
		Notes:    []string{"the status stays 503, the body says both, and every further check runs"},
		Help:     "return after the error answer",
		Cause:    "main.go:3600-3610",
		Identity: []string{"go", "main.health", "late status"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, &model.Endpoint{}))
}
