// Package guess makes a probe for a health endpoint that no manifest probes: the role by the convention of its path, the
// timings by the kubelet's defaults. The command line and the vet tool guess alike, so that what one finds the other finds.
package guess

import (
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// Analysis is what a guess asks of the Go side.
type Analysis interface {
	Endpoint(*model.Program, *model.Route, model.Request, *model.Container) *model.Endpoint
}

// Probes returns a guessed probe for each route of the program whose path is by convention that of a health endpoint.
// Routes that skip reports are left out: those that a manifest probes.
//
// An aggregate such as /healthz serves any role. It is taken as readiness, the role whose failure is repaired by itself: a
// rule about restarts has nothing to say about an endpoint that may never restart anything.
func Probes(code Analysis, p *model.Program, skip func(*model.Route) bool) []*model.Probe {
	var out []*model.Probe
	seen := map[string]bool{}
	for _, s := range p.Servers {
		for _, r := range s.Routes {
			if s.Kind == "grpc" || r.Method != "" && r.Method != "GET" || strings.ContainsAny(r.Pattern, "{*") || seen[r.Pattern] || skip(r) {
				continue
			}
			role, ambiguous := knowledge.GuessRole(r.Pattern)
			if role == "" && !ambiguous {
				continue
			}
			seen[r.Pattern] = true
			if e := code.Endpoint(p, r, model.Request{Method: "GET", Path: r.Pattern}, nil); e != nil {
				if e.Directive != nil {
					role = e.Directive.Role
				}
				e.Role = role
				out = append(out, probe(role, r, e))
			}
		}
	}
	return out
}

func probe(role model.Role, r *model.Route, e *model.Endpoint) *model.Probe {
	if role == "" {
		role = model.Readiness
	}
	timeout := 1
	if e.Directive != nil && e.Directive.TimeoutSeconds > 1 {
		timeout = int(e.Directive.TimeoutSeconds)
	}
	return &model.Probe{
		Role: role, Kind: model.HTTPGet, Guessed: true, Certainty: model.Guessed, Endpoint: e,
		Target:        model.Target{Scheme: "HTTP", Path: r.Pattern},
		PeriodSeconds: 10, TimeoutSeconds: timeout, FailureThreshold: 3, SuccessThreshold: 1, // kubelet defaults (SEMANTICS.md K1)
	}
}
