// Package livenesschecksdependency is the rule liveness-checks-dependency.
package livenesschecksdependency

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is liveness-checks-dependency.
var Rule = &lint.Rule{
	Name:  "liveness-checks-dependency",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link, lint.Manifest, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Role == model.Readiness {
		return
	}
	if p.Endpoint != nil {
		code(p)
	}
	if !p.Probe.Guessed {
		manifest(p)
	}
}

// level is error for a restart, warning for a start that is held up.
func level(p *lint.Pass) lint.Level {
	if p.Probe.Role == model.Startup {
		return lint.Warning
	}
	return lint.Error
}

// code judges what the handler behind the probe does.
func code(p *lint.Pass) {
	timeout, known := p.Timeout()
	if !known {
		timeout = math.Inf(1)
	}
	var deciding, waiting, answering, unclear []*model.Dependency
	seen := map[model.Span]bool{}
	var report []*model.Dependency // bounded each, but part of a sum
	for _, d := range p.Endpoint.Dependencies {
		if d.Scope != model.External || d.AfterAnswer || d.Mode == "detached" || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		switch {
		case d.Gates && !d.FailsOpen:
			deciding = append(deciding, d)
		case lint.WaitOf(d, timeout) == lint.WaitsLong:
			waiting = append(waiting, d)
		case d.Gates:
			answering = append(answering, d)
		case d.GatesUnknown:
			unclear = append(unclear, d)
		default:
			report = append(report, d)
		}
	}
	if b := p.Endpoint.Budget; len(deciding)+len(waiting) == 0 && b != nil && b.Lower >= timeout {
		waiting = report
	}
	switch {
	case len(deciding) > 0:
		found(p, append(deciding, waiting...), "fails", level(p))
	case len(waiting) > 0:
		found(p, waiting, "hangs", level(p))
	case len(answering) > 0:
		found(p, answering, "obeys", min(level(p), lint.Warning))
	case len(unclear) > 0:
		found(p, unclear, "asks", lint.Info)
	}
}

func found(p *lint.Pass, deps []*model.Dependency, how string, l lint.Level) {
	names := lint.DependencyNames(deps)
	who := lint.Names(names, lint.And)
	if how != "asks" && p.Probe.Role != model.Startup {
		who = lint.Names(names, lint.Or)
	}
	certainty := p.LinkCertainty()
	sure := model.Guessed
	for _, d := range deps { // one certain dependency makes the finding certain
		if d.Certainty == model.Proven || d.Certainty == "" {
			sure = model.Proven
		} else if d.Certainty == model.Likely && sure == model.Guessed {
			sure = model.Likely
		}
	}
	certainty = lint.Weaker(certainty, sure)
	f := lint.Finding{
		Level:     lint.Lowered(l, certainty),
		Certainty: certainty,
		Cause:     fmt.Sprintf("%s:%d %s", p.Endpoint.File, p.Endpoint.Line, p.Endpoint.Symbol),
		Notes:     []string{consequence(p, deps, who, how)},
		Help: fmt.Sprintf("keep %s about this process alone, and report %s in the readiness answer",
			lint.Quote(p.Path()), lint.Names(names, lint.And)),
	}
	f.Title = title(p, names, how)
	if how == "asks" {
		f.Certainty = lint.Weaker(certainty, model.Likely)
	}
	var calls []lint.Label
	for _, d := range deps {
		calls = append(calls, lint.Label{Span: d.Span, Text: does(d), Strong: true})
	}
	if target := p.TargetSpan(); !target.IsZero() {
		f.Primary = lint.Label{Span: target, Text: role(p)}
		f.Labels = append(f.Labels, lint.Labels(p.OutageLabel(deps...))...)
	} else {
		f.Primary, calls = lint.Label{Span: calls[0].Span, Text: calls[0].Text}, calls[1:]
		f.Identity = p.InCode(deps[0].Call)
	}
	f.Labels = append(f.Labels, lint.Labels(p.ServedLabel)...)
	f.Labels = append(f.Labels, p.ViaLabels(deps[0])...)
	f.Labels = append(f.Labels, calls...)
	if note := stopped(p, deps, how); note != "" {
		f.Notes = append(f.Notes, note)
	}
	p.Report(f)
}

func title(p *lint.Pass, names []string, how string) string {
	subject := p.Subject()
	switch {
	case how == "obeys":
		return lint.FirstTitle(subject+" fails by what "+lint.Names(names, lint.Or)+" answers", subject+" fails by what others answer")
	case how == "asks":
		return lint.Title("%s asks %s; whether that turns its verdict is not known", subject, lint.Names(names, lint.And))
	case p.Probe.Role == model.Startup:
		return lint.AnyOf(subject+" "+how+" while", names, "is down", "are down")
	}
	return lint.AnyOf(subject+" "+how+" whenever", names, "does", "do")
}

