// Package exechidesstatus is the rule exec-hides-status.
package exechidesstatus

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-hides-status.
var Rule = &lint.Rule{
	Name:  "exec-hides-status",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	c := words.Command(p)
	if c == nil || c.NotShell != nil {
		return
	}
	if c.Always != nil {
		hidden(p, c.Always)
		return
	}
	if len(c.Lies) == 0 {
		return
	}
	f := c.Lies[0]
	if f.Kind == model.ExecNoFail {
		p.Report(lint.Finding{
			Level: lint.Warning, Certainty: model.Proven,
			Title:   lint.Title("%s succeeds on any HTTP status: `curl` has no `-f`", words.Subject(p)),
			Primary: words.Argument(p.Probe, f.Argument, "`curl` exits 0 on 404, 500 and 503"),
			Notes:   []string{"only a refused or hanging connection fails it; an instance that answers 503 to everything stays " + healthy(p.Probe.Role)},
			Help:    "`curl -f` exits 22 on a status of 400 or more",
			Fixes:   addFail(p.Probe, f),
		})
		return
	}
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s trusts `%s`, which %s", words.Subject(p), f.Program, f.Text),
		Primary: words.Argument(p.Probe, f.Argument, lint.Text("`%s` %s", f.Program, f.Text)),
		Notes:   notes(f.Program),
		Help:    cure(f.Program),
	})
}

// notes name what a short title leaves out.
func notes(program string) []string {
	switch program {
	case "redis-cli", "valkey-cli", "keydb-cli":
		return []string{"NOAUTH, LOADING, MASTERDOWN and READONLY are error replies: the server answers and serves nobody"}
	case "pg_isready":
		return []string{"a wrong user, database or password changes nothing, and a standby answers like a primary"}
	case "mysqladmin", "mariadb-admin":
		return []string{"`ping` asks whether something answers; a wrong password or a read-only server passes"}
	}
	return nil
}

// hidden reports a command that exits 0 whatever happens.
func hidden(p *lint.Pass, f *model.ExecFault) {
	title, label := "", ""
	subject := words.Subject(p)
	switch f.Kind {
	case model.ExecConstant:
		title = lint.Title("%s runs %s, which always succeeds", subject, lint.Quote(short(f.Text)))
		label = "exits 0 whatever the state of the process"
	case model.ExecSelf:
		title = lint.Title("%s always succeeds: `%s` finds the probe's own shell", subject, f.Program)
		label = "the shell's own command line holds the pattern"
	case model.ExecPipe:
		title = lint.Title("%s always succeeds: the pipe ends in %s", subject, lint.Quote(short(f.Text[len("| "):])))
		label = lint.Text("%s exits 0 whatever it reads", lint.Quote(f.Program))
	case model.ExecBackground:
		title = lint.Title("%s always succeeds: the check runs in the background", subject)
		label = "`&`: the shell does not wait for the outcome"
	default:
		title = lint.Title("%s always succeeds: it ends in %s", subject, lint.Quote(short(f.Text)))
		label = lint.Text("%s replaces the status of the check", lint.Quote(short(f.Text)))
	}
	p.Report(lint.Finding{
		Level: lint.Error, Certainty: model.Proven, Title: title,
		Primary: words.Argument(p.Probe, f.Argument, label),
		Notes:   []string{"only a timeout can fail this probe; the container counts as " + healthy(p.Probe.Role) + " for as long as it exists"},
		Help:    "let the status of the check be the last one of the command",
	})
}

func healthy(r model.Role) string {
	switch r {
	case model.Readiness:
		return "ready"
	case model.Startup:
		return "started"
	}
	return "alive"
}

// short cuts a long script for a title.
func short(s string) string {
	r := []rune(s)
	for i, c := range r {
		if c == '\n' || i == 40 {
			return string(r[:i]) + "…"
		}
	}
	return s
}

func cure(program string) string {
	switch program {
	case "redis-cli", "valkey-cli", "keydb-cli":
		return "`" + program + " -e` exits 1 on an error reply; `ping | grep -q PONG` tests the answer"
	case "mysqladmin", "mariadb-admin":
		return "`" + program + " status` exits 1 where the login fails"
	case "pg_isready":
		return "a query such as `psql -c 'select 1'` tests the login as well"
	case "find":
		return "`find … | grep -q .` tests that something matched"
	case "psql":
		return "`-v ON_ERROR_STOP=1` turns an SQL error into exit 3"
	}
	return "test what the command prints"
}

// addFail puts `-f` behind curl where the text of the manifest is known to hold the command as it stands: a plain or quoted
// word on one line.
func addFail(pr *model.Probe, f model.ExecFault) []lint.Fix {
	fix := func(span model.Span, text, before string) []lint.Fix {
		return []lint.Fix{{Title: "Add `-f` to `curl`", Safe: true, Edits: []lint.Edit{{Span: span, Text: text, Old: before}}}}
	}
	if f.Argument >= len(pr.Target.Command) {
		return nil
	}
	word, at := pr.Target.Command[f.Argument], words.ArgumentSpan(pr, f.Argument)
	if f.End >= 0 {
		start, ok := textStart(at, word)
		if !ok {
			return nil
		}
		return fix(model.Span{File: at.File, Start: start + f.End, End: start + f.End, Line: at.Line}, " -f", word[:f.End])
	}
	next, ok := pr.Fields[fmt.Sprintf("exec.command[%d]", f.Argument+1)]
	if !ok || next.Value.Line != at.Line || f.Program != word {
		return nil
	}
	return fix(model.Span{File: at.File, Start: at.End, End: at.End, Line: at.Line}, ", -f", word)
}

// textStart is the first byte of the text of a scalar; ok is false where the scalar holds escapes or spans lines.
func textStart(at model.Span, text string) (int, bool) {
	switch at.End - at.Start {
	case len(text):
		return at.Start, true
	case len(text) + len(`""`):
		return at.Start + 1, true
	}
	return 0, false
}
