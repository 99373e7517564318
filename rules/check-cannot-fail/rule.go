// Package checkcannotfail is the rule check-cannot-fail.
package checkcannotfail

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is check-cannot-fail.
var Rule = &lint.Rule{
	Name:  "check-cannot-fail",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, h := range p.Endpoint.Hollow {
		if seen[h.Span] {
			continue
		}
		seen[h.Span] = true
		// A dropped error is right where the outcome is not meant to decide: on liveness, and beside checks that do.
		if h.Why == model.HollowErrorDropped && (p.Probe.Role == model.Liveness || p.Endpoint.Answer.CanFail() || p.Endpoint.Answer.Unknown) {
			continue
		}
		report(p, h)
	}
}

func report(p *lint.Pass, h model.HollowCheck) {
	call := lint.Quote(lint.ShortCall(h.Call))
	what := h.Name
	if what == "" {
		what = call
	}
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:    lint.Title("the check of %s behind %s cannot fail", what, lint.Quote(p.Path())),
		Primary:  lint.Label{Span: h.Span},
		Labels:   lint.Labels(p.AskedLabel, p.ServedLabel),
		Cause:    lint.CauseAt(h.Span),
		Identity: p.InCode(h.Call),
	}
	switch h.Why {
	case model.HollowNeverExecutes:
		f.Primary.Text = lint.Text("%s only builds the statement", call)
		f.Notes = []string{"nothing is sent, so there is no error to find: the answer is a success while the server is down"}
		f.Help = "run it: scan its result, or execute it"
	case model.HollowConnectionless:
		f.Primary.Text = lint.Text("%s succeeds without an answer", call)
		f.Notes = []string{"UDP has no handshake: a host that is gone looks the same as one that works"}
		f.Help = "send a request and read the reply under a deadline"
	default:
		f.Primary.Text = lint.Text("the error of %s is dropped", call)
		f.Notes = []string{"the answer is a success whatever this check finds"}
		f.Help = "answer 503 when it fails, or take the check out"
	}
	p.Report(f)
}
