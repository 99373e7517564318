package probepathunregistered

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func pass(role model.Role, m *model.Miss) *lint.Pass {
	p := ruletest.Pass(role, nil)
	m.Program = &model.Program{Package: "example.com/shop/cmd/api", Dir: "cmd/api"}
	if m.Kind != model.MissNoServer {
		m.Server, m.Address = &model.Server{Span: ruletest.Code(50)}, ":8080"
	}
	p.Probe.Miss = m
	return p
}

func TestNoRoute(t *testing.T) {
	near := &model.Route{Pattern: "/health", Span: ruletest.Code(12)}
	ruletest.Want(t, Rule, pass(model.Liveness, &model.Miss{Kind: model.MissPath, Grade: model.MissProven, Near: near}), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "liveness probe of `shop` asks for `/healthz`, which no route of `./cmd/api` serves",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "no route of `./cmd/api` has this path"},
		Labels: []lint.Label{
			{Span: ruletest.Code(50), Text: "listens on `:8080`"},
			{Span: ruletest.Code(12), Text: "the nearest route"},
		},
		Notes: []string{"the answer is 404, which is a failure: the container is restarted 20s to 30s after each start"},
		Help:  "register `/healthz`, or ask for `/health`, which is served",
	})
}

func TestCatchAll(t *testing.T) {
	all := &model.Route{Pattern: "/", Span: ruletest.Code(14)}
	ruletest.Want(t, Rule, pass(model.Readiness, &model.Miss{Kind: model.MissPath, Grade: model.MissProven, CatchAll: all, CatchAllStatus: 200, Near: all}), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   "readiness probe of `shop` asks for `/healthz`, and the catch-all `/` answers",
		Primary: lint.Label{Span: ruletest.Yaml(22), Text: "no route of `./cmd/api` has this path"},
		Labels: []lint.Label{
			{Span: ruletest.Code(50), Text: "listens on `:8080`"},
			{Span: ruletest.Code(14), Text: "answers every path that has no route"},
		},
		Notes: []string{"it answers 200 to any path, so the probe passes whatever the state of the program"},
		Help:  "register `/healthz` on this server, or ask for a path that is served",
	})
}

func TestLevels(t *testing.T) {
	ruletest.WantLine(t, Rule, pass(model.Liveness, &model.Miss{Kind: model.MissPath, Grade: model.MissPossible, Unresolved: "`routes.Load` (generated code)"}),
		"info likely liveness probe of `shop` asks for `/healthz`, which no route of `./cmd/api` serves")
	ruletest.WantLine(t, Rule, pass(model.Startup, &model.Miss{Kind: model.MissNoServer, Grade: model.MissProven}),
		"error proven startup probe of `shop` asks for `/healthz`, and `./cmd/api` opens no server")
	ruletest.WantLine(t, Rule, pass(model.Startup, &model.Miss{Kind: model.MissNoServer, Grade: model.MissPossible}),
		"info likely startup probe of `shop` asks for `/healthz`, and no server of `./cmd/api` was found")
	ruletest.WantLine(t, Rule, pass(model.Liveness, &model.Miss{Kind: model.MissPath, Grade: model.MissProven, CatchAll: &model.Route{Pattern: "/"}, CatchAllStatus: 404}),
		"error proven liveness probe of `shop` asks for `/healthz`, which no route of `./cmd/api` serves")
	ruletest.WantLine(t, Rule, pass(model.Liveness, &model.Miss{Kind: model.MissPort, Grade: model.MissProven}))
	ruletest.WantLine(t, Rule, ruletest.Guessed(model.Liveness, &model.Endpoint{}))
}
