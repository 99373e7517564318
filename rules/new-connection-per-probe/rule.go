// Package newconnectionperprobe is the rule new-connection-per-probe.
package newconnectionperprobe

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is new-connection-per-probe.
var Rule = &lint.Rule{
	Name:  "new-connection-per-probe",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, c := range p.Endpoint.Connections {
		if c.Escapes || seen[c.Span] {
			continue
		}
		seen[c.Span] = true
		report(p, c)
	}
}

func report(p *lint.Pass, c model.NewConnection) {
	call, what := lint.Quote(lint.ShortCall(c.Call)), "a connection"
	if c.Name != "" {
		what = "a connection to " + c.Name
	}
	f := lint.Finding{
		Certainty: model.Proven,
		Cause:     lint.CauseAt(c.Span), Identity: p.InCode(c.Call),
		Labels: lint.Labels(p.AskedLabel, p.ServedLabel),
		Help:   "build the client once, when the program starts, and let the check borrow from its pool",
	}
	if c.Closed {
		f.Level = lint.Warning
		f.Title = lint.Title("%s opens and closes %s on every probe", lint.Quote(p.Path()), what)
		f.Primary = lint.Label{Span: c.Span, Text: lint.Text("%s on every probe", call)}
		f.Notes = []string{"each probe pays for dial, TLS and login, and says nothing of the pool that requests use"}
	} else {
		f.Level = lint.Error
		f.Title = lint.Title("%s opens %s on every probe and leaves it open", lint.Quote(p.Path()), what)
		f.Primary = lint.Label{Span: c.Span, Text: lint.Text("%s on every probe, closed on no path", call)}
		f.Notes = []string{"the probe itself uses up the server's connections" + rate(p)}
	}
	p.Report(f)
}

// rate is how many connections the fleet opens in an hour.
func rate(p *lint.Pass) string {
	n, ok := words.AnHour(p)
	if !ok {
		return ""
	}
	who := "each pod"
	if p.Workload.Replicas != nil && *p.Workload.Replicas > 1 {
		n, who = n**p.Workload.Replicas, p.Replicas()
	}
	return fmt.Sprintf(": %d an hour from %s", n, who)
}
