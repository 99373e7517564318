// Package probeschememismatch is the rule probe-scheme-mismatch.
package probeschememismatch

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-scheme-mismatch.
var Rule = &lint.Rule{
	Name:     "probe-scheme-mismatch",
	Level:    lint.Error,
	Sees:     []lint.Sees{lint.Link},
	Scope:    lint.PerProbe,
	Doc:      doc,
	Check:    check,
	Silences: append([]string{"probe-path-unregistered", "probe-method-mismatch"}, words.ContentRules...),
}

func check(p *lint.Pass) {
	m := words.Missed(p, model.MissScheme)
	if m == nil || m.Server == nil {
		return
	}
	level, certainty, unresolved := words.Graded(m)
	asks, speaks := "HTTP", "TLS"
	// Measured: a Go server answers 400 to plain HTTP on a TLS port; the kubelet's handshake fails on a plain port.
	why, help := "Go answers 400 to plain HTTP on a TLS port, which is a failure: ", "set `scheme: HTTPS`; the kubelet does not verify the certificate"
	if !m.Server.TLS {
		asks, speaks = "HTTPS", "plain HTTP"
		why, help = "the TLS handshake fails, which is a failure: ", "leave `scheme` out, or set `scheme: HTTP`"
	}
	at := p.TargetSpan()
	if f, ok := p.Probe.Fields["httpGet.scheme"]; ok {
		at = f.Value
	}
	f := lint.Finding{
		Level: level, Certainty: certainty,
		Title:   lint.Title("%s speaks %s, and %s speaks %s on %s", p.Subject(), asks, words.Program(m.Program), speaks, lint.Quote(m.Address)),
		Primary: lint.Label{Span: at, Text: "the probe speaks " + asks},
		Notes:   []string{why + words.NeverSucceeds(p)},
		Help:    help,
	}
	if !m.Server.Span.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: m.Server.Span, Text: lint.Text("speaks "+speaks+" on %s", lint.Quote(m.Address))})
	}
	if unresolved != "" {
		f.Notes = append(f.Notes, unresolved)
	}
	p.Report(f)
}
