package checkleaksbody

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func leak(kind string) *model.Endpoint {
	return &model.Endpoint{Leaks: []model.Leak{{Kind: kind, Call: "net/http.Get", Span: ruletest.Code(40), Exit: ruletest.Code(43)}}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, leak("body")), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` leaves the response body of `http.Get` open",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "this response has a body that nobody closes"},
		Labels: []lint.Label{
			{Span: ruletest.Code(43), Text: "leaves without it"},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"its connection is never used again and never closed: 360 sockets an hour in each pod"},
		Help:     "close it when the error is nil: `defer resp.Body.Close()`",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "net/http.Get"},
	})
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, leak("body")), "warning proven `/healthz` leaves the response body of `http.Get` open")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, leak("goroutine")))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
}
