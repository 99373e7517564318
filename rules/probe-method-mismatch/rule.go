// Package probemethodmismatch is the rule probe-method-mismatch.
package probemethodmismatch

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-method-mismatch.
var Rule = &lint.Rule{
	Name:     "probe-method-mismatch",
	Level:    lint.Error,
	Sees:     []lint.Sees{lint.Link},
	Scope:    lint.PerProbe,
	Doc:      doc,
	Check:    check,
	Silences: words.ContentRules,
}

func check(p *lint.Pass) {
	m := words.Missed(p, model.MissMethod)
	if m == nil || m.Route == nil {
		return
	}
	level, certainty, unresolved := words.Graded(m)
	asked, method := lint.Quote(p.Path()), lint.Quote(m.Route.Method)
	f := lint.Finding{
		Level: level, Certainty: certainty,
		Title:   lint.Title("%s asks for %s with `GET`, and it is registered for %s", p.Subject(), asked, method),
		Primary: lint.Label{Span: p.TargetSpan(), Text: "the kubelet asks with `GET`, always"},
		Labels:  lint.Labels(words.RouteLabel(m.Route, lint.Text("registered for %s alone", method)), words.ListensLabel(m)),
		Notes:   []string{"the answer is 405, which is a failure: " + words.NeverSucceeds(p)},
		Help:    "register " + asked + " for `GET`",
	}
	if unresolved != "" {
		f.Notes = append(f.Notes, unresolved)
	}
	p.Report(f)
}
