package healthbehindmiddleware

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func behind(statuses ...int) *model.Endpoint {
	return &model.Endpoint{Wrappers: []model.Wrapper{{Symbol: "main.auth", File: "main.go", Statuses: statuses, Always: true, Span: ruletest.Code(15)}}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Liveness, behind(401)), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "`/healthz` answers 401 to a probe: `main.auth` stands in front",
		Primary: lint.Label{Span: ruletest.Code(15), Text: "answers 401 itself, before the handler"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "asked by the liveness probe"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the kubelet sends no credentials: the container is restarted for ever"},
		Help:     "register the health paths outside of `main.auth`, or let them through by their path",
		Cause:    "main.go:1500-1510",
		Identity: []string{"go", "main.auth", "401"},
	})
}

func TestWhen(t *testing.T) {
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, behind()))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, behind(500, 503)))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, behind(429)), "warning proven `/healthz` can answer 429 to a probe: `main.auth` stands in front")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, behind(403, 429)), "error proven `/healthz` answers 403 to a probe: `main.auth` stands in front")
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, behind(401)), "warning guessed `/healthz` answers 401 to a probe: `main.auth` stands in front")
	sometimes := behind(401)
	sometimes.Wrappers[0].Always = false
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, sometimes), "warning proven `/healthz` answers 401 to a probe: `main.auth` stands in front")
	p := ruletest.Pass(model.Readiness, behind(401))
	p.Probe.Certainty = model.Likely
	ruletest.WantLine(t, Rule, p, "warning likely `/healthz` answers 401 to a probe: `main.auth` stands in front")
}
