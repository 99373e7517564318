package checkcannotfail

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func hollow(h model.HollowCheck, statuses ...int) *model.Endpoint {
	h.Span = ruletest.Code(40)
	return &model.Endpoint{Hollow: []model.HollowCheck{h, h}, Answer: model.Answer{Statuses: statuses}}
}

var raw = model.HollowCheck{Why: model.HollowNeverExecutes, Call: "(*gorm.io/gorm.DB).Raw", Name: "PostgreSQL"}

func TestNeverExecutes(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, hollow(raw, 200, 503)), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "the check of PostgreSQL behind `/healthz` cannot fail",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "`DB.Raw` only builds the statement"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"nothing is sent, so there is no error to find: the answer is a success while the server is down"},
		Help:     "run it: scan its result, or execute it",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "main.health", "(*gorm.io/gorm.DB).Raw"},
	})
}

func TestWhen(t *testing.T) {
	udp := model.HollowCheck{Why: model.HollowConnectionless, Call: "net.Dial"}
	dropped := model.HollowCheck{Why: model.HollowErrorDropped, Call: "main.check"}
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, hollow(udp, 200)), "error proven the check of `net.Dial` behind `/healthz` cannot fail")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, hollow(dropped, 200)), "error proven the check of `main.check` behind `/healthz` cannot fail")
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, hollow(dropped, 200)), "error proven the check of `main.check` behind `/healthz` cannot fail")
	// Not meant to decide: on liveness, and beside what does.
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, hollow(dropped, 200)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, hollow(dropped, 200, 503)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
}
