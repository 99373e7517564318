package grpcserviceunregistered

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func grpc(service string, change func(*model.GRPCHealth)) *lint.Pass {
	g := &model.GRPCHealth{Registered: true, Standard: true, Complete: true, Set: []string{"orders"}, Server: ruletest.Code(15)}
	if change != nil {
		change(g)
	}
	p := ruletest.Pass(model.Readiness, &model.Endpoint{GRPC: g})
	p.Probe.Kind, p.Probe.Target = model.GRPC, model.Target{Port: 8080, Service: service}
	f := model.Field{Key: ruletest.Yaml(22), Value: ruletest.Yaml(22)}
	p.Probe.Fields = model.Fields{"grpc.service": f}
	return p
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, grpc("readiness", nil), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "readiness probe of `shop` gets NOT_FOUND: the health server knows no service `readiness`",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "the answer is NOT_FOUND, which is a failure"},
		Labels:  []lint.Label{{Span: ruletest.Code(15), Text: "knows \"\" and `orders`", Strong: true}},
		Notes:   []string{"every attempt fails: the pod never becomes ready"},
		Help:    "set its status: `SetServingStatus(name, SERVING)`, or leave `service` out of the probe",
	})
	ruletest.WantLine(t, Rule, grpc("", nil))
	ruletest.WantLine(t, Rule, grpc("orders", nil))
	ruletest.WantLine(t, Rule, grpc("other", func(g *model.GRPCHealth) { g.Standard = false }))
	ruletest.WantLine(t, Rule, grpc("other", func(g *model.GRPCHealth) { g.Complete = false }),
		"info likely readiness probe of `shop` gets NOT_FOUND: the health server knows no service `other`")
	none := func(kind string, g model.Grade) *lint.Pass {
		p := grpc("", nil)
		p.Endpoint = nil
		p.Probe.Miss = &model.Miss{Kind: model.MissGRPC, Grade: g, Server: &model.Server{Kind: kind, Span: ruletest.Code(15)}}
		return p
	}
	ruletest.WantLine(t, Rule, none("grpc", model.MissProven), "error proven readiness probe of `shop` gets UNIMPLEMENTED: no health service is registered")
	ruletest.WantLine(t, Rule, none("grpc", model.MissPossible), "info likely readiness probe of `shop` gets UNIMPLEMENTED: no health service is registered")
	ruletest.WantLine(t, Rule, none("http", model.MissProven))
	p := grpc("other", nil)
	p.Probe.Certainty = model.Likely
	ruletest.WantLine(t, Rule, p, "info likely readiness probe of `shop` gets NOT_FOUND: the health server knows no service `other`")
}
