// Package execnotashell is the rule exec-not-a-shell.
package execnotashell

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-not-a-shell.
var Rule = &lint.Rule{
	Name:  "exec-not-a-shell",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
	Silences: []string{
		"exec-hides-status", "exec-outlives-timeout", "exec-probe-cost", "exec-process-only", "exec-could-be-httpget", "exec-binary-missing",
	},
}

func check(p *lint.Pass) {
	c := words.Command(p)
	if c == nil || c.NotShell == nil {
		return
	}
	n := c.NotShell
	f := lint.Finding{Level: lint.Error, Certainty: model.Proven, Help: "a script runs behind a shell: `[sh, -c, \"…\"]`"}
	switch n.Kind {
	case model.ExecOneWord:
		f.Title = lint.Title("%s starts a program named %s", words.Subject(p), lint.Quote(name(n.Text)))
		f.Primary = words.Argument(p.Probe, n.Argument, "one word is the name of one program, spaces included")
		f.Notes = []string{"no such file exists, so " + discarded(p.Probe.Role)}
	case model.ExecNoScript:
		f.Title = lint.Title("%s names a script file %s", words.Subject(p), lint.Quote(name(n.Text)))
		f.Primary = words.Argument(p.Probe, n.Argument, "without `-c` this is the name of a file")
		f.Notes = []string{"the shell finds no such file and exits with an error, so every attempt fails"}
	default:
		f.Title = lint.Title("%s passes `%s` to %s as an argument", words.Subject(p), n.Text, lint.Quote(n.Program))
		f.Primary = words.Argument(p.Probe, n.Argument, lint.Text("an argument of %s: no shell reads it", lint.Quote(n.Program)))
		f.Notes = []string{"the kubelet starts the first word with all others as its arguments, and what stands behind `" + n.Text + "` never runs"}
	}
	p.Report(f)
}

func name(s string) string {
	r := []rune(s)
	for i, c := range r {
		if c == '\n' || i == 36 {
			return string(r[:i]) + "…"
		}
	}
	return s
}

// discarded is what becomes of a probe whose command cannot be started: the attempt is an error, not a failure.
func discarded(r model.Role) string {
	switch r {
	case model.Readiness:
		return "every attempt errors and is discarded: the container never becomes ready"
	case model.Startup:
		return "every attempt errors and is discarded: the container never counts as started, and is never restarted"
	}
	return "every attempt errors and is discarded: the liveness probe never restarts anything"
}
