// Package readinessshareddependency is the rule readiness-shared-dependency.
package readinessshareddependency

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is readiness-shared-dependency.
var Rule = &lint.Rule{
	Name:  "readiness-shared-dependency",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Role != model.Readiness || p.Endpoint == nil || p.Workload != nil && p.Workload.RunsToCompletion() {
		return
	}
	var open, critical []*model.Dependency
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Scope != model.External || !d.Shared || !d.Gates || d.FailsOpen || d.AfterAnswer || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		if d.Critical != nil {
			critical = append(critical, d)
		} else {
			open = append(open, d)
		}
	}
	if len(open) > 0 {
		report(p, open, lint.Warning)
	}
	if len(critical) > 0 {
		report(p, critical, lint.Info)
	}
}

func report(p *lint.Pass, deps []*model.Dependency, l lint.Level) {
	names := lint.DependencyNames(deps)
	certainty := p.LinkCertainty()
	sure := model.Guessed
	for _, d := range deps {
		if lint.Weaker(d.Certainty) == model.Proven {
			sure = model.Proven
		} else if d.Certainty == model.Likely && sure == model.Guessed {
			sure = model.Likely
		}
	}
	certainty = lint.Weaker(certainty, sure)
	if sure == model.Guessed || p.Probe.Guessed && !strings.Contains(strings.ToLower(p.Path()), "ready") {
		l = lint.Info // a path such as /healthz is as often that of liveness
	}
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Cause:    lint.CauseAt(deps[0].Span) + " shared",
		Identity: p.InCode(deps[0].Call),
		Primary:  lint.Label{Span: deps[0].Span, Text: lint.Text("no replica is ready while %s is down", lint.Names(names, lint.Or))},
	}
	f.Title = title(p, names)
	for _, d := range deps[1:] {
		f.Labels = append(f.Labels, lint.Label{Span: d.Span, Text: lint.Text("no replica is ready while %s is down", lint.DependencyName(d)), Strong: true})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.OutageLabel(deps...), p.ServedLabel)...)
	f.Labels = append(f.Labels, p.ViaLabels(deps[0])...)
	if n := empty(p, deps); n != "" {
		f.Notes = append(f.Notes, n)
	}
	if c := deps[0].Critical; c != nil {
		f.Notes = append(f.Notes, "marked critical: "+c.Reason)
		if !c.Span.IsZero() {
			f.Labels = append(f.Labels, lint.Label{Span: c.Span, Text: "marked critical here"})
		}
		if p.Workload != nil && len(p.Workload.Budgets) == 0 {
			f.Notes = append(f.Notes, "no PodDisruptionBudget or other bound says how many replicas can be away at once")
			f.Help = "decide for the fleet how many replicas leave at once, and keep the rest answering errors of their own"
		}
	} else {
		f.Help = fmt.Sprintf("answer ready while this instance works, report %s in the body, and let requests that need it fail by themselves; "+
			"or mark it `//probelint:critical reason`", lint.Names(names, lint.And))
	}
	p.Report(f)
}

func title(p *lint.Pass, names []string) string {
	if p.Probe.Guessed {
		return lint.AnyOf(lint.Quote(p.Path())+" takes every replica out of rotation when", names, "fails", "fail")
	}
	leave := "leaves"
	if p.Workload.Replicas != nil && *p.Workload.Replicas > 1 {
		leave = "leave"
	}
	return lint.AnyOf(fmt.Sprintf("%s of `%s` %s the rotation when", p.Replicas(), p.Workload.Name, leave), names, "fails", "fail")
}

// empty says when the Service has no endpoints left.
func empty(p *lint.Pass, deps []*model.Dependency) string {
	out, ok := p.Outage(deps...)
	if !ok {
		return ""
	}
	delta, front := kubelet.Propagation(p.Workload)
	window := kubelet.Span(model.Range{Best: out.Span().Best, Worst: out.Span().Worst + delta})
	if front == "" {
		return fmt.Sprintf("%s into an outage no replica is ready", window)
	}
	return fmt.Sprintf("%s into an outage no replica is left behind the %s, and requests that need nothing of it fail too", window, front)
}
