package errortextinbody

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestRuleOnTheModel(t *testing.T) {
	leak := func() *model.Endpoint {
		return &model.Endpoint{Answer: model.Answer{ErrorText: true, ErrorTextSpan: ruletest.Code(42)}}
	}
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, leak()), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` answers with the text of an internal error",
		Primary: lint.Label{Span: ruletest.Code(42), Text: "whoever asks reads what the driver says"},
		Labels: []lint.Label{
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
		},
		Notes:    []string{"a driver's error names hosts, ports, users and databases; the kubelet reads the status alone"},
		Help:     "log the error, and answer a fixed word for each part: `database: unavailable`",
		Cause:    "main.go:4200-4210",
		Identity: []string{"go", "main.health", "error text"},
	})
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, leak()), "warning proven `/healthz` answers with the text of an internal error")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, nil))
}
