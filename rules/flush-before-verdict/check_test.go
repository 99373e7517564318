package flushbeforeverdict

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestRuleOnTheModel(t *testing.T) {
	e := &model.Endpoint{Answer: model.Answer{EarlyFlush: &model.EarlyFlush{Flush: ruletest.Code(32), Check: ruletest.Code(33), Name: "PostgreSQL"}}}
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, e), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` sends its status before it has checked PostgreSQL",
		Primary: lint.Label{Span: ruletest.Code(32), Text: "status and headers leave here"},
		Labels: []lint.Label{
			{Span: ruletest.Code(33), Text: "waits for PostgreSQL when the verdict is out", Strong: true},
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"a body that stalls or breaks off is an errored attempt: the kubelet tries three times and counts none, so this probe cannot fail"},
		Help:     "finish every check before the first write",
		Cause:    "main.go:3200-3210",
		Identity: []string{"go", "main.health", "flush"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, &model.Endpoint{}))
}