// stopped names the call that kept the outcome from being followed.
func stopped(p *lint.Pass, deps []*model.Dependency, how string) string {
	if how != "asks" || len(p.Endpoint.Unfollowed) == 0 {
		return ""
	}
	u := p.Endpoint.Unfollowed[0]
	return fmt.Sprintf("the outcome of %s goes into %s, which was not followed: %s",
		lint.Quote(lint.ShortCall(deps[0].Call)), lint.Quote(lint.ShortCall(u.Call)), u.Why)
}

// role is what the kubelet does when the probe fails.
func role(p *lint.Pass) string {
	name, short := "this container", "it"
	if p.Container != nil {
		short = lint.Quote(p.Container.Name)
		name = "container " + short
	}
	if p.Probe.Role == model.Startup {
		return lint.FirstFit(name+" never starts while this fails", short+" never starts while this fails")
	}
	return lint.FirstFit("the kubelet restarts "+name+" when this fails", "the kubelet restarts "+short+" when this fails")
}

// does says what a call contributes.
func does(d *model.Dependency) string {
	name := lint.DependencyName(d)
	if !d.Gates || d.FailsOpen {
		switch {
		case d.Bound == model.BoundNone || d.Bound == model.BoundAnswer:
			return lint.Text("waits for %s with no deadline", name)
		case d.Bound == model.BoundRequest:
			return lint.Text("waits for %s until the kubelet gives up", name)
		case d.Deadline != nil && d.Deadline.Known:
			return lint.Text("waits up to %s for %s", kubelet.Seconds(d.Deadline.Seconds), name)
		}
	}
	verb := "asks"
	switch d.Operation {
	case "ping":
		verb = "pings"
	case "query":
		verb = "queries"
	}
	return lint.Text(verb+" %s on every probe", name)
}

func consequence(p *lint.Pass, deps []*model.Dependency, who, how string) string {
	if how == "obeys" {
		return "an outage of " + who + " alone lets the probe pass; what it answers fails it, and a restart changes nothing about that"
	}
	if p.Probe.Role == model.Startup {
		return fmt.Sprintf("while %s is away no new pod starts, so neither a rollout nor more replicas can relieve the rest", lint.Names(lint.DependencyNames(deps), lint.Or))
	}
	note := "a restart cannot repair " + who
	shared := false
	for _, d := range deps {
		shared = shared || d.Shared
	}
	if shared && p.Workload != nil && p.Workload.Replicas != nil && *p.Workload.Replicas > 1 {
		return note + "; " + p.Replicas() + " restart together and start cold against a recovering server"
	}
	return note + "; the container starts cold against a recovering server"
}

// manifest judges what the manifest alone shows: a command or a host that is itself the dependency.
func manifest(p *lint.Pass) {
	pr := p.Probe
	switch pr.Kind {
	case model.HTTPGet, model.TCPSocket:
		if !lint.Elsewhere(pr.Target.Host, p.Workload) {
			return
		}
		outside(p, string(pr.Kind)+".host", lint.Quote(pr.Target.Host), "this host is not the pod")
	case model.Exec:
		for _, c := range pr.Exec {
			if !c.Remote || !c.Decides || !lint.Elsewhere(c.Host, p.Workload) {
				continue
			}
			name := lint.Quote(c.Host)
			if c.Name != "" {
				name = c.Name + " on " + name
			}
			outside(p, fmt.Sprintf("exec.command[%d]", c.Argument), name, lint.Text("%s asks another host", lint.Quote(c.Command)))
			return
		}
	}
}

func outside(p *lint.Pass, field, name, label string) {
	span := p.Probe.Fields.Value(field, p.Probe.Span)
	f := lint.Finding{
		Level:     level(p),
		Certainty: model.Proven,
		Title:     lint.Title("%s fails whenever %s does", p.Subject(), name),
		Primary:   lint.Label{Span: span, Text: label},
		Labels:    lint.Labels(p.DetectLabel),
		Notes:     []string{consequence(p, []*model.Dependency{{Name: name, Shared: true}}, name, "fails")},
		Help:      "ask this container alone, and leave " + name + " to the readiness probe",
	}
	if p.Probe.Role == model.Startup {
		f.Title = lint.Title("%s fails while %s is down", p.Subject(), name)
	}
	p.Report(f)
}
