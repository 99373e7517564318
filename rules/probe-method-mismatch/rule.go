// Package probemethodmismatch is the rule probe-method-mismatch.
package probemethodmismatch

import (
	_ "embed"
	"net/http"
	"slices"

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
		refused(p)
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

// refused reports a handler that is registered for any method and answers nothing but 405 to this one.
func refused(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.Unknown || len(p.Endpoint.Unfollowed) > 0 || !slices.Equal(p.Endpoint.Answer.Statuses, []int{http.StatusMethodNotAllowed}) {
		return
	}
	certainty := p.LinkCertainty()
	asked := lint.Quote(p.Path())
	f := lint.Finding{
		Level: lint.Lowered(lint.Error, certainty), Certainty: certainty,
		Title:    lint.Title("%s asks for %s with `GET`, and its handler answers 405", p.Subject(), asked),
		Primary:  lint.Label{Span: p.Endpoint.Answer.FailureSpan, Text: "answers 405 to `GET`"},
		Labels:   lint.Labels(p.TargetLabel, p.ServedLabel),
		Notes:    []string{"405 is a failure: " + words.NeverSucceeds(p)},
		Help:     "let the handler of " + asked + " answer `GET`",
		Identity: p.InCode("405"),
	}
	if f.Primary.Span.IsZero() {
		f.Primary = lint.Label{Span: p.TargetSpan(), Text: "the kubelet asks with `GET`, always"}
	}
	p.Report(f)
}
