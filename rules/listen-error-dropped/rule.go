// Package listenerrordropped is the rule listen-error-dropped.
package listenerrordropped

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is listen-error-dropped.
var Rule = &lint.Rule{
	Name:  "listen-error-dropped",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link},
	Scope: lint.PerProgram,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Program == nil || p.Container == nil || p.Workload == nil {
		return
	}
	seen := map[*model.Server]bool{}
	for _, pr := range p.Container.Probes {
		if pr.Target.Port == 0 || pr.Kind == model.Exec {
			continue
		}
		report(p, seen, words.ServerAt(p.Program, pr.Target.Port), words.ProbeTarget(pr), string(pr.Role)+" probe asks this server")
	}
	if s, svc := words.Traffic(p.Program, p.Workload); s != nil {
		report(p, seen, s, svc.Span, "sends requests to this server")
	}
}

func report(p *lint.Pass, seen map[*model.Server]bool, s *model.Server, by model.Span, text string) {
	if s == nil || s.Outcome != model.OutcomeDropped || seen[s] || s.Span.IsZero() {
		return
	}
	seen[s] = true
	certainty := lint.Weaker(p.ProgramCertainty)
	f := lint.Finding{
		Level: lint.Lowered(lint.Warning, certainty), Certainty: certainty,
		Title:    lint.Title("nobody sees why the server on " + s.Address + " does not listen"),
		Primary:  lint.Label{Span: s.Span, Text: "its error is dropped"},
		Notes:    []string{"a port that is taken shows as refused connections and restarts, without a line in the log"},
		Help:     "pass the error on: log it, and end the process or stop answering readiness",
		Cause:    lint.CauseAt(s.Span) + " dropped",
		Identity: []string{"go", p.Program.Package, "dropped", s.Address},
	}
	if !by.IsZero() {
		f.Labels = []lint.Label{{Span: by, Text: text}}
	}
	p.Report(f)
}
