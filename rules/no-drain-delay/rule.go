// Package nodraindelay is the rule no-drain-delay.
package nodraindelay

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is no-drain-delay.
var Rule = &lint.Rule{
	Name:  "no-drain-delay",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link, lint.Manifest},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
	// A program that drains for too short a time does shut down, in its way.
	Silences: []string{"no-graceful-shutdown"},
}

func check(p *lint.Pass) {
	w, c := p.Workload, p.Container
	if w == nil || w.RunsToCompletion() {
		return
	}
	svc, _ := words.Selected(w, c)
	if svc == nil {
		return
	}
	delay, front := kubelet.Propagation(w)
	stop := kubelet.Shutdown{}
	if c.PreStop != nil {
		if c.PreStop.Seconds == nil {
			return // a hook of unknown length
		}
		stop.PreStop = *c.PreStop.Seconds
	}
	wait, at, known := waits(p.Program)
	stop.Wait = wait
	if !known && p.Program != nil && p.Program.Shutdown != nil && p.Program.Shutdown.WaitMost != nil {
		stop.Wait = *p.Program.Shutdown.WaitMost // the code waits unless a setting says otherwise
	}
	if !stop.Refuses(delay) {
		return
	}
	refuses, taken := "%s refuses connections for up to "+kubelet.Seconds(delay-stop.Drain())+" at each rollout", "this container takes them for "
	if !known {
		refuses += ", unless its code waits"
		if stop.Wait > 0 {
			refuses += " longer"
		}
		taken = "what is known here takes them for "
	}
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title: lint.Title(refuses, words.Container(w, c)),
		Notes: []string{fmt.Sprintf("%s sends new connections for about %s after the deletion; %s",
			front, kubelet.Seconds(delay), taken+kubelet.Seconds(stop.Drain()))},
		Help: fmt.Sprintf("`lifecycle.preStop.sleep.seconds: %d` keeps the listener open as long as it is sent to", int(math.Ceil(delay-stop.Wait))),
	}
	hook := lint.Label{Span: c.Span, Text: "no preStop hook: SIGTERM comes with the deletion"}
	if c.PreStop != nil {
		hook = lint.Label{Span: c.PreStop.Span, Text: "SIGTERM comes " + kubelet.Seconds(stop.PreStop) + " after the deletion"}
	}
	f.Primary = hook
	if known {
		f.Certainty = lint.Weaker(p.ProgramCertainty)
		f.Level = lint.Lowered(lint.Warning, f.Certainty)
		f.Primary = at
		f.Labels = append(f.Labels, hook)
	} else {
		f.Notes = append(f.Notes, "what the process does between SIGTERM and closing its listener is not known")
	}
	if !svc.Span.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: svc.Span, Text: "sends requests to these pods"})
	}
	p.Report(f)
}

// waits is how long a program keeps its listener open after SIGTERM, with the place that shows it; known is false where the
// code does not tell.
func waits(prog *model.Program) (seconds float64, at lint.Label, known bool) {
	if prog == nil || prog.Shutdown == nil || prog.Shutdown.Wait == nil {
		return 0, lint.Label{}, false
	}
	wait := *prog.Shutdown.Wait
	text := "closes the listener " + kubelet.Seconds(wait) + " after SIGTERM"
	if wait == 0 {
		text = "closes the listener at once after SIGTERM"
	}
	return wait, lint.Label{Span: prog.Shutdown.Span, Text: text}, true
}
