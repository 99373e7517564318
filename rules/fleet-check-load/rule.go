// Package fleetcheckload is the rule fleet-check-load.
package fleetcheckload

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is fleet-check-load.
var Rule = &lint.Rule{
	Name:  "fleet-check-load",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	w, e := p.Workload, p.Endpoint
	if !words.Judged(p) || e == nil || w == nil || w.Replicas == nil || p.Probe.IsUnknown("periodSeconds") {
		return
	}
	t := kubelet.TimingOf(p.Probe)
	period, ok := pace(t, e.Cache)
	if !ok {
		return
	}
	most := ""
	if w.ReplicasFrom != "" {
		most = "up to "
	}
	for _, l := range loads(e) {
		rate := float64(*w.Replicas*l.calls) / period
		if rate < p.Settings.FleetCallsPerSecond {
			continue
		}
		certainty := lint.Weaker(p.LinkCertainty(), l.certainty)
		per := number(math.Round(rate*10) / 10)
		f := lint.Finding{
			Level: lint.Lowered(lint.Warning, certainty), Certainty: certainty,
			Title: lint.Title("%s asks %s "+per+" times a second over "+most+lint.Count(*w.Replicas, "replica"), p.Subject(), l.name),
			Notes: []string{fmt.Sprintf("%s x %s every %s is %s a second on %s, before the first request of a user; all of them come when it is slow",
				most+lint.Count(*w.Replicas, "replica"), lint.Count(l.calls, "call"), kubelet.Seconds(period), per, l.name)},
			Help: fmt.Sprintf("a period of %s keeps it below %s a second; a bounded check in the background asks once for all probes",
				kubelet.Seconds(math.Floor(float64(*w.Replicas*l.calls)/p.Settings.FleetCallsPerSecond)+1), number(p.Settings.FleetCallsPerSecond)),
			Identity: lint.ObjectIdentity(w, "container", p.Container.Name, p.Probe.Role.Key(), l.name),
		}
		asked := words.Field(p, "periodSeconds", "asked every "+words.Secs(t.Period))
		if _, ok := asked(); !ok {
			asked = p.AskedLabel
		}
		f.Primary, f.Labels = words.Primary(p, "asked every "+words.Secs(t.Period), asked)
		if at, ok := w.Fields["spec.replicas"]; ok {
			f.Labels = append(f.Labels, lint.Label{Span: at.Value, Text: "at most " + lint.Count(*w.Replicas, "replica") + " ask"})
		}
		for _, at := range l.spans {
			f.Labels = append(f.Labels, lint.Label{Span: at, Text: lint.Text("asks %s on every probe", l.name), Strong: true})
		}
		p.Report(f)
	}
}

// pace is the time in seconds between two rounds of calls: the period, or the life of a stored verdict where that is longer.
// ok is false for a stored verdict whose life is not known.
func pace(t kubelet.Timing, c *model.Cache) (seconds float64, ok bool) {
	if c == nil {
		return float64(t.Period), true
	}
	if !c.Known {
		return 0, false
	}
	return max(float64(t.Period), c.Seconds), true
}

// load is what one probe asks of one dependency.
type load struct {
	name      string
	calls     int
	certainty model.Certainty
	spans     []model.Span
}

// loads counts the calls of an endpoint by what they ask, in the order of the code.
func loads(e *model.Endpoint) []*load {
	var all []*load
	byKey := map[string]*load{}
	for _, d := range e.Dependencies {
		if d.Scope != model.External {
			continue
		}
		key := d.Kind + " " + d.Name + " " + d.Target
		l := byKey[key]
		if l == nil {
			l = &load{name: lint.DependencyName(d), certainty: model.Proven}
			byKey[key] = l
			all = append(all, l)
		}
		l.calls += max(1, d.Loop)
		l.certainty = lint.Weaker(l.certainty, d.Certainty)
		if !slices.Contains(l.spans, d.Span) {
			l.spans = append(l.spans, d.Span)
		}
	}
	return all
}

// number is a rate without needless zeros.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
