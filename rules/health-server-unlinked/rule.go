// Package healthserverunlinked is the rule health-server-unlinked.
package healthserverunlinked

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is health-server-unlinked.
var Rule = &lint.Rule{
	Name:  "health-server-unlinked",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link},
	Scope: lint.PerProgram,
	Doc:   doc,
	Check: check,
	// That its error goes nowhere is this finding.
	SilencesCall: []string{"listen-error-dropped"},
}

func check(p *lint.Pass) {
	if p.Program == nil || p.Container == nil || p.Workload == nil {
		return
	}
	ready := p.Container.Probe(model.Readiness)
	if ready == nil || ready.Kind != model.HTTPGet && ready.Kind != model.GRPC || ready.Target.Port == 0 || watches(ready.Endpoint) {
		return
	}
	health := words.ServerAt(p.Program, ready.Target.Port)
	traffic, svc := words.Traffic(p.Program, p.Workload)
	if health == nil || traffic == nil || health == traffic || traffic.Span.IsZero() {
		return
	}
	text := ""
	switch traffic.Outcome {
	case model.OutcomeLogged:
		text = "its end is logged, and the process goes on"
	case model.OutcomeDropped:
		text = "its end is not even logged, and the process goes on"
	default:
		return
	}
	certainty := lint.Weaker(p.ProgramCertainty)
	f := lint.Finding{
		Level: lint.Lowered(lint.Error, certainty), Certainty: certainty,
		Title:    lint.Title(fmt.Sprintf("the end of the server on %s changes nothing: readiness of %%s asks %s", traffic.Address, health.Address), lint.Named(p.Workload)),
		Primary:  lint.Label{Span: traffic.Span, Text: text},
		Labels:   []lint.Label{{Span: svc.Span, Text: lint.Text("Service %s sends its requests to "+traffic.Address, lint.Quote(svc.Name))}},
		Notes:    []string{"where the port is taken or the server dies, every request fails and the pod stays ready for ever"},
		Help:     "end the process when a server ends (`log.Fatal`, an errgroup), or answer readiness on the server that has the traffic",
		Cause:    lint.CauseAt(traffic.Span) + " unlinked",
		Identity: []string{"go", p.Program.Package, "unlinked", traffic.Address},
	}
	p.Report(f)
}

// watches reports a readiness endpoint that asks its own pod, which can be the other server.
func watches(e *model.Endpoint) bool {
	if e == nil {
		return false
	}
	for _, d := range e.Dependencies {
		if d.Scope == model.Loopback {
			return true
		}
	}
	return false
}
