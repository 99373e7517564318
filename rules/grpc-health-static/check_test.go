package grpchealthstatic

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func health(change func(*model.GRPCHealth)) *model.Endpoint {
	g := &model.GRPCHealth{Registered: true, Standard: true, Complete: true, Server: ruletest.Code(15)}
	if change != nil {
		change(g)
	}
	return &model.Endpoint{GRPC: g}
}

func grpc(role model.Role, e *model.Endpoint) *lint.Pass {
	p := ruletest.Pass(role, e)
	p.Probe.Kind, p.Probe.Target = model.GRPC, model.Target{Port: 8080}
	f := model.Field{Key: ruletest.Yaml(21), Value: ruletest.Yaml(22)}
	p.Probe.Fields = model.Fields{"grpc": f, "grpc.port": f}
	return p
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, grpc(model.Readiness, health(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "gRPC health of `shop` is SERVING from the open port to the exit",
		Primary: lint.Label{Span: ruletest.Code(15), Text: "no status is ever set on this server"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(21), Text: "asked by the readiness probe"},
			{Span: ruletest.Code(10), Text: "answered here on port 8080"},
		},
		Notes:    []string{"`health.NewServer` answers SERVING for \"\" from birth: not ready is never said, neither while it loads nor while it drains"},
		Help:     "call `SetServingStatus` with NOT_SERVING until it can serve, and `Shutdown` before GracefulStop",
		Cause:    "main.go:1500-1510",
		Identity: []string{"go", "main.health", "grpc health"},
	})
	ruletest.WantLine(t, Rule, grpc(model.Liveness, health(nil)), "info proven gRPC health of `shop` is SERVING from the open port to the exit")
	ruletest.WantLine(t, Rule, grpc(model.Readiness, health(func(g *model.GRPCHealth) { g.Turns = true })))
	ruletest.WantLine(t, Rule, grpc(model.Readiness, health(func(g *model.GRPCHealth) { g.Standard = false })))
	ruletest.WantLine(t, Rule, grpc(model.Readiness, health(func(g *model.GRPCHealth) { g.Registered = false })))
	e := health(nil)
	e.Unfollowed = []model.Unfollowed{{Call: "example.com/lib.Serve", Why: "its module is missing"}}
	ruletest.WantLine(t, Rule, grpc(model.Readiness, e), "info likely gRPC health of `shop` is SERVING from the open port to the exit")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, health(nil)))
}
