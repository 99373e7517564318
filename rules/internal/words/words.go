// Package words completes what package lint says about a probe with what rules about the manifest need: which probes the
// arithmetic holds for, how a container is named, and labels at the fields that are written.
package words

import (
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Judged reports whether the kubelet runs the pass's probe and counts its attempts, so that arithmetic about it holds. It is
// false under go vet, where there is no manifest, for a probe that the API server rejects, and for one whose port name is
// unknown.
func Judged(p *lint.Pass) bool {
	pr := p.Probe
	return pr != nil && !pr.Guessed && pr.Kind != model.KindNone && !pr.Rejected() && !kubelet.UnknownPort(pr)
}

// Known reports whether these fields of a probe could be read.
func Known(pr *model.Probe, fields ...string) bool {
	for _, f := range fields {
		if pr.IsUnknown(f) {
			return false
		}
	}
	return true
}

// With is the pass for another probe of its container.
func With(p *lint.Pass, pr *model.Probe) *lint.Pass {
	q := *p
	q.Probe, q.Endpoint = pr, pr.Endpoint
	return &q
}

// Container names a container in a title: the workload, with the container where it is not the only one.
func Container(w *model.Workload, c *model.Container) string {
	if w == nil || w.Name == "" {
		return lint.Quote(c.Name)
	}
	for _, other := range w.Containers {
		if other != c && other.Kind != model.Init && other.Kind != model.Ephemeral {
			return lint.Quote(w.Name + "/" + c.Name)
		}
	}
	return lint.Quote(w.Name)
}

// Port is the port of a probe as written: its name or its number.
func Port(pr *model.Probe) string {
	if pr.Target.PortName != "" {
		return pr.Target.PortName
	}
	return fmt.Sprint(pr.Target.Port)
}

// PortSpan is where the port of a probe is written.
func PortSpan(pr *model.Probe) model.Span {
	return pr.Fields.Value(string(pr.Kind)+".port", pr.Span)
}

// Field is a label at a written field of the pass's probe; ok is false where the field is left to its default, so that no
// text stands at a place that does not show it.
func Field(p *lint.Pass, field, text string) func() (lint.Label, bool) {
	return func() (lint.Label, bool) {
		span, ok := p.FieldSpan(field)
		return lint.Label{Span: span, Text: text}, ok
	}
}

// Primary takes the first of the labels that is there as the primary one and the others as further ones. Where none is, the
// probe's key carries the first text, which then has to stand for itself.
func Primary(p *lint.Pass, alone string, of ...func() (lint.Label, bool)) (lint.Label, []lint.Label) {
	labels := lint.Labels(of...)
	if len(labels) == 0 {
		return lint.Label{Span: p.Probe.Span, Text: alone}, nil
	}
	return labels[0], labels[1:]
}

// Verdict is what happens to an instance when a probe of this role reaches its failure threshold.
func Verdict(r model.Role) string {
	switch r {
	case model.Liveness:
		return "restarted"
	case model.Startup:
		return "killed"
	}
	return "out of rotation"
}

// Secs formats whole seconds.
func Secs(n int) string { return kubelet.Seconds(float64(n)) }
