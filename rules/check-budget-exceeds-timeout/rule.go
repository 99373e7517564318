// Package checkbudgetexceedstimeout is the rule check-budget-exceeds-timeout.
package checkbudgetexceedstimeout

import (
	_ "embed"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is check-budget-exceeds-timeout.
var Rule = &lint.Rule{
	Name:  "check-budget-exceeds-timeout",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link, lint.Go},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

// tight is the part of the timeout from which a budget leaves too little for the way there and back.
const tight = 0.8

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Budget == nil {
		return
	}
	timeout, known := p.Timeout()
	if !known {
		return
	}
	b := p.Endpoint.Budget
	if c := clientsOwn(p.Endpoint, timeout); c != nil && b.Lower < timeout && c.Lower >= timeout {
		b = c
	}
	stated := b.From == "constant" || b.From == "manifest"
	const rounding = 1e-9
	switch {
	case p.Probe.Guessed:
		if b.Lower >= timeout {
			exceeds(p, b, timeout, lint.Info)
		}
	case b.Lower >= timeout && stated:
		exceeds(p, b, timeout, lint.Error)
	case b.Lower >= timeout, b.Lower > tight*timeout+rounding && stated:
		exceeds(p, b, timeout, lint.Warning)
	case b.Lower > tight*timeout+rounding:
		exceeds(p, b, timeout, lint.Info)
	case b.Unknown:
		unknown(p, timeout)
	}
}

// clientsOwn is the budget with the limits that clients set themselves where the code sets none: a default of the library,
// which counts as one in code. nil where there is none, and where one alone is too long that the code sets no deadline
// beside: check-without-deadline says that.
func clientsOwn(e *model.Endpoint, timeout float64) *model.TimeBudget {
	if e.Budget.Upper == nil {
		return nil
	}
	b := *e.Budget
	b.Lower, b.From, b.Parts = *b.Upper, "library", append([]model.Deadline(nil), b.Parts...)
	own := len(b.Parts)
	for _, d := range e.Dependencies {
		if d.Bound != model.BoundClient || d.Deadline == nil || !d.Deadline.Known || d.AfterAnswer || d.Mode == "detached" {
			continue
		}
		if d.Ignored == nil && d.Deadline.Seconds >= timeout {
			return nil
		}
		part := *d.Deadline
		if part.Span.IsZero() {
			part.Span = d.Span
		}
		b.Parts = append(b.Parts, part)
	}
	if len(b.Parts) == own {
		return nil
	}
	return &b
}

func exceeds(p *lint.Pass, b *model.TimeBudget, timeout float64, l lint.Level) {
	certainty := p.LinkCertainty()
	if b.From == "default" || b.From == "library" {
		certainty = lint.Weaker(certainty, model.Likely)
	}
	takes, waits := kubelet.Seconds(b.Lower), kubelet.Seconds(timeout)
	f := lint.Finding{
		Level:     lint.Lowered(l, p.LinkCertainty()),
		Certainty: certainty,
		Notes:     []string{note(b, timeout)},
		Identity:  p.InCode("budget"),
	}
	origin := ""
	if b.From == "default" || b.From == "library" {
		origin = " by default"
	}
	switch {
	case p.Probe.Guessed:
		f.Title = lint.Title("%s can take "+takes+origin+", a probe waits "+waits+" by default", lint.Quote(p.Path()))
	case b.Lower >= timeout:
		f.Title = lint.Title("%s can take "+takes+origin+", the "+string(p.Probe.Role)+" probe waits "+waits, lint.Quote(p.Path()))
	default:
		f.Title = lint.Title("%s can take "+takes+origin+" of the "+waits+" that the "+string(p.Probe.Role)+" probe waits", lint.Quote(p.Path()))
	}
	at := parts(p.Endpoint, b)
	f.Primary, f.Labels = at[0], append(f.Labels, at[1:]...)
	f.Labels = append(f.Labels, lint.Labels(p.TimeoutLabel, p.ServedLabel)...)
	f.Cause = lint.CauseAt(f.Primary.Span) + " " + waits
	if sum := arithmetic(b); sum != "" {
		f.Notes = append(f.Notes, sum)
	}
	if b.Upper != nil && *b.Upper > b.Lower {
		f.Notes = append(f.Notes, fmt.Sprintf("%s are certain, with the limits that clients set themselves it is up to %s", takes, kubelet.Seconds(*b.Upper)))
	}
	f.Help, f.Fixes = cure(p, b, timeout)
	p.Report(f)
}

