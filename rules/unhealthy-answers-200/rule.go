// Package unhealthyanswers200 is the rule unhealthy-answers-200.
package unhealthyanswers200

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is unhealthy-answers-200.
var Rule = &lint.Rule{
	Name:  "unhealthy-answers-200",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Answer.FailingOK == nil {
		return
	}
	b := p.Endpoint.Answer.FailingOK
	// A dependency that does not fail liveness is right, and a degraded part is reported and not imposed.
	if b.Degraded || b.Dependency && p.Probe.Role == model.Liveness {
		return
	}
	level, certainty := lint.Error, model.Proven
	var notes []string
	if p.Endpoint.Answer.Unknown {
		level, certainty = lint.Info, model.Likely
		if len(p.Endpoint.Unfollowed) > 0 {
			u := p.Endpoint.Unfollowed[0]
			notes = append(notes, fmt.Sprintf("%s was not followed, and it can set the status: %s", lint.Quote(lint.ShortCall(u.Call)), u.Why))
		}
	}
	status := b.Status
	if status == 0 {
		status = 200
	}
	f := lint.Finding{
		Level: level, Certainty: certainty,
		Title:    lint.Title(fmt.Sprintf("%%s answers %d when %%s fails", status), lint.Quote(p.Path()), lint.Quote(lint.ShortCall(b.Call))),
		Primary:  lint.Label{Span: b.Write, Text: says(status)},
		Labels:   []lint.Label{{Span: b.Check, Text: "this check failed", Strong: true}},
		Notes:    append(notes, "the kubelet reads the status and never the body: this instance stays "+stays(p)),
		Help:     "set the status before the body: `w.WriteHeader(http.StatusServiceUnavailable)`",
		Cause:    lint.CauseAt(b.Write),
		Identity: p.InCode(b.Call),
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	p.Report(f)
}

func says(status int) string {
	if status == 200 {
		return "no status was written, so this sends 200"
	}
	return fmt.Sprintf("this sends %d, which counts as success", status)
}

func stays(p *lint.Pass) string {
	switch p.Probe.Role {
	case model.Liveness:
		return "alive for it"
	case model.Startup:
		return "started for it"
	}
	return "in rotation"
}
