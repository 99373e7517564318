// Package initialdelaywithstartup is the rule initial-delay-with-startup.
package initialdelaywithstartup

import (
	_ "embed"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is initial-delay-with-startup.
var Rule = &lint.Rule{
	Name:  "initial-delay-with-startup",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	pr := p.Probe
	if !words.Judged(p) || pr.Role == model.Startup || pr.IsUnknown("initialDelaySeconds") {
		return
	}
	start := p.Container.Probe(model.Startup)
	t := kubelet.TimingOf(pr)
	if start == nil || t.InitialDelay == 0 {
		return
	}
	ps := words.With(p, start)
	delay := words.Secs(t.InitialDelay)
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title: lint.Title("%s waits "+delay+" beside its startup probe", p.Subject()),
		Notes: []string{"the delay counts from the container's start and not from the end of the start-up: " +
			"it is over by then, or it keeps a container waiting that is up already"},
		Help: "the startup probe alone holds the " + string(pr.Role) + " probe back, and no longer than the start-up takes",
	}
	f.Primary, f.Labels = words.Primary(p, delay+" from the container's start",
		words.Field(p, "initialDelaySeconds", delay+" from the container's start"))
	f.Labels = append(f.Labels, lint.Label{Span: start.Span, Text: "holds the " + string(pr.Role) + " probe back by itself"})
	if words.Judged(ps) && !ps.UnknownTimings() && !start.IsUnknown("initialDelaySeconds") {
		f.Notes = append(f.Notes, "the startup probe allows "+kubelet.Span(kubelet.TimingOf(start).Boot()))
	}
	p.Report(f)
}
