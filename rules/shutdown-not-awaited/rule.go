// Package shutdownnotawaited is the rule shutdown-not-awaited.
package shutdownnotawaited

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is shutdown-not-awaited.
var Rule = &lint.Rule{
	Name:  "shutdown-not-awaited",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go},
	Scope: lint.PerProgram,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Program == nil || p.Program.Unawaited == nil {
		return
	}
	u := p.Program.Unawaited
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   lint.Title("%s ends while Shutdown is still waiting for requests", lint.Quote(p.Program.Name())),
		Primary: lint.Label{Span: u.Serve, Text: "returns the moment Shutdown is called, and main ends"},
		Labels:  []lint.Label{{Span: u.Shutdown, Text: "waits for requests in flight, in a goroutine", Strong: true}},
		Notes:   []string{"every request that is in flight at SIGTERM is cut, whatever the grace period"},
		Help:    "wait in main until Shutdown has returned: call it there, or receive from a channel that the goroutine closes",
		Cause:   lint.CauseAt(u.Serve), Identity: []string{"go", p.Program.Package, "shutdown"},
	}
	if u.Fatal {
		f.Title = lint.Title("%s exits by log.Fatal as soon as Shutdown begins", lint.Quote(p.Program.Name()))
		f.Primary.Text = "returns the moment Shutdown is called; log.Fatal exits"
	}
	p.Report(f)
}
