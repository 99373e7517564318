// Package checkleaksbody is the rule check-leaks-body.
package checkleaksbody

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is check-leaks-body.
var Rule = &lint.Rule{
	Name:  "check-leaks-body",
	Level: lint.Warning,
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
	for _, l := range p.Endpoint.Leaks {
		if l.Kind != "body" || seen[l.Span] {
			continue
		}
		seen[l.Span] = true
		report(p, l)
	}
}

func report(p *lint.Pass, l model.Leak) {
	f := lint.Finding{
		Level: lint.Warning, Certainty: model.Proven,
		Title:    lint.Title("%s leaves the response body of %s open", lint.Quote(p.Path()), lint.Quote(lint.ShortCall(l.Call))),
		Primary:  lint.Label{Span: l.Span, Text: "this response has a body that nobody closes"},
		Cause:    lint.CauseAt(l.Span),
		Identity: p.InCode(l.Call),
		Notes:    []string{"its connection is never used again and never closed" + rate(p)},
		Help:     "close it when the error is nil: `defer resp.Body.Close()`",
	}
	f.Fixes = words.Cure("Close the body when the error is nil", l.Cure)
	if !l.Exit.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: l.Exit, Text: "leaves without it"})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}

// rate is how many connections one pod keeps in an hour.
func rate(p *lint.Pass) string {
	n, ok := words.AnHour(p)
	if !ok {
		return ""
	}
	return fmt.Sprintf(": %d sockets an hour in each pod", n)
}
