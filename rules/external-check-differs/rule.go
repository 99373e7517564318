// Package externalcheckdiffers is the rule external-check-differs.
package externalcheckdiffers

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/balancer"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is external-check-differs.
var Rule = &lint.Rule{
	Name:  "external-check-differs",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerWorkload,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	for _, c := range balancer.Checks(p.Workload) {
		q := *p
		q.Container, q.Probe, q.Endpoint = c.Container, c.Probe, c.Probe.Endpoint
		switch {
		case c.Path != "" && !samePath(c.Path, c.Probe.Target.Path):
			path(&q, c)
		case c.Path != "" && c.Port != 0 && c.Probe.Target.Port != 0 && c.Port != c.Probe.Target.Port:
			port(&q, c)
		case c.Path != "":
			codes(&q, c)
		}
	}
}

// samePath compares without the query; what holds a placeholder is not compared.
func samePath(a, b string) bool {
	if strings.ContainsAny(a+b, "${}<>") {
		return true
	}
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	return strings.TrimPrefix(a, "/") == strings.TrimPrefix(b, "/")
}

func finding(p *lint.Pass, c balancer.Check, title string) lint.Finding {
	return lint.Finding{
		Level: lint.Error, Certainty: model.Proven, Title: title, Probes: []lint.ProbeRef{p.Ref()},
		Notes: []string{fmt.Sprintf("%s keeps its own list of healthy pods and does not look at the readiness probe: a pod that is not ready gets traffic from it, or a ready one gets none", c.Platform)},
	}
}

func path(p *lint.Pass, c balancer.Check) {
	asked := p.Path()
	f := finding(p, c, lint.Title(c.Platform+" asks %s of %s, and the readiness probe asks %s", lint.Quote(c.Path), lint.Named(p.Workload), lint.Quote(asked)))
	f.Primary = lint.Label{Span: c.PathSpan, Text: lint.Text(c.Platform+" asks %s", lint.Quote(c.Path))}
	if c.Default {
		f.Primary.Text = lint.Text("no `"+c.PathKey+"`: "+c.Platform+" asks %s", lint.Quote(c.Path))
	}
	f.Labels = []lint.Label{{Span: p.TargetSpan(), Text: "the kubelet asks this"}}
	f.Help = lint.Quote(asked) + " as the path of both checks"
	p.Report(f)
}

func port(p *lint.Pass, c balancer.Check) {
	f := finding(p, c, lint.Title(fmt.Sprintf("%s asks port %d of %%s, and the readiness probe asks port %d", c.Platform, c.Port, p.Probe.Target.Port), lint.Named(p.Workload)))
	f.Primary = lint.Label{Span: c.PortSpan, Text: fmt.Sprintf("asked on port %d", c.Port)}
	f.Labels = []lint.Label{{Span: words.PortSpan(p.Probe), Text: fmt.Sprintf("the kubelet asks port %d", p.Probe.Target.Port)}}
	f.Help = fmt.Sprintf("port %d for both checks", p.Probe.Target.Port)
	p.Report(f)
}

// codes compares what counts as healthy: 200 to 399 for the kubelet.
func codes(p *lint.Pass, c balancer.Check) {
	if c.Codes == "" {
		return
	}
	has, ok := balancer.Counts(c.Codes)
	if !ok {
		return
	}
	var statuses []int
	if p.Endpoint != nil && p.LinkCertainty() == model.Proven {
		statuses = p.Endpoint.Answer.Statuses
	}
	title, label := "", ""
	for _, s := range statuses {
		switch {
		case s >= 400 && has(s):
			title, label = fmt.Sprintf("%s counts %d of %%s as healthy, which the readiness probe does not", c.Platform, s), fmt.Sprintf("counts %d as healthy", s)
		case s >= 200 && s < 400 && !has(s) && title == "":
			title, label = fmt.Sprintf("%s counts %d of %%s as unhealthy, which the readiness probe does not", c.Platform, s), fmt.Sprintf("does not count %d as healthy", s)
		}
	}
	if title == "" {
		for s := 400; s < 600; s++ {
			if has(s) {
				title, label = fmt.Sprintf("%s counts %d of %%s as healthy, which the readiness probe does not", c.Platform, s), fmt.Sprintf("counts %d as healthy", s)
				break
			}
		}
	}
	if title == "" {
		return
	}
	f := finding(p, c, lint.Title(title, lint.Named(p.Workload)))
	f.Primary = lint.Label{Span: c.CodesSpan, Text: label}
	f.Labels = []lint.Label{{Span: p.TargetSpan(), Text: "the kubelet counts 200 to 399 as success"}}
	f.Help = "success codes that hold what the endpoint answers when it is ready, and nothing from 400 on"
	p.Report(f)
}
