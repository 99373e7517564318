// Package checkleaksgoroutine is the rule check-leaks-goroutine.
package checkleaksgoroutine

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is check-leaks-goroutine.
var Rule = &lint.Rule{
	Name:  "check-leaks-goroutine",
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
	for _, l := range p.Endpoint.Leaks {
		if l.Kind != "goroutine" || seen[l.Span] {
			continue
		}
		seen[l.Span] = true
		report(p, l)
	}
}

func report(p *lint.Pass, l model.Leak) {
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:    lint.Title("%s leaves a goroutine behind whenever its check times out", lint.Quote(p.Path())),
		Primary:  lint.Label{Span: l.Span, Text: "unbuffered: the send waits for a receiver"},
		Cause:    lint.CauseAt(l.Span) + " goroutine",
		Identity: p.InCode("goroutine"),
		Notes:    []string{"after the time-out nobody receives, so the goroutine and what it holds stay for ever" + rate(p)},
		Help:     "give the channel room for the result: `make(chan error, 1)`",
	}
	f.Fixes = words.Cure("Give the channel room for the result", l.Cure)
	if !l.Exit.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: l.Exit, Text: "leaves without receiving", Strong: true})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}

// rate is how many goroutines an outage of an hour leaves in one pod.
func rate(p *lint.Pass) string {
	n, ok := words.AnHour(p)
	if !ok {
		return ""
	}
	return fmt.Sprintf(": %d in an hour of outage", n)
}
