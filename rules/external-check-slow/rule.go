// Package externalcheckslow is the rule external-check-slow.
package externalcheckslow

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/balancer"
)

//go:embed doc.md
var doc string

// Rule is external-check-slow.
var Rule = &lint.Rule{
	Name:  "external-check-slow",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerWorkload,
	Doc:   doc,
	Check: check,
}

// factor is how much longer than the kubelet a balancer may take to notice a bad instance.
const factor = 3

func check(p *lint.Pass) {
	for _, c := range balancer.Checks(p.Workload) {
		q := *p
		q.Container, q.Probe, q.Endpoint = c.Container, c.Probe, c.Probe.Endpoint
		if c.Interval <= 0 || q.UnknownTimings() {
			continue
		}
		own := kubelet.TimingOf(c.Probe).DetectHang().Worst
		window := c.Window()
		if window <= factor*own {
			continue
		}
		slow, quick := kubelet.Seconds(window), kubelet.Seconds(own)
		f := lint.Finding{
			Level: lint.Warning, Certainty: model.Proven, Probes: []lint.ProbeRef{q.Ref()},
			Title:   lint.Title(c.Platform+" takes "+slow+" to drop a pod of %s, the kubelet "+quick, lint.Named(p.Workload)),
			Primary: lint.Label{Span: c.TimeSpan, Text: lint.FirstFit(fmt.Sprintf("%d failures, %s apart, %s to answer: up to %s", c.Unhealthy, kubelet.Seconds(c.Interval), kubelet.Seconds(c.Timeout), slow), "up to "+slow)},
			Notes:   []string{c.Platform + " checks by itself: a pod that hangs gets traffic from it for up to " + slow},
			Help:    fmt.Sprintf("a shorter interval or fewer failures: U × I + T of at most %s", kubelet.Seconds(factor*own)),
		}
		if l, ok := q.DetectLabel(); ok {
			f.Labels = append(f.Labels, l)
		}
		p.Report(f)
	}
}
