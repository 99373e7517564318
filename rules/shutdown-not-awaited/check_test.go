package shutdownnotawaited

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

func program(fatal bool) *lint.Pass {
	return &lint.Pass{Program: &model.Program{
		Package:   "example.com/shop/cmd/api",
		Unawaited: &model.UnawaitedShutdown{Serve: ruletest.Code(40), Shutdown: ruletest.Code(35), Fatal: fatal},
	}}
}

func TestRuleOnTheModel(t *testing.T) {
	ruletest.Want(t, Rule, program(false), lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:    "`api` ends while Shutdown is still waiting for requests",
		Primary:  lint.Label{Span: ruletest.Code(40), Text: "returns the moment Shutdown is called, and main ends"},
		Labels:   []lint.Label{{Span: ruletest.Code(35), Text: "waits for requests in flight, in a goroutine", Strong: true}},
		Notes:    []string{"every request that is in flight at SIGTERM is cut, whatever the grace period"},
		Help:     "wait in main until Shutdown has returned: call it there, or receive from a channel that the goroutine closes",
		Cause:    "main.go:4000-4010",
		Identity: []string{"go", "example.com/shop/cmd/api", "shutdown"},
	})
	ruletest.WantLine(t, Rule, program(true), "error proven `api` exits by log.Fatal as soon as Shutdown begins")
	ruletest.WantLine(t, Rule, &lint.Pass{Program: &model.Program{Package: "example.com/shop"}})
}
