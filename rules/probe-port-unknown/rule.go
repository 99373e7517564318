// Package probeportunknown is the rule probe-port-unknown.
package probeportunknown

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

// Rule is probe-port-unknown.
var Rule = &lint.Rule{
	Name:  "probe-port-unknown",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
	// No handler is ever reached.
	Silences: []string{
		"liveness-checks-dependency", "check-without-deadline", "check-budget-exceeds-timeout", "sequential-checks", "cached-aggregate",
		"readiness-always-ok", "readiness-shared-dependency", "liveness-mirrors-dependency", "liveness-fails-on-overload",
		"liveness-fails-while-draining", "ready-before-warm", "fleet-check-load", "health-chain", "unhealthy-answers-200",
		"status-after-body", "flush-before-verdict", "error-text-in-body", "deadline-ignored-by-client", "check-cannot-fail",
		"check-heavy-query", "check-mutates", "new-connection-per-probe", "check-leaks-goroutine", "check-leaks-body",
		"probe-hits-redirect", "health-behind-middleware",
	},
}

func check(p *lint.Pass) {
	pr := p.Probe
	if pr.Guessed || pr.Rejected() || !kubelet.UnknownPort(pr) {
		return
	}
	name := pr.Target.PortName
	f := lint.Finding{
		Level: lint.Error, Certainty: model.Proven,
		Title:   lint.Title("%s names port %s, which is no port of its container", p.Subject(), lint.Quote(name)),
		Primary: lint.Label{Span: words.PortSpan(pr), Text: lint.Text("container %s has no port of this name", lint.Quote(p.Container.Name))},
		Notes:   []string{"the API server accepts the name; each attempt ends in an error, and the kubelet discards errors: " + consequence(pr.Role)},
	}
	var names []string
	for i, cp := range p.Container.Ports {
		if cp.Name == "" {
			continue
		}
		names = append(names, cp.Name)
		if len(f.Labels) < 3 {
			at := p.Container.Fields.Value(fmt.Sprintf("ports[%d].name", i), p.Container.Span)
			f.Labels = append(f.Labels, lint.Label{Span: at, Text: lint.Text("a port that it has: %s, "+fmt.Sprint(cp.Port), lint.Quote(cp.Name))})
		}
	}
	for _, other := range p.Workload.Containers {
		for _, cp := range other.Ports {
			if other != p.Container && cp.Name == name {
				f.Notes = append(f.Notes, fmt.Sprintf("container %s has it, but the kubelet looks only at the ports of the probed container", lint.Quote(other.Name)))
			}
		}
	}
	f.Help = "the name of a port that container " + lint.Quote(p.Container.Name) + " declares, or the number"
	if len(names) > 0 {
		f.Help = "the container names " + lint.And(quoted(names)) + ", and a number works as well"
	}
	if near := lint.Nearest(name, names); near != "" {
		f.Fixes = []lint.Fix{{
			Title: "Point the " + string(pr.Role) + " probe at port " + lint.Quote(near),
			Edits: []lint.Edit{{Span: words.PortSpan(pr), Text: near, Old: name}},
		}}
	}
	p.Report(f)
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = lint.Quote(n)
	}
	return out
}

func consequence(r model.Role) string {
	switch r {
	case model.Liveness:
		return "liveness never fails, so a hung process is never restarted"
	case model.Startup:
		return "the start never ends, and the container neither becomes ready nor is it killed"
	}
	return "the container starts as not ready and stays so"
}
