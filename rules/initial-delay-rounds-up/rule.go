// Package initialdelayroundsup is the rule initial-delay-rounds-up.
package initialdelayroundsup

import (
	_ "embed"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is initial-delay-rounds-up.
var Rule = &lint.Rule{
	Name:  "initial-delay-rounds-up",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// patience is the time lost in seconds above which the finding is a warning.
const patience = 30

func check(p *lint.Pass) {
	pr := p.Probe
	if !words.Judged(p) || !words.Known(pr, "initialDelaySeconds", "periodSeconds") {
		return
	}
	t := kubelet.TimingOf(pr)
	if t.InitialDelay == 0 {
		return
	}
	first := t.FirstProbe(pr.Role)
	lost := int(first.Worst) - t.InitialDelay
	if lost == 0 {
		return
	}
	f := lint.Finding{Level: lint.Info, Certainty: model.Proven}
	if lost > patience {
		f.Level = lint.Warning
	}
	delay, period := words.Secs(t.InitialDelay), words.Secs(t.Period)
	f.Title = lint.Title("%s first asks after "+kubelet.Seconds(first.Worst)+", not "+delay, p.Subject())
	at := "rounded up to the next multiple of " + period
	note := "a readiness probe ticks from the container's start, so its delay ends with a whole period: " + words.Secs(lost) + " lost at each start"
	if pr.Role != model.Readiness {
		f.Title = lint.Title("%s first asks up to "+kubelet.Seconds(first.Worst)+" after the start, not "+delay, p.Subject())
		at = "first attempt " + kubelet.Span(first) + " after the start"
		note = "the worker ticks every " + period + " from the pod's admission on; the first tick behind the delay can be a period late"
	}
	if pr.Role == model.Startup {
		note += ", and nothing is ready before it"
	}
	f.Primary, f.Labels = words.Primary(p, at,
		words.Field(p, "initialDelaySeconds", at),
		words.Field(p, "periodSeconds", "an attempt every "+period))
	f.Notes = []string{note}
	f.Help = "a startup probe with a short period costs no more than the start-up takes"
	if pr.Role == model.Startup {
		f.Help = "no delay, a short period and as many failures as the start-up needs"
	}
	p.Report(f)
}
