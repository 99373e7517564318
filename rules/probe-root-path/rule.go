// Package proberootpath is the rule probe-root-path.
package proberootpath

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-root-path.
var Rule = &lint.Rule{
	Name:  "probe-root-path",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.Probe.Kind != model.HTTPGet || p.Path() != "/" {
		return
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s asks the front page, `/`", p.Subject()),
		Primary: lint.Label{Span: p.TargetSpan(), Text: "the front page answers for the health"},
		Notes:   []string{"any answer from 200 to 399 counts as healthy, a redirect to a login page and a static page included"},
		Help:    "a path that is served for this probe alone says what it checks",
	}
	if _, ok := p.FieldSpan("httpGet.path"); !ok {
		f.Primary.Text = "no `path`: the probe asks `/`"
	}
	p.Report(f)
}
