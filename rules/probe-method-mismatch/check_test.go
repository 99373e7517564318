package probemethodmismatch

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestMethod(t *testing.T) {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe.Miss = &model.Miss{
		Kind: model.MissMethod, Grade: model.MissProven, Program: &model.Program{Package: "example.com/shop", Dir: "."},
		Route: &model.Route{Method: "POST", Pattern: "/healthz", Span: ruletest.Code(12)},
	}
	ruletest.Want(t, Rule, p, lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "readiness probe of `shop` asks for `/healthz` with `GET`, and it is registered for `POST`",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "the kubelet asks with `GET`, always"},
		Labels:  []lint.Label{{Span: ruletest.Code(12), Text: "registered for `POST` alone"}},
		Notes:   []string{"the answer is 405, which is a failure: no pod of this template ever becomes ready"},
		Help:    "register `/healthz` for `GET`",
	})
	p.Probe.Miss.Grade = model.MissPossible
	ruletest.WantLine(t, Rule, p, "info likely readiness probe of `shop` asks for `/healthz` with `GET`, and it is registered for `POST`")
	p.Probe.Miss = nil
	ruletest.WantLine(t, Rule, p)
}
