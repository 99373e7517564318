// Package readybeforewarm is the rule ready-before-warm.
package readybeforewarm

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is ready-before-warm.
var Rule = &lint.Rule{
	Name:  "ready-before-warm",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Role != model.Readiness {
		return
	}
	switch {
	case p.Endpoint != nil && p.Endpoint.Unchecked != nil && p.Endpoint.Unchecked.Warmup != nil:
		report(p, p.Endpoint.Unchecked.Warmup, lint.Error)
	case p.Probe.Kind == model.TCPSocket && p.Program != nil && p.Program.Warmup != nil && !apart(p.Program, p.Probe.Target.Port):
		report(p, p.Program.Warmup, lint.Warning)
	}
}

// apart reports a port that another mode of the program opens than the one that warms up; of a program with several modes
// a port must be known to be the other's.
func apart(prog *model.Program, port int) bool {
	modes := false
	for _, s := range prog.Servers {
		modes = modes || s.Apart
		if !s.Apart && port > 0 && strings.HasSuffix(s.Address, ":"+strconv.Itoa(port)) {
			return false
		}
	}
	return modes
}

func report(p *lint.Pass, w *model.Warmup, l lint.Level) {
	certainty := p.LinkCertainty()
	f := lint.Finding{
		Level: lint.Lowered(l, certainty), Certainty: certainty,
		Title:    lint.Title("%s succeeds before %s has ended", p.Subject(), w.What),
		Primary:  lint.Label{Span: w.Span, Text: lint.Text("%s runs while the port is open", w.What)},
		Labels:   []lint.Label{{Span: w.Listener, Text: "from here on connections are accepted", Strong: true}},
		Notes:    []string{"the pod gets its share of the traffic before it can answer it, at every start and every rollout"},
		Help:     "set a flag when the work has ended, and answer 503 until then",
		Cause:    lint.CauseAt(w.Span) + " " + string(p.Probe.Kind),
		Identity: identity(p),
	}
	if w.Listener.IsZero() {
		f.Labels = nil
	}
	f.Labels = append(f.Labels, lint.Labels(p.TargetLabel, p.ServedLabel)...)
	if p.Probe.Kind == model.TCPSocket {
		f.Notes = append(f.Notes, "the kernel completes the handshake for a process that does not answer yet")
		f.Help = "probe a path with httpGet, and answer 503 there until the work has ended"
	}
	p.Report(f)
}

// identity is the program, whose start-up it is, or the handler where no manifest leads to a program.
func identity(p *lint.Pass) []string {
	if p.Program != nil {
		return []string{"go", p.Program.Package, "warm"}
	}
	return p.InCode("warm")
}