// parts are the deadlines with their places, the longest first; at least one place.
func parts(e *model.Endpoint, b *model.TimeBudget) []lint.Label {
	ds := append([]model.Deadline(nil), b.Parts...)
	sort.SliceStable(ds, func(i, j int) bool { return ds[i].Seconds > ds[j].Seconds })
	var labels []lint.Label
	seen := map[model.Span]bool{}
	for _, d := range ds {
		if d.Span.IsZero() || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		labels = append(labels, lint.Label{Span: d.Span, Text: "up to " + kubelet.Seconds(d.Seconds) + from(d.From), Strong: len(labels) > 0})
	}
	if len(labels) == 0 {
		return []lint.Label{{Span: place(e), Text: "takes up to " + kubelet.Seconds(b.Lower)}}
	}
	return labels
}

func from(origin string) string {
	switch origin {
	case "default":
		return ", the default in code"
	case "library":
		return ", the library's default"
	case "manifest":
		return ", set in the manifest"
	}
	return ""
}

// place is where the endpoint is, for a budget whose deadlines have no place of their own (a library's default).
func place(e *model.Endpoint) model.Span {
	for _, d := range e.Dependencies {
		if !d.Span.IsZero() {
			return d.Span
		}
	}
	if !e.Registration.IsZero() {
		return e.Registration
	}
	return e.Span
}

func note(b *model.TimeBudget, timeout float64) string {
	if b.Lower < timeout {
		return fmt.Sprintf("%s are left for the network and the rest of the answer: on a busy node the probe fails first",
			kubelet.Seconds(timeout-b.Lower))
	}
	return "the kubelet has hung up before the check has its own verdict: the probe fails as a timeout, and what failed is not said"
}

// arithmetic shows a sum of several deadlines.
func arithmetic(b *model.TimeBudget) string {
	if len(b.Parts) < 2 {
		return ""
	}
	var s []string
	total := 0.0
	for _, d := range b.Parts {
		s = append(s, kubelet.Seconds(d.Seconds))
		total += d.Seconds
	}
	switch {
	case b.Basis == "sum" && math.Abs(total-b.Lower) < 1e-6:
		return fmt.Sprintf("one after the other: %s = %s", strings.Join(s, " + "), kubelet.Seconds(b.Lower))
	case b.Basis == "max":
		return fmt.Sprintf("side by side, the slowest counts: %s of %s", kubelet.Seconds(b.Lower), strings.Join(s, ", "))
	}
	return ""
}

// cure says what fits, and offers the manifest's side as an edit where its number is written and one number fits.
func cure(p *lint.Pass, b *model.TimeBudget, timeout float64) (string, []lint.Fix) {
	help := fmt.Sprintf("bound the whole check to %s", lint.Suggested(timeout))
	if b.From == "library" {
		help += ", in the client's own options where it does not honour the context"
	}
	if p.Probe.Guessed || b.From != "constant" || b.Upper == nil || *b.Upper > b.Lower || clientsOwn(p.Endpoint, math.Inf(1)) != nil {
		return help, nil // what the code states is not all: a longer wait of the kubelet would not be long enough
	}
	fits := int(math.Ceil(b.Lower / tight))
	period, ok := p.Period()
	if !ok || float64(fits) > period {
		return help, nil
	}
	help += fmt.Sprintf(", or set `timeoutSeconds: %d`", fits)
	f, written := p.Probe.Fields["timeoutSeconds"]
	if !written {
		return help, nil
	}
	return help, []lint.Fix{{
		Title: fmt.Sprintf("Set `timeoutSeconds` to %d", fits),
		Edits: []lint.Edit{{Span: f.Value, Text: strconv.Itoa(fits), Old: strconv.Itoa(int(p.Probe.TimeoutSeconds))}},
	}}
}

// unknown says that a duration could not be resolved.
func unknown(p *lint.Pass, timeout float64) {
	at, name := place(p.Endpoint), ""
	for _, d := range p.Endpoint.Dependencies {
		if d.Bound != model.BoundConfigured || d.AfterAnswer {
			continue
		}
		at, name = d.Span, lint.DependencyName(d)
		if d.Deadline != nil && !d.Deadline.Span.IsZero() {
			at = d.Deadline.Span
		}
		break
	}
	if at.IsZero() {
		return
	}
	f := lint.Finding{
		Level:     lint.Info,
		Certainty: lint.Weaker(p.LinkCertainty(), model.Likely),
		Title:     lint.Title("how long %s can take is not known; the probe waits "+kubelet.Seconds(timeout), lint.Quote(p.Path())),
		Primary:   lint.Label{Span: at, Text: "a duration that neither code nor manifest tells"},
		Labels:    lint.Labels(p.TimeoutLabel, p.ServedLabel),
		Cause:     lint.CauseAt(at) + " unknown",
		Identity:  p.InCode("unknown"),
		Help:      fmt.Sprintf("keep it at or below %s, wherever it is set", lint.Suggested(timeout)),
	}
	if name != "" {
		f.Primary.Text = lint.Text("how long %s is given is not known", name)
	}
	if b := p.Endpoint.Budget; b.Lower > 0 {
		f.Notes = []string{kubelet.Seconds(b.Lower) + " of it are certain"}
	}
	p.Report(f)
}
