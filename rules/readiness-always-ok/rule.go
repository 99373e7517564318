// Package readinessalwaysok is the rule readiness-always-ok.
package readinessalwaysok

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is readiness-always-ok.
var Rule = &lint.Rule{
	Name:  "readiness-always-ok",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Role != model.Readiness || p.Probe.Kind == model.GRPC || p.Endpoint == nil || !always(p.Endpoint) {
		return
	}
	e := p.Endpoint
	l := lint.Info
	u := e.Unchecked
	if u == nil {
		u = &model.Unchecked{}
	}
	if (len(u.Pools) > 0 || u.Warmup != nil) && len(e.Dependencies) == 0 {
		l = lint.Warning
	}
	if redirects(e) {
		l = lint.Info // the rule on redirects says where it leads
	}
	l, certainty, stopped := p.Absence(l)
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Title: lint.Title("readiness of `%s` is always a success", name(p)),
		Help:  fmt.Sprintf("answer 503 on %s while this instance cannot serve: before it is warm, while it drains, with its own pool exhausted", lint.Quote(p.Path())),
		Cause: fmt.Sprintf("%s:%d %s", e.File, e.Line, e.Symbol), Identity: p.InCode(),
	}
	if e.Limited(http.StatusTooManyRequests) {
		f.Title = lint.Title("readiness of `%s` is a success whatever its state", name(p))
	}
	if p.Probe.Guessed {
		f.Title = lint.Title("%s says ready whatever the state", lint.Quote(p.Path()))
	}
	f.Primary = lint.Label{Span: answer(e), Text: "the only answer, whatever the state of the process"}
	if e.Answer.Idle { // a failing status stands there, and no state leads to it
		f.Primary.Text = "the answer, whatever the state of the process"
	}
	f.Labels = lint.Labels(p.AskedLabel, p.ServedLabel)
	told := map[string]bool{}
	for _, pool := range u.Pools {
		if len(told) == 2 {
			break
		}
		label := lint.Label{Span: pool.Use, Text: lint.Text("%s cannot answer without %s", lint.Quote(pool.UseRoute), pool.Name)}
		if pool.UseRoute == "" {
			label.Text = lint.Text("other requests cannot be answered without %s", pool.Name)
		}
		if told[label.Text] {
			continue // another call of the same handler
		}
		told[label.Text] = true
		if label.Span.IsZero() {
			label.Span = pool.Span
		}
		f.Labels = append(f.Labels, label)
		note := fmt.Sprintf("with its connections to %s exhausted or broken the instance stays in rotation and answers errors", pool.Name)
		if !slices.Contains(f.Notes, note) {
			f.Notes = append(f.Notes, note)
		}
	}
	if w := u.Warmup; w != nil {
		f.Labels = append(f.Labels, lint.Label{Span: w.Span, Text: lint.Text("%s goes on after the port is open", w.What)})
		f.Notes = append(f.Notes, "traffic arrives before "+w.What+" has ended")
	}
	if len(f.Notes) == 0 {
		f.Notes = append(f.Notes, "the probe adds nothing to an open port; a wait before Shutdown or a preStop sleep is what drains this pod")
	}
	if stopped != "" {
		f.Notes = append(f.Notes, stopped)
	}
	p.Report(f)
}

func name(p *lint.Pass) string {
	if p.Workload != nil {
		return p.Workload.Name
	}
	return p.Path()
}

// redirects reports an answer that sends the kubelet on, which it counts as a success or follows on the same host.
func redirects(e *model.Endpoint) bool {
	for _, s := range e.Answer.Statuses {
		if s >= 300 && s <= 399 {
			return true
		}
	}
	return false
}

// always reports whether nothing that was followed can turn the answer into a failure.
func always(e *model.Endpoint) bool {
	if e.Answer.Unknown || !e.Answer.Static && len(e.Answer.Statuses) == 0 {
		return false
	}
	for _, s := range e.Answer.Statuses {
		if s < 200 || s > 399 && !e.Answer.Idle && !e.Limited(s) {
			return false
		}
	}
	for _, s := range e.State {
		if s.Gates {
			return false
		}
	}
	for _, w := range e.Wrappers {
		for _, s := range w.Statuses {
			if s >= 400 && !e.Limited(s) {
				return false
			}
		}
	}
	for _, d := range e.Dependencies {
		// A call that can wait for the kubelet's timeout fails the probe by its silence.
		if d.Gates || d.GatesUnknown || lint.WaitOf(d, 1) != lint.WaitsNot {
			return false
		}
	}
	return e.Cache == nil
}

// answer is where the success is written.
func answer(e *model.Endpoint) model.Span {
	for _, s := range []model.Span{e.Answer.SuccessSpan, e.Span, e.Registration} {
		if !s.IsZero() {
			return s
		}
	}
	return model.Span{}
}
