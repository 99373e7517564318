// Package grpcserviceunregistered is the rule grpc-service-unregistered.
package grpcserviceunregistered

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is grpc-service-unregistered.
var Rule = &lint.Rule{
	Name:  "grpc-service-unregistered",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Probe.Kind != model.GRPC || p.Probe.Guessed || p.Endpoint == nil || p.Endpoint.GRPC == nil {
		return
	}
	g := p.Endpoint.GRPC
	service := p.Probe.Target.Service
	switch {
	case !g.Registered:
		report(p, "no health service is registered", "UNIMPLEMENTED")
	case g.Standard && service != "" && !slices.Contains(g.Set, service):
		report(p, fmt.Sprintf("the health server knows no service %s", lint.Quote(service)), "NOT_FOUND")
	}
}

func report(p *lint.Pass, what, code string) {
	g := p.Endpoint.GRPC
	l, certainty, stopped := p.Absence(lint.Error)
	if !g.Complete && g.Registered {
		l, certainty = lint.Info, lint.Weaker(certainty, model.Likely)
	}
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Title:   lint.Title("%s gets "+code+": %s", p.Subject(), what),
		Primary: lint.Label{Span: p.TargetSpan(), Text: lint.Text("the answer is %s, which is a failure", code)},
		Notes:   []string{effect(p)},
		Help:    "set its status: `SetServingStatus(name, SERVING)`, or leave `service` out of the probe",
	}
	label := lint.Label{Span: g.Server, Text: "this server is asked", Strong: true}
	if g.Registered && g.Complete {
		label.Text = lint.Text("knows %s", known(g.Set))
	}
	if !g.Registered {
		f.Help = "register one: `healthpb.RegisterHealthServer(server, health.NewServer())`"
	}
	if !g.Server.IsZero() {
		f.Labels = append(f.Labels, label)
	}
	if stopped != "" {
		f.Notes = append(f.Notes, stopped)
	}
	p.Report(f)
}

// known lists the services that have a status; "" has one from birth.
func known(set []string) string {
	names := []string{`"" alone`}
	for _, s := range set {
		if s != "" {
			names = append(names, lint.Quote(s))
		}
	}
	if len(names) > 1 {
		names[0] = `""`
	}
	return lint.And(names)
}

func effect(p *lint.Pass) string {
	switch p.Probe.Role {
	case model.Liveness:
		return "every attempt fails: the container is restarted for ever"
	case model.Startup:
		return "every attempt fails: the container never starts"
	}
	return "every attempt fails: the pod never becomes ready"
}
