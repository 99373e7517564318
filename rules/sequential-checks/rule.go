// Package sequentialchecks is the rule sequential-checks.
package sequentialchecks

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is sequential-checks.
var Rule = &lint.Rule{
	Name:  "sequential-checks",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	timeout, known := p.Timeout()
	b := p.Endpoint.Budget
	sum := b != nil && b.Basis == "sum" && b.Parallel > 0 && b.Parallel < b.Lower
	calls := inARow(p.Endpoint)
	if len(calls) == 0 || !sum && independent(calls) < 2 {
		return
	}
	level := lint.Info
	certainty := p.LinkCertainty()
	if sum && known && !p.Probe.Guessed && b.Lower >= timeout && b.Parallel < timeout {
		level = lint.Warning
	}
	f := lint.Finding{
		Level: lint.Lowered(level, certainty), Certainty: certainty,
		Cause: lint.CauseAt(calls[0].Span) + " sequential", Identity: p.InCode("sequential"),
		Help: "run the checks side by side under one context, and collect their results",
	}
	n := number(calls, b)
	path := lint.Quote(p.Path())
	switch {
	case sum:
		f.Title = lint.Title("%s makes "+n+" one after the other: "+kubelet.Seconds(b.Lower)+" instead of "+kubelet.Seconds(b.Parallel), path)
		if known && !p.Probe.Guessed {
			f.Notes = append(f.Notes, fmt.Sprintf("the probe waits %s: side by side the slowest check counts, %s", kubelet.Seconds(timeout), kubelet.Seconds(b.Parallel)))
		}
	default:
		f.Title = lint.Title("%s makes "+n+" one after the other", path)
		f.Notes = append(f.Notes, "one slow dependency uses up the time of those behind it, so the answer names the wrong one")
	}
	for i, d := range calls {
		if i == 4 {
			break
		}
		label := lint.Label{Span: d.Span, Text: text(d, i), Strong: true}
		if i == 0 {
			f.Primary = lint.Label{Span: label.Span, Text: label.Text}
		} else {
			f.Labels = append(f.Labels, label)
		}
	}
	f.Labels = append(f.Labels, lint.Labels(p.TimeoutLabel, p.ServedLabel)...)
	p.Report(f)
}

// inARow are the calls that hold the answer up one after the other.
func inARow(e *model.Endpoint) []*model.Dependency {
	var out []*model.Dependency
	seen := map[model.Span]bool{}
	for _, d := range e.Dependencies {
		if d.AfterAnswer || d.Mode == "parallel" || d.Mode == "detached" || seen[d.Span] ||
			d.Scope != model.External && d.Scope != model.Loopback {
			continue
		}
		seen[d.Span] = true
		out = append(out, d)
	}
	return out
}

// independent counts what is asked: two calls to one server may need each other, calls to two servers do not.
func independent(calls []*model.Dependency) int {
	asked := map[string]bool{}
	for _, d := range calls {
		target := d.Target
		if target == "" && (d.Kind == "http" || d.Kind == "grpc" || d.Kind == "tcp") {
			target = lint.CauseAt(d.Span)
		}
		asked[d.Kind+" "+d.Name+" "+target] = true
	}
	return len(asked)
}

// number says how many checks there are; a loop of unknown length makes it several.
func number(calls []*model.Dependency, b *model.TimeBudget) string {
	n := 0
	for _, d := range calls {
		n += max(1, d.Loop)
	}
	if b != nil && b.Basis == "sum" {
		n = max(n, len(b.Parts))
	}
	if n < 2 {
		return "several checks"
	}
	return lint.Count(n, "check")
}

func text(d *model.Dependency, i int) string {
	s := lint.DependencyName(d)
	if d.Loop > 1 {
		s = fmt.Sprintf("%d of them", d.Loop)
	}
	if d.Deadline != nil && d.Deadline.Known && d.Deadline.From != "library" { // the budget counts what the code states
		s += ", up to " + kubelet.Seconds(d.Deadline.Seconds)
		if d.Loop > 1 {
			s += " each"
		}
	}
	if i == 0 {
		return lint.Text("first %s", s)
	}
	return lint.Text("then %s", s)
}
