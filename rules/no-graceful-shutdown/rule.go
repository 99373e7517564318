// Package nogracefulshutdown is the rule no-graceful-shutdown.
package nogracefulshutdown

import (
	_ "embed"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is no-graceful-shutdown.
var Rule = &lint.Rule{
	Name:  "no-graceful-shutdown",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProgram,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	prog := p.Program
	if prog == nil || p.Workload == nil || len(p.Workload.Services) == 0 || p.Workload.RunsToCompletion() || len(prog.Servers) == 0 {
		return
	}
	if prog.Shutdown != nil && prog.Shutdown.Graceful || !prog.Complete {
		return
	}
	s, by := traffic(p)
	if s == nil || s.Span.IsZero() {
		return
	}
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:    lint.Title("%s cuts the requests in flight at SIGTERM", lint.Quote(prog.Name())),
		Primary:  lint.Label{Span: s.Span, Text: "no Shutdown is called on this server"},
		Labels:   []lint.Label{{Span: by.Span, Text: lint.Text("Service %s sends it requests", lint.Quote(by.Name))}},
		Notes:    []string{"a preStop hook keeps new requests away; those that are running when SIGTERM comes break off"},
		Help:     "on SIGTERM call `Shutdown` with a deadline below the grace period, and wait for it",
		Cause:    lint.CauseAt(s.Span) + " graceful",
		Identity: []string{"go", prog.Package, "graceful"},
	})
}

// traffic is the server that a Service sends requests to, and that Service; a port that is not known on either side fits any.
func traffic(p *lint.Pass) (*model.Server, *model.Service) {
	for _, svc := range p.Workload.Services {
		for _, sp := range svc.Ports {
			for _, s := range p.Program.Servers {
				if sp.TargetPort == 0 || s.Address == "" || strings.HasSuffix(s.Address, ":"+strconv.Itoa(sp.TargetPort)) {
					return s, svc
				}
			}
		}
	}
	return nil, nil
}
