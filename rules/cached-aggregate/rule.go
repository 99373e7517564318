// Package cachedaggregate is the rule cached-aggregate.
package cachedaggregate

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is cached-aggregate.
var Rule = &lint.Rule{
	Name:  "cached-aggregate",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Endpoint.Cache == nil {
		return
	}
	period, known := p.Period()
	c := p.Endpoint.Cache
	aged := c.Aged || c.Kind == "ttl" // a guard on the age is an age
	most := p.Settings.VerdictMaxAge
	if known {
		most = min(most, period/2)
	}
	switch {
	case !aged:
		report(p, lint.Error)
	case !c.Known:
		report(p, lint.Info)
	case known && c.Seconds > period && !p.Probe.Guessed:
		report(p, lint.Error)
	case c.Seconds > most:
		report(p, lint.Warning)
	}
}

func report(p *lint.Pass, l lint.Level) {
	e, c := p.Endpoint, p.Endpoint.Cache
	aged := c.Aged || c.Kind == "ttl"
	age := kubelet.Seconds(c.Seconds)
	// The fault is in the code: an uncertain link takes nothing from a verdict without an age, and the numbers are then
	// those of the probe that probably asks.
	certainty := model.Proven
	if aged {
		certainty = lint.Weaker(p.LinkCertainty())
		if p.Probe.Guessed {
			certainty = model.Likely
		}
		l = lint.Lowered(l, certainty)
	}
	if len(e.Unfollowed) > 0 {
		certainty = lint.Weaker(certainty, model.Likely)
	}
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Cause: lint.CauseAt(place(e)), Identity: p.InCode("cache"),
	}
	path := lint.Quote(p.Path())
	switch {
	case !aged && c.Known:
		f.Title = lint.Title("%s answers a verdict that is "+age+" old and has no expiry", path)
	case !aged:
		f.Title = lint.Title("%s answers a stored verdict that has no expiry", path)
	case !c.Known:
		f.Title = lint.Title("%s answers a stored verdict, for how long is not known", path)
	default:
		f.Title = lint.Title("%s answers a verdict that is up to "+age+" old", path)
	}
	f.Primary = lint.Label{Span: place(e), Text: says(c, age)}
	if !c.StoreSpan.IsZero() && c.StoreSpan != f.Primary.Span {
		f.Labels = append(f.Labels, lint.Label{Span: c.StoreSpan, Text: "the verdict is stored here", Strong: true})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	if n := exposure(p); n != "" {
		f.Notes = append(f.Notes, n)
	}
	if !aged {
		f.Notes = append(f.Notes, "when the refresh panics, blocks or ends, the last verdict is answered for ever")
		f.Help = "store the time with the verdict, and answer 503 once it is older than two refreshes"
	} else {
		f.Help = fmt.Sprintf("check on each probe, or keep the verdict for at most %s", bound(p))
	}
	p.Report(f)
}

func says(c *model.Cache, age string) string {
	if !c.Known {
		age = "an unknown time"
		if c.Kind != "ttl" && c.Kind != "library" {
			return "refreshed in the background, whoever asks"
		}
	}
	origin := ""
	if c.From == "default" || c.From == "library" {
		origin = " by default"
	}
	switch c.Kind {
	case "ttl":
		return lint.Text("no new check for %s"+origin, age)
	case "library":
		return lint.Text("the library keeps its result for %s"+origin, age)
	}
	return lint.Text("refreshed every %s"+origin+", whoever asks", age)
}

func place(e *model.Endpoint) model.Span {
	for _, s := range []model.Span{e.Cache.Span, e.Cache.StoreSpan, e.Span, e.Registration} {
		if !s.IsZero() {
			return s
		}
	}
	return model.Span{}
}

// exposure is the window with the age, and what it is without.
func exposure(p *lint.Pass) string {
	out, ok := p.Outage()
	if !ok || !p.Endpoint.Cache.Known {
		return ""
	}
	with, without := out.Span(), out.Span()
	without.Worst -= kubelet.Age(p.Endpoint)
	return fmt.Sprintf("the %s probe notices a fault %s after it instead of %s", p.Probe.Role, kubelet.Span(with), kubelet.Span(without))
}

// bound is the age that this rule accepts.
func bound(p *lint.Pass) string {
	most := p.Settings.VerdictMaxAge
	if period, ok := p.Period(); ok {
		most = min(most, period/2)
	}
	return kubelet.Seconds(most)
}
