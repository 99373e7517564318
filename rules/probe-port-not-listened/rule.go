// Package probeportnotlistened is the rule probe-port-not-listened.
package probeportnotlistened

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-port-not-listened.
var Rule = &lint.Rule{
	Name:     "probe-port-not-listened",
	Level:    lint.Error,
	Sees:     []lint.Sees{lint.Link},
	Scope:    lint.PerProbe,
	Doc:      doc,
	Check:    check,
	Silences: append([]string{"probe-path-unregistered", "probe-method-mismatch", "probe-scheme-mismatch", "tcp-readiness", "tcp-liveness"}, words.ContentRules...),
}

func check(p *lint.Pass) {
	m := words.Missed(p, model.MissPort, model.MissLoopback)
	if m == nil {
		return
	}
	level, certainty, unresolved := words.Graded(m)
	if level == lint.Error && m.Assumed {
		level, certainty = lint.Warning, model.Likely
		unresolved = "the address is the default in code; what the image itself sets was not seen"
	}
	port, program := fmt.Sprint(p.Probe.Target.Port), words.Program(m.Program)
	f := lint.Finding{
		Level: level, Certainty: certainty,
		Title:   lint.Title("%s asks port %s, and %s listens on %s", p.Subject(), port, program, lint.Quote(m.Address)),
		Primary: lint.Label{Span: words.PortSpan(p.Probe), Text: lint.Text("nothing of %s listens here", program)},
		Labels:  lint.Labels(words.ListensLabel(m), words.AddressLabel(m)),
		Notes:   []string{"each attempt is refused, which is a failure: " + words.NeverSucceeds(p)},
		Help:    "probe the port that the program listens on, or set the program's address to this port",
	}
	if m.Kind == model.MissLoopback {
		f.Primary.Text = "the kubelet dials the address of the pod, not loopback"
		f.Help = fmt.Sprintf("listen on %s, all addresses of the pod", lint.Quote(":"+port))
	}
	if unresolved != "" {
		f.Notes = append(f.Notes, unresolved)
	}
	p.Report(f)
}
