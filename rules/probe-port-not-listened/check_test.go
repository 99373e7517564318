package probeportnotlistened

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func pass(m model.Miss) *lint.Pass {
	p := ruletest.Pass(model.Liveness, nil)
	m.Program = &model.Program{Package: "example.com/shop", Dir: "."}
	m.Server, m.AddressSpan = &model.Server{Span: ruletest.Code(50)}, ruletest.Yaml(9)
	p.Probe.Miss = &m
	return p
}

func TestPort(t *testing.T) {
	ruletest.Want(t, Rule, pass(model.Miss{Kind: model.MissPort, Grade: model.MissProven, Address: ":9000", AddressFrom: "manifest"}), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "liveness probe of `shop` asks port 8080, and `shop` listens on `:9000`",
		Primary: lint.Label{Span: ruletest.Yaml(21), Text: "nothing of `shop` listens here"},
		Labels: []lint.Label{
			{Span: ruletest.Code(50), Text: "listens on `:9000`"},
			{Span: ruletest.Yaml(9), Text: "the address, by the manifest"},
		},
		Notes: []string{"each attempt is refused, which is a failure: the container is restarted 20s to 30s after each start"},
		Help:  "probe the port that the program listens on, or set the program's address to this port",
	})
}

func TestLevels(t *testing.T) {
	ruletest.WantLine(t, Rule, pass(model.Miss{Kind: model.MissPort, Grade: model.MissProven, Address: ":9000", Assumed: true}),
		"warning likely liveness probe of `shop` asks port 8080, and `shop` listens on `:9000`")
	ruletest.WantLine(t, Rule, pass(model.Miss{Kind: model.MissPort, Grade: model.MissPossible, Address: ":9000", Assumed: true}),
		"info likely liveness probe of `shop` asks port 8080, and `shop` listens on `:9000`")
	ruletest.WantLine(t, Rule, pass(model.Miss{Kind: model.MissLoopback, Grade: model.MissProven, Address: "127.0.0.1:8080"}),
		"error proven liveness probe of `shop` asks port 8080, and `shop` listens on `127.0.0.1:8080`")
	ruletest.WantLine(t, Rule, pass(model.Miss{Kind: model.MissPath, Grade: model.MissProven}))
}
