// Package execprocessonly is the rule exec-process-only.
package execprocessonly

import (
	_ "embed"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-process-only.
var Rule = &lint.Rule{
	Name:  "exec-process-only",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c := words.Command(p)
	if c == nil || c.NotShell != nil || c.Always != nil || !c.Whole {
		return
	}
	var found *model.ExecProgram
	for i := range c.Programs {
		e := &c.Programs[i]
		if i == 0 && c.Shell != "" || !e.Decides || e.Name == "grep" || e.Name == "wc" || e.Name == "awk" || e.Name == "exit" {
			continue
		}
		switch {
		case e.Kind == "process" && e.Name != "supervisorctl", e.Kind == "file" && inProc(e.Args):
			found = e
		case e.Kind == "constant", (e.Name == "[" || e.Name == "test") && reads(c):
		default:
			return // it asks something else as well
		}
	}
	if found == nil {
		return
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s only asks whether a process exists", words.Subject(p)),
		Primary: words.Argument(p.Probe, found.Argument, lint.Text("%s finds a process that hangs like any other", lint.Quote(found.Name))),
		Help:    "ask the process over its own protocol, or test the age of a file that it touches while it works",
	}
	switch p.Probe.Role {
	case model.Liveness:
		f.Notes = []string{"the container ends by itself when its main process does; a deadlocked one passes this probe"}
	case model.Readiness:
		f.Notes = []string{"the process exists from its first instruction, long before it can serve"}
	}
	p.Report(f)
}

// inProc reports whether a file program looks at a process: test -d /proc/1.
func inProc(args []string) bool {
	for _, a := range args {
		if rest, ok := strings.CutPrefix(a, "/proc/"); ok && rest != "" && (rest[0] >= '0' && rest[0] <= '9' || strings.HasPrefix(rest, "self")) {
			return true
		}
	}
	return false
}

// reads reports whether a test looks at what a search of processes prints.
func reads(c *model.ExecCommand) bool {
	for _, e := range c.Programs {
		if e.Read && e.Kind == "process" {
			return true
		}
	}
	return false
}
