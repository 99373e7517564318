// Package grpcserviceunregistered is the rule grpc-service-unregistered.
package grpcserviceunregistered

import (
	_ "embed"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
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
	if m := words.Missed(p, model.MissGRPC); m != nil {
		checkServer(p, m)
		return
	}
	if p.Probe.Kind != model.GRPC || p.Probe.Guessed || p.Endpoint == nil || p.Endpoint.GRPC == nil {
		return
	}
	if g, service := p.Endpoint.GRPC, p.Probe.Target.Service; g.Standard && service != "" && !slices.Contains(g.Set, service) {
		checkName(p, g, service)
	}
}

// checkServer reports a gRPC server without a health service. What another kind of server answers is not known.
func checkServer(p *lint.Pass, m *model.Miss) {
	if p.Probe.Kind != model.GRPC || m.Server == nil || m.Server.Kind != "grpc" {
		return
	}
	level, certainty, unresolved := words.Graded(m)
	f := finding(p, "no health service is registered", "UNIMPLEMENTED")
	f.Level, f.Certainty = level, certainty
	f.Labels = lint.Labels(words.ListensLabel(m))
	f.Help = "register one: `healthpb.RegisterHealthServer(server, health.NewServer())`"
	if unresolved != "" {
		f.Notes = append(f.Notes, unresolved)
	}
	p.Report(f)
}

// checkName reports a service that never gets a status.
func checkName(p *lint.Pass, g *model.GRPCHealth, service string) {
	f := finding(p, "the health server knows no service "+lint.Quote(service), "NOT_FOUND")
	var stopped string
	f.Level, f.Certainty, stopped = p.Absence(lint.Error)
	label := lint.Label{Span: g.Server, Text: "this server is asked", Strong: true}
	if g.Complete {
		label.Text = lint.Text("knows %s", known(g.Set))
	} else {
		f.Level, f.Certainty = lint.Info, lint.Weaker(f.Certainty, model.Likely)
	}
	f.Help = "set its status: `SetServingStatus(name, SERVING)`, or leave `service` out of the probe"
	if !g.Server.IsZero() {
		f.Labels = append(f.Labels, label)
	}
	if stopped != "" {
		f.Notes = append(f.Notes, stopped)
	}
	p.Report(f)
}

func finding(p *lint.Pass, what, code string) lint.Finding {
	return lint.Finding{
		Title:   lint.Title("%s gets "+code+": %s", p.Subject(), what),
		Primary: lint.Label{Span: p.TargetSpan(), Text: lint.Text("the answer is %s, which is a failure", code)},
		Notes:   []string{effect(p)},
	}
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
