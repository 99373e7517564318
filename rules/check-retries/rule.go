// Package checkretries is the rule check-retries.
package checkretries

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is check-retries.
var Rule = &lint.Rule{
	Name:  "check-retries",
	Level: lint.Info,
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
	for _, d := range p.Endpoint.Dependencies {
		if d.Retry == nil || d.Retry.Span.IsZero() || seen[d.Retry.Span] {
			continue
		}
		seen[d.Retry.Span] = true
		report(p, d)
	}
}

func report(p *lint.Pass, d *model.Dependency) {
	text := "and tries again"
	if d.Retry.Pause > 0 {
		text = "tries again after " + kubelet.Seconds(d.Retry.Pause)
	}
	if d.Retry.Attempts > 0 {
		text += fmt.Sprintf(", %d times at most", d.Retry.Attempts)
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: lint.Weaker(d.Certainty),
		Title:    lint.Title("%s tries %s again before it answers", lint.Quote(p.Path()), lint.DependencyName(d)),
		Primary:  lint.Label{Span: d.Retry.Span, Text: text},
		Notes:    []string{"the kubelet tries again by itself, once a period, and counts; a retry inside the check only uses up its timeout"},
		Help:     "ask once, and let `failureThreshold` decide how often is too often",
		Cause:    lint.CauseAt(d.Retry.Span) + " retry",
		Identity: p.InCode(d.Call, "retry"),
	}
	if d.Span != d.Retry.Span {
		f.Labels = append(f.Labels, lint.Label{Span: d.Span, Text: lint.Text("asks %s", lint.DependencyName(d)), Strong: true})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}
