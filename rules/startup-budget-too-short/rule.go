// Package startupbudgettooshort is the rule startup-budget-too-short.
package startupbudgettooshort

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is startup-budget-too-short.
var Rule = &lint.Rule{
	Name:  "startup-budget-too-short",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link, lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// little is the guaranteed budget in seconds below which a start without a startup probe is worth a look.
const little = 30

func check(p *lint.Pass) {
	pr := p.Probe
	if !words.Judged(p) || pr.Role == model.Readiness || pr.Role == model.Liveness && p.Container.Probe(model.Startup) != nil ||
		!words.Known(pr, "initialDelaySeconds", "periodSeconds", "failureThreshold") {
		return
	}
	t := kubelet.TimingOf(pr)
	boot := t.Boot()
	if checkCode(p, boot) || pr.Role != model.Liveness || boot.Best >= little {
		return
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title: lint.Title("%s guarantees "+kubelet.Seconds(boot.Best)+" for the start", p.Subject()),
		Notes: []string{fmt.Sprintf("there is no startup probe: a start that refuses connections for longer is killed after %s, and the next one as well",
			kubelet.Span(boot))},
		Help: "a startup probe of the same endpoint: `failureThreshold: 24` every 5s guarantees 115s and costs a quick start nothing",
	}
	f.Primary, f.Labels = words.Primary(p,
		"killed "+kubelet.Span(boot)+" into a start that does not answer",
		words.Field(p, "failureThreshold", lint.FirstFit(
			fmt.Sprintf("%s, %s apart: killed %s into the start", lint.Count(t.FailureThreshold, "failure"), words.Secs(t.Period), kubelet.Span(boot)),
			"killed "+kubelet.Span(boot)+" into the start")),
		words.Field(p, "periodSeconds", "an attempt every "+words.Secs(t.Period)),
		words.Field(p, "initialDelaySeconds", "can end a second early"))
	p.Report(f)
}
