package probeschememismatch

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func TestScheme(t *testing.T) {
	p := ruletest.Pass(model.Liveness, nil)
	server := &model.Server{TLS: true, Span: ruletest.Code(50)}
	p.Probe.Miss = &model.Miss{Kind: model.MissScheme, Grade: model.MissProven, Program: &model.Program{Package: "example.com/shop", Dir: "."}, Server: server, Address: ":8080"}
	ruletest.Want(t, Rule, p, lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "liveness probe of `shop` speaks HTTP, and `shop` speaks TLS on `:8080`",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "the probe speaks HTTP"},
		Labels:  []lint.Label{{Span: ruletest.Code(50), Text: "speaks TLS on `:8080`"}},
		Notes:   []string{"Go answers 400 to plain HTTP on a TLS port, which is a failure: the container is restarted 20s to 30s after each start"},
		Help:    "set `scheme: HTTPS`; the kubelet does not verify the certificate",
	})
	server.TLS = false
	ruletest.WantLine(t, Rule, p, "error proven liveness probe of `shop` speaks HTTPS, and `shop` speaks plain HTTP on `:8080`")
	p.Probe.Miss.Grade = model.MissPossible
	ruletest.WantLine(t, Rule, p, "info likely liveness probe of `shop` speaks HTTPS, and `shop` speaks plain HTTP on `:8080`")
}
