package checkleaksgoroutine

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func leak(kind string) *model.Endpoint {
	return &model.Endpoint{Leaks: []model.Leak{{Kind: kind, Span: ruletest.Code(40), Exit: ruletest.Code(46)}}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, leak("goroutine")), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` leaves a goroutine behind whenever its check times out",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "unbuffered: the send waits for a receiver"},
		Labels: []lint.Label{
			{Span: ruletest.Code(46), Text: "leaves without receiving", Strong: true},
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"after the time-out nobody receives, so the goroutine and what it holds stay for ever: 360 in an hour of outage"},
		Help:     "give the channel room for the result: `make(chan error, 1)`",
		Cause:    "main.go:4000-4010 goroutine",
		Identity: []string{"go", "main.health", "goroutine"},
	})
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, leak("goroutine")), "error proven `/healthz` leaves a goroutine behind whenever its check times out")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, leak("body")))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
}
