// Package timeoutexceedsperiod is the rule timeout-exceeds-period.
package timeoutexceedsperiod

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

// Rule is timeout-exceeds-period. exposure-too-long looks itself whether this rule has said it all.
var Rule = &lint.Rule{
	Name:  "timeout-exceeds-period",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// longest is the window in seconds from which a readiness probe with such timings is an error.
const longest = 120

func check(p *lint.Pass) {
	if !words.Judged(p) || !words.Known(p.Probe, "periodSeconds", "timeoutSeconds") {
		return
	}
	t := kubelet.TimingOf(p.Probe)
	counted := words.Known(p.Probe, "failureThreshold")
	f := lint.Finding{Level: lint.Warning, Certainty: model.Proven}
	switch {
	case t.Timeout < t.Period:
		return
	case t.Timeout == t.Period:
		f.Level = lint.Info
		f.Title = lint.Title("%s waits as long as its period, "+words.Secs(t.Period), p.Subject())
	default:
		if p.Probe.Role == model.Readiness && counted && t.DetectHang().Worst > longest {
			f.Level = lint.Error
		}
		f.Title = lint.Title(fmt.Sprintf("%%s waits %s, longer than its period of %s", words.Secs(t.Timeout), words.Secs(t.Period)), p.Subject())
	}
	f.Primary, f.Labels = words.Primary(p,
		fmt.Sprintf("the period is %s, the timeout %s", words.Secs(t.Period), words.Secs(t.Timeout)),
		words.Field(p, "timeoutSeconds", timeout(t)),
		words.Field(p, "periodSeconds", "due every "+words.Secs(t.Period)),
		words.Field(p, "failureThreshold", threshold(p, t)))
	f.Notes = notes(p, t, counted)
	f.Help = help(p, t)
	p.Report(f)
}

func timeout(t kubelet.Timing) string {
	if t.Timeout == t.Period {
		return "a hung attempt ends when the next one is due"
	}
	return "hung attempts run back to back, " + words.Secs(t.Timeout) + " apart"
}

func threshold(p *lint.Pass, t kubelet.Timing) string {
	window := t.DetectHang()
	if p.Probe.Role == model.Startup {
		window = t.BootHang()
	}
	return lint.FirstFit(
		fmt.Sprintf("%s in a row: %s after %s", lint.Count(t.FailureThreshold, "hang"), words.Verdict(p.Probe.Role), kubelet.Span(window)),
		words.Verdict(p.Probe.Role)+" after "+kubelet.Span(window))
}

func notes(p *lint.Pass, t kubelet.Timing, counted bool) []string {
	var notes []string
	naive := fmt.Sprintf("failureThreshold x periodSeconds is %s", kubelet.Seconds(t.Naive()))
	switch {
	case !counted:
	case p.Probe.Role == model.Startup:
		notes = append(notes, fmt.Sprintf("%s; a container that accepts connections and does not answer is killed after %s",
			naive, kubelet.Span(t.BootHang())))
	default:
		notes = append(notes, fmt.Sprintf("%s; a hung instance is %s after %s, one that answers an error after %s",
			naive, words.Verdict(p.Probe.Role), kubelet.Span(t.DetectHang()), kubelet.Span(t.DetectFast())))
	}
	if p.Probe.Role == model.Readiness && p.Probe.Kind == model.HTTPGet && t.Timeout > t.Period {
		notes = append(notes, "a GKE load balancer that takes its check from this probe refuses a timeout above the interval")
	}
	return notes
}

// help gives timings that keep the budget: the same timeout with a longer period where that is enough, else a shorter one.
func help(p *lint.Pass, t kubelet.Timing) string {
	if t.Timeout == t.Period {
		return fmt.Sprintf("a timeout below %s leaves the instance a pause between two slow attempts", words.Secs(t.Period))
	}
	if p.Probe.Role != model.Startup && words.Known(p.Probe, "failureThreshold") {
		budget := p.Settings.ReadinessExposure
		if p.Probe.Role == model.Liveness {
			budget = p.Settings.LivenessExposure
		}
		// No slower than what is written today, either.
		if n, ok := t.Meet(min(budget, t.DetectHang().Worst)); ok {
			return fmt.Sprintf("`periodSeconds: %d`, `timeoutSeconds: %d`, `failureThreshold: %d` notice a hang within %s",
				n.Period, n.Timeout, n.FailureThreshold, kubelet.Seconds(n.DetectHang().Worst))
		}
	}
	return fmt.Sprintf("a timeout of at most %s keeps the attempts on the period", words.Secs(t.Period))
}
