// Package singlefailureverdict is the rule single-failure-verdict.
package singlefailureverdict

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

// Rule is single-failure-verdict.
var Rule = &lint.Rule{
	Name:  "single-failure-verdict",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || !words.Known(p.Probe, "failureThreshold") {
		return
	}
	t := kubelet.TimingOf(p.Probe)
	if t.FailureThreshold != 1 {
		return
	}
	f := lint.Finding{Level: lint.Error, Certainty: model.Proven}
	slow, late := "one answer slower than "+words.Secs(t.Timeout), "slower than "+words.Secs(t.Timeout)+" is a failure"
	timeout, period := words.Known(p.Probe, "timeoutSeconds"), words.Known(p.Probe, "periodSeconds")
	if !timeout { // a placeholder
		slow, late = "one answer slower than its timeout", "a slower answer is a failure"
	}
	switch p.Probe.Role {
	case model.Readiness:
		if t.Timeout > 1 || !timeout {
			f.Level = lint.Warning
		}
		f.Title = lint.Title("one failed readiness probe takes %s out of rotation", words.Container(p.Workload, p.Container))
		note := slow + " is enough"
		if timeout && period {
			note += "; back in rotation " + kubelet.Span(t.Recover()) + " later"
		}
		f.Notes = append(f.Notes, note)
	case model.Liveness:
		f.Title = lint.Title("one failed liveness probe restarts %s", words.Container(p.Workload, p.Container))
		f.Notes = append(f.Notes, slow+" is enough: a pause of the garbage collector or of the node restarts a process that works")
	default:
		f.Title = lint.Title("one failed startup probe kills %s", words.Container(p.Workload, p.Container))
		if !period || !words.Known(p.Probe, "initialDelaySeconds") {
			f.Notes = append(f.Notes, "the first attempt is the last one")
			break
		}
		f.Notes = append(f.Notes, fmt.Sprintf("the first attempt comes %s after the container's start, and it is the last one",
			kubelet.Span(t.FirstProbe(model.Startup))))
	}
	f.Primary, f.Labels = words.Primary(p,
		"the first failure is the verdict",
		words.Field(p, "failureThreshold", "the first failure is the verdict"),
		words.Field(p, "timeoutSeconds", late))
	if _, ok := p.FieldSpan("timeoutSeconds"); !ok && p.Probe.Kind != model.TCPSocket {
		f.Labels = append(f.Labels, lint.Label{Span: p.Probe.Span, Text: "no `timeoutSeconds`: slower than 1s is a failure"})
	}
	if timeout && period {
		f.Help = help(p.Probe.Role, t)
	} else {
		f.Help = "`failureThreshold: 3` lets two attempts fail"
	}
	p.Report(f)
}

func help(r model.Role, t kubelet.Timing) string {
	n := t
	n.FailureThreshold = 3
	switch r {
	case model.Readiness:
		n.SuccessThreshold = 2
		return fmt.Sprintf("3 out, 2 back: `failureThreshold: 3` notices a hang after %s, `successThreshold: 2` returns it after %s",
			kubelet.Span(n.DetectHang()), kubelet.Span(n.Recover()))
	case model.Startup:
		return fmt.Sprintf("`failureThreshold` is the start-up budget: 3 guarantees %s with this period", kubelet.Seconds(n.Boot().Best))
	}
	return fmt.Sprintf("`failureThreshold: 3` restarts a hung container after %s with this period", kubelet.Span(n.DetectHang()))
}
