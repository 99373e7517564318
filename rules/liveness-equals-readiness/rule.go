// Package livenessequalsreadiness is the rule liveness-equals-readiness.
package livenessequalsreadiness

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is liveness-equals-readiness.
var Rule = &lint.Rule{
	Name:  "liveness-equals-readiness",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Link},
	Scope: lint.PerContainer,
	Doc:   doc,
	Check: check,
}

// commandLength is how much of a command a title shows, in code points.
const commandLength = 40

// margin is how many seconds the earliest restart has to come after the latest removal, for the removal to have had a
// chance to help.
const margin = 10

func check(p *lint.Pass) {
	live, ready := p.Container.Probe(model.Liveness), p.Container.Probe(model.Readiness)
	if live == nil || ready == nil {
		return
	}
	pl, pr := words.With(p, live), words.With(p, ready)
	if !words.Judged(pl) || !words.Judged(pr) || !same(live, ready) {
		return
	}
	v, name := verdictOf(live), words.Container(p.Workload, p.Container)
	f := lint.Finding{
		Level:     v.level,
		Certainty: v.certainty,
		Title: lint.FirstTitle(
			"liveness and readiness probe of "+name+" ask the same: "+asked(live),
			"liveness and readiness of "+name+" ask the same: "+asked(live),
			"both probes of "+name+" ask the same: "+asked(live),
		),
		Primary: lint.Label{Span: pl.TargetSpan(), Text: lint.FirstFit(
			"the kubelet restarts container "+lint.Quote(p.Container.Name)+" when this fails",
			"the kubelet restarts "+lint.Quote(p.Container.Name)+" when this fails",
		)},
		Labels: []lint.Label{{Span: pr.TargetSpan(), Text: "and takes it out of rotation when the same fails"}},
		Notes:  v.notes,
		Probes: []lint.ProbeRef{pl.Ref(), pr.Ref()},
	}
	if live.Target.PortName != ready.Target.PortName {
		f.Labels = append(f.Labels, lint.Label{
			Span: words.PortSpan(ready), Text: fmt.Sprintf("port %d, the one that liveness asks", ready.Target.Port),
		})
	}
	if !pl.UnknownTimings() && !pr.UnknownTimings() {
		kill, remove := kubelet.TimingOf(live), kubelet.TimingOf(ready)
		first, last := kill.DetectFast().Best, remove.DetectHang().Worst
		f.Labels = append(f.Labels, lint.Labels(pl.DetectLabel, pr.DetectLabel)...)
		switch {
		case first >= last+margin:
			f.Level = lint.Info
			f.Notes = append(f.Notes, fmt.Sprintf("out of rotation %s at the latest, restarted %s at the earliest: the fault has at least %s to pass",
				kubelet.Seconds(last), kubelet.Seconds(first), kubelet.Seconds(first-last)))
		case first >= last:
			f.Notes = append(f.Notes, fmt.Sprintf("out of rotation %s at the latest, restarted %s at the earliest: %s for the removal to help",
				kubelet.Seconds(last), kubelet.Seconds(first), kubelet.Seconds(first-last)))
		default:
			f.Notes = append(f.Notes, fmt.Sprintf("in rotation for up to %s, restarted from %s on: the restart comes where the removal alone was wanted",
				kubelet.Seconds(last), kubelet.Seconds(first)))
		}
		f.Help = help(ready, kill, last)
	}
	f.Labels = append(f.Labels, v.labels...)
	p.Report(f)
}

// help says what restart window the removal needs, since another endpoint for liveness is for the author to write.
func help(ready *model.Probe, kill kubelet.Timing, last float64) string {
	ask := "a liveness endpoint that only says whether this process still runs"
	switch ready.Kind {
	case model.Exec:
		ask = "a liveness command that only says whether this process still runs"
	case model.TCPSocket:
		ask = "a readiness probe of an answer, not of the open port"
	}
	// (F-1)P >= last + margin, by the period that is written.
	f := int((last+margin)/float64(kill.Period)) + 1
	for float64((f-1)*kill.Period) < last+margin {
		f++
	}
	if f <= kill.FailureThreshold {
		return ask + " makes the threshold matter less"
	}
	return fmt.Sprintf("%s; until there is one, `failureThreshold: %d` on the liveness probe restarts no earlier than %s",
		ask, f, kubelet.Seconds(float64((f-1)*kill.Period)))
}

// same reports whether two probes ask the same: a named port is the number that it stands for.
func same(a, b *model.Probe) bool {
	if a.Kind != b.Kind {
		return false
	}
	x, y := a.Target, b.Target
	samePort := x.Port == y.Port && (x.Port != 0 || x.PortName == y.PortName)
	switch a.Kind {
	case model.HTTPGet:
		return samePort && x.Scheme == y.Scheme && x.Host == y.Host && x.Path == y.Path && sameHeaders(x.Headers, y.Headers)
	case model.GRPC:
		return samePort && x.Service == y.Service
	case model.TCPSocket:
		return samePort && x.Host == y.Host
	case model.Exec:
		if len(x.Command) != len(y.Command) || len(x.Command) == 0 {
			return false
		}
		for i := range x.Command {
			if x.Command[i] != y.Command[i] {
				return false
			}
		}
		return true
	}
	return false
}

// sameHeaders compares without regard to order; a handler can answer by any header.
func sameHeaders(a, b []model.Header) bool {
	if len(a) != len(b) {
		return false
	}
	count := map[model.Header]int{}
	for _, h := range a {
		count[h]++
	}
	for _, h := range b {
		count[h]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func asked(pr *model.Probe) string {
	switch pr.Kind {
	case model.HTTPGet:
		return lint.Quote(pr.Target.Path)
	case model.GRPC:
		if pr.Target.Service == "" {
			return "gRPC health on port " + lint.Quote(words.Port(pr))
		}
		return "gRPC service " + lint.Quote(pr.Target.Service)
	case model.TCPSocket:
		return "port " + lint.Quote(words.Port(pr))
	}
	// Quoted as a whole: a backtick of its own would end the quotation.
	return lint.Quote(lint.Middle(strings.ReplaceAll(strings.Join(strings.Fields(strings.Join(pr.Target.Command, " ")), " "), "`", "'"), commandLength))
}
