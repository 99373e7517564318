package readybeforewarm

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func warmup() *model.Warmup {
	return &model.Warmup{What: "load()", Span: ruletest.Code(24), Listener: ruletest.Code(22)}
}

func TestHTTP(t *testing.T) {
	e := func() *model.Endpoint { return &model.Endpoint{Unchecked: &model.Unchecked{Warmup: warmup()}} }
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, e()), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "readiness probe of `shop` succeeds before load() has ended",
		Primary: lint.Label{Span: ruletest.Code(24), Text: "load() runs while the port is open"},
		Labels: []lint.Label{
			{Span: ruletest.Code(22), Text: "from here on connections are accepted", Strong: true},
			{Span: ruletest.Yaml(22), Text: "asked by the readiness probe"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"the pod gets its share of the traffic before it can answer it, at every start and every rollout"},
		Help:     "set a flag when the work has ended, and answer 503 until then",
		Cause:    "main.go:2400-2410 httpGet",
		Identity: []string{"go", "main.health", "warm"},
	})
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Liveness, e()))
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, &model.Endpoint{}))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Readiness, e()), "info guessed `/healthz` succeeds before load() has ended")
}

func TestTCP(t *testing.T) {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe.Kind = model.TCPSocket
	ruletest.WantLine(t, Rule, p)
	p.Program = &model.Program{Warmup: warmup()}
	ruletest.WantLine(t, Rule, p, "warning proven readiness probe of `shop` succeeds before load() has ended")
	p.Probe.Certainty = model.Likely
	ruletest.WantLine(t, Rule, p, "warning likely readiness probe of `shop` succeeds before load() has ended")
}

func TestModes(t *testing.T) {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe.Kind = model.TCPSocket
	warms, serves := &model.Server{Address: ":9090"}, &model.Server{Address: ":8080", Apart: true}
	p.Program = &model.Program{Warmup: warmup(), Servers: []*model.Server{warms, serves}}
	p.Probe.Target.Port = 8080
	ruletest.WantLine(t, Rule, p)
	p.Probe.Target.Port = 9090
	ruletest.WantLine(t, Rule, p, "warning proven readiness probe of `shop` succeeds before load() has ended")
	p.Probe.Target.Port = 7070
	ruletest.WantLine(t, Rule, p)
}
