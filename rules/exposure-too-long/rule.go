// Package exposuretoolong is the rule exposure-too-long.
package exposuretoolong

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

// Rule is exposure-too-long.
var Rule = &lint.Rule{
	Name:  "exposure-too-long",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.UnknownTimings() {
		return
	}
	level, budget := lint.Warning, p.Settings.ReadinessExposure
	switch p.Probe.Role {
	case model.Startup:
		return
	case model.Liveness:
		level, budget = lint.Info, p.Settings.LivenessExposure
	}
	t := kubelet.TimingOf(p.Probe)
	age := kubelet.Age(p.Endpoint)
	hang := t.DetectHang()
	if hang.Worst+age <= budget {
		return
	}
	// With the timeout above the period the window is not the product that its author computed: timeout-exceeds-period
	// says so, and there is nothing to add where the product itself keeps the budget.
	if t.Timeout > t.Period && t.Naive()+age <= budget {
		return
	}
	f := lint.Finding{Level: level, Certainty: model.Proven}
	worst := kubelet.Seconds(hang.Worst)
	after := "after up to " + worst
	if age > 0 {
		f.Certainty = p.LinkCertainty()
		after = "after up to " + kubelet.Seconds(hang.Worst+age)
	}
	switch p.Probe.Role {
	case model.Readiness:
		f.Title = lint.Title("%s notices a hung instance "+after, p.Subject())
	default:
		f.Title = lint.Title("%s notices a hung container "+after, p.Subject())
	}
	f.Primary, f.Labels = labels(p, t, hang)
	f.Notes = append(f.Notes, fmt.Sprintf(
		"the product %d x %s is %s; a hang is noticed after %s, an error answer after %s; the budget is %s",
		t.FailureThreshold, words.Secs(t.Period), kubelet.Seconds(t.Naive()), kubelet.Span(hang),
		kubelet.Span(t.DetectFast()), kubelet.Seconds(budget)))
	if age > 0 {
		c := p.Endpoint.Cache
		if !c.Span.IsZero() {
			f.Labels = append(f.Labels, lint.Label{
				Span: c.Span, Text: "the verdict served here is up to " + kubelet.Seconds(age) + " old", Strong: true,
			})
		}
		f.Notes = append(f.Notes, fmt.Sprintf("the endpoint answers from a verdict that is up to %s old, which comes on top: %s",
			kubelet.Seconds(age), kubelet.Seconds(hang.Worst+age)))
	}
	if p.Probe.Role == model.Readiness {
		if delta, front := kubelet.Propagation(p.Workload); delta > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("%s keeps sending for about %s after the verdict", front, kubelet.Seconds(delta)))
		}
	}
	if n, ok := t.Meet(budget - age); ok {
		f.Help = fmt.Sprintf("`periodSeconds: %d`, `timeoutSeconds: %d`, `failureThreshold: %d` notice a hang within %s",
			n.Period, n.Timeout, n.FailureThreshold, kubelet.Seconds(n.DetectHang().Worst))
		if age > 0 {
			f.Help += ", " + kubelet.Seconds(n.DetectHang().Worst+age) + " with the stored verdict"
		}
	} else {
		f.Help = beyond(t, age, budget)
	}
	p.Report(f)
}

// beyond says what stands in the way where no timings of two failures keep the budget: the verdict's age, or the budget.
func beyond(t kubelet.Timing, age, budget float64) string {
	limit := kubelet.Seconds(budget)
	if age >= budget {
		return fmt.Sprintf("the stored verdict alone is as old as the budget of %s allows, or older; shorten its life first", limit)
	}
	n := t.Shortest()
	least := fmt.Sprintf("`periodSeconds: %d`, `timeoutSeconds: %d`, `failureThreshold: %d`", n.Period, n.Timeout, n.FailureThreshold)
	worst := kubelet.Seconds(n.DetectHang().Worst + age)
	if age > 0 {
		return fmt.Sprintf("a stored verdict of up to %s leaves no room in the budget of %s: %s take %s with it; shorten its life first",
			kubelet.Seconds(age), limit, least, worst)
	}
	return fmt.Sprintf("no probe of two failures keeps the budget of %s: %s notice a hang within %s", limit, least, worst)
}

// labels put the arithmetic where the largest factor is written.
func labels(p *lint.Pass, t kubelet.Timing, hang model.Range) (lint.Label, []lint.Label) {
	apart := words.Secs(max(t.Period, t.Timeout))
	window := fmt.Sprintf("%s, %s apart: %s after %s", lint.Count(t.FailureThreshold, "hang"), apart, words.Verdict(p.Probe.Role), kubelet.Span(hang))
	count := words.Field(p, "failureThreshold", lint.FirstFit(window, words.Verdict(p.Probe.Role)+" after "+kubelet.Span(hang)))
	timeout := words.Field(p, "timeoutSeconds", "a hung attempt lasts "+words.Secs(t.Timeout))
	period := words.Field(p, "periodSeconds", "an attempt every "+words.Secs(t.Period))
	if t.Timeout > t.Period {
		period = words.Field(p, "periodSeconds", "an attempt every "+words.Secs(t.Period)+", unless one still hangs")
	}
	return words.Primary(p, words.Verdict(p.Probe.Role)+" after "+kubelet.Span(hang)+" of hanging", count, timeout, period)
}
