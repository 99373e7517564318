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
	if !words.Judged(p) || !words.Known(p.Probe, "failureThreshold", "timeoutSeconds", "periodSeconds") {
		return
	}
	t := kubelet.TimingOf(p.Probe)
	if t.FailureThreshold != 1 {
		return
	}
	f := lint.Finding{Level: lint.Error, Certainty: model.Proven}
	slow := "one answer slower than " + words.Secs(t.Timeout)
	switch p.Probe.Role {
	case model.Readiness:
		if t.Timeout > 1 {
			f.Level = lint.Warning
		}
		f.Title = lint.Title("one failed readiness probe takes %s out of rotation", words.Container(p.Workload, p.Container))
		f.Notes = append(f.Notes, fmt.Sprintf("%s is enough; back in rotation %s later",
			slow, kubelet.Span(t.Recover())))
	case model.Liveness:
		f.Title = lint.Title("one failed liveness probe restarts %s", words.Container(p.Workload, p.Container))
		f.Notes = append(f.Notes, slow+" is enough: a pause of the garbage collector or of the node restarts a process that works")
	default:
		f.Title = lint.Title("one failed startup probe kills %s", words.Container(p.Workload, p.Container))
		f.Notes = append(f.Notes, fmt.Sprintf("the first attempt comes %s after the container's start, and it is the last one",
			kubelet.Span(t.FirstProbe(model.Startup))))
	}
	f.Primary, f.Labels = words.Primary(p,
		"the first failure is the verdict",
		words.Field(p, "failureThreshold", "the first failure is the verdict"),
		words.Field(p, "timeoutSeconds", "slower than "+words.Secs(t.Timeout)+" is a failure"))
	if _, ok := p.FieldSpan("timeoutSeconds"); !ok && p.Probe.Kind != model.TCPSocket {
		f.Labels = append(f.Labels, lint.Label{Span: p.Probe.Span, Text: "no `timeoutSeconds`: slower than 1s is a failure"})
	}
	f.Help = help(p.Probe.Role, t)
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
