package healthcallsitself

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func itself(target string) *lint.Pass {
	d := ruletest.Ping()
	d.Kind, d.Name, d.Call, d.Scope, d.Target, d.Shared = "http", "HTTP service", "net/http.Get", model.Loopback, target, false
	p := ruletest.Pass(model.Liveness, &model.Endpoint{Dependencies: []*model.Dependency{d}})
	p.Program = &model.Program{Servers: []*model.Server{{Address: ":8080"}, {Address: "127.0.0.1:80"}}}
	return p
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, itself("http://localhost:8080/ok"), lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   "`/healthz` dials its own process on port 8080",
		Primary: lint.Label{Span: ruletest.Code(40), Text: "`http://localhost:8080/ok` is this program"},
		Labels: []lint.Label{
			{Span: ruletest.Yaml(22), Text: "liveness asks this every 10s"},
			{Span: ruletest.Code(10), Text: "same path, served here on port 8080"},
		},
		Notes:    []string{"each probe takes two connections and two handlers; under load the inner one waits in the queue that the outer one is meant to measure"},
		Help:     "call what the inner handler checks, or point the probe at that port",
		Cause:    "main.go:4000-4010 itself",
		Identity: []string{"go", "main.health", "net/http.Get", "itself"},
	})
	ruletest.WantLine(t, Rule, itself("127.0.0.1:8080"), "info proven `/healthz` dials its own process on port 8080")
	ruletest.WantLine(t, Rule, itself("http://localhost/x:8080"), "info proven `/healthz` dials its own process on port 80")
	ruletest.WantLine(t, Rule, itself("localhost:9090"))
	ruletest.WantLine(t, Rule, itself(""))
	p := itself("localhost:8080")
	p.Program = nil
	ruletest.WantLine(t, Rule, p)
}
