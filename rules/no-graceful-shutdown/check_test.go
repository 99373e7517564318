package nogracefulshutdown

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func program(change func(*lint.Pass)) *lint.Pass {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe = nil
	p.Workload.Services[0].Span = ruletest.Yaml(50)
	p.Workload.Services[0].Ports = []model.ServicePort{{Port: 80, TargetPort: 8080}}
	p.Program = &model.Program{
		Package: "example.com/shop/v2", Complete: true, Servers: []*model.Server{{Kind: "http", Address: ":8080", Span: ruletest.Code(40)}},
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, program(nil), lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:    "`shop` cuts the requests in flight at SIGTERM",
		Primary:  lint.Label{Span: ruletest.Code(40), Text: "no Shutdown is called on this server"},
		Labels:   []lint.Label{{Span: ruletest.Yaml(50), Text: "Service `shop` sends it requests"}},
		Notes:    []string{"a preStop hook keeps new requests away; those that are running when SIGTERM comes break off"},
		Help:     "on SIGTERM call `Shutdown` with a deadline below the grace period, and wait for it",
		Cause:    "main.go:4000-4010 graceful",
		Identity: []string{"go", "example.com/shop/v2", "graceful"},
	})
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Program.Shutdown = &model.Shutdown{} }), "info proven `shop` cuts the requests in flight at SIGTERM")
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Program.Shutdown = &model.Shutdown{Graceful: true} }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Program.Complete = false }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Workload.Services = nil }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Workload.Kind = "Job" }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Program.Servers = nil }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Workload.Services[0].Ports[0].TargetPort = 9090 }))
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Workload.Services[0].Ports[0].TargetPort = 0 }), "info proven `shop` cuts the requests in flight at SIGTERM")
	ruletest.WantLine(t, Rule, program(func(p *lint.Pass) { p.Workload = nil }))
}
