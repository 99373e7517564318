// Package execprobecost is the rule exec-probe-cost.
package execprobecost

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is exec-probe-cost.
var Rule = &lint.Rule{
	Name:  "exec-probe-cost",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// From cheap on a period is long enough for a process; at dear and below even a small one counts. In seconds.
const (
	cheap = 10
	dear  = 2
)

func check(p *lint.Pass) {
	c := words.Command(p)
	if c == nil || c.NotShell != nil || !words.Known(p.Probe, "periodSeconds") {
		return
	}
	t := kubelet.TimingOf(p.Probe)
	if t.Period >= cheap {
		return
	}
	f := lint.Finding{Level: lint.Info, Certainty: model.Proven}
	program, argument := "", 0
	for _, e := range c.Programs {
		if e.Heavy != "" {
			program, argument = e.Heavy, e.Argument
			break
		}
	}
	every := words.Secs(t.Period)
	switch {
	case program != "":
		f.Level = lint.Warning
		f.Title = lint.Title("%s starts %s every "+every, words.Subject(p), program)
		f.Primary = words.Argument(p.Probe, argument, lint.Text("starts %s each time", program))
		f.Notes = []string{"the start alone takes half a second to several seconds of CPU; under a CPU limit it competes with the container itself"}
	default:
		if t.Period <= dear {
			f.Level = lint.Warning
		}
		f.Title = lint.Title("%s starts a process every "+every, words.Subject(p))
		f.Primary = words.Argument(p.Probe, 0, "a new process in the container each time")
		f.Notes = []string{fmt.Sprintf("%d starts an hour for each pod, each through the container runtime, which costs CPU on the node beside that of the command", 3600/t.Period)}
	}
	if l, ok := words.Field(p, "periodSeconds", "every "+every)(); ok {
		f.Labels = append(f.Labels, l)
	}
	f.Help = "an httpGet, grpc or tcpSocket probe starts no process; a `periodSeconds` of 10 or more makes this one cheap"
	p.Report(f)
}
