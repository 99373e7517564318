package healthchain

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func chain(change func(*model.Dependency)) *model.Endpoint {
	d := ruletest.Ping()
	d.Kind, d.Name, d.Call, d.Operation, d.Target, d.Loop = "http", "HTTP service", "(*net/http.Client).Get", "get", "http://catalog/health", 2
	if change != nil {
		change(d)
	}
	return &model.Endpoint{Dependencies: []*model.Dependency{d}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, ruletest.Pass(model.Readiness, chain(nil)), lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:   "`/healthz` asks `catalog` for its health",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "asks 2 services, `http://catalog/health` first"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "readiness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"an outage travels up the graph: each service answers for all below it, and two that ask each other never become ready"},
		Help:     "let each service answer for itself, and handle the failure where its answer is needed",
		Cause:    "main.go:4000-4010 chain",
		Identity: []string{"go", "main.health", "(*net/http.Client).Get", "chain"},
	})
}

func TestTargets(t *testing.T) {
	for target, want := range map[string]bool{
		"http://a/health": true, "http://a/healthz?full=1": true, "https://a:8443/-/ready": true, "http://a/actuator/health": true,
		"http://a/health/live": true, "http://a/api/ping": true,
		"": false, "http://a/": false, "http://a/v2/": false, "http://healthy/": false, "http://a/readyz/items": false, "http://a/pinged": false,
	} {
		d := &model.Dependency{Kind: "http", Target: target}
		if got := asksHealth(d); got != want {
			t.Errorf("asksHealth(%q) = %v", target, got)
		}
	}
	if !asksHealth(&model.Dependency{Kind: "grpc", Call: "(google.golang.org/grpc/health/grpc_health_v1.HealthClient).Check"}) {
		t.Error("a gRPC health client is not seen")
	}
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, chain(func(d *model.Dependency) { d.Gates = false })), "info proven `/healthz` asks `catalog` for its health")
	ruletest.WantLine(t, Rule, ruletest.Pass(model.Readiness, chain(func(d *model.Dependency) { d.Scope = model.Loopback })))
}
