// Package nostoremissing is the rule no-store-missing.
package nostoremissing

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/front"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is no-store-missing.
var Rule = &lint.Rule{
	Name:    "no-store-missing",
	Level:   lint.Info,
	Nursery: true, // off until two public incidents speak for it
	Sees:    []lint.Sees{lint.Link},
	Scope:   lint.PerProbe,
	Doc:     doc,
	Check:   check,
}

func check(p *lint.Pass) {
	e := p.Endpoint
	if e == nil || !words.Judged(p) || p.Probe.Kind != model.HTTPGet || p.Probe.Target.Host != "" || forbids(e) {
		return
	}
	for _, w := range front.Ways(p.Workload, p.Path(), p.Probe.Target.Port) {
		if c, ok := front.Stores(w.Ingress); ok {
			report(p, w, c)
		}
	}
}

// notStored are the values of Cache-Control under which a shared cache keeps no answer, or asks again before it uses it.
var notStored = regexp.MustCompile(`(?i)\b(?:no-store|no-cache|private|(?:max-age|s-maxage)\s*=\s*"?0\b)`)

// forbids reports whether an answer says that it is not to be kept, as far as that is known.
func forbids(e *model.Endpoint) bool {
	if h := e.Answer.CacheControl; h != nil && (h.Value == "" || notStored.MatchString(h.Value)) {
		return true
	}
	for _, w := range e.Wrappers {
		if s := strings.ToLower(w.Symbol); strings.Contains(s, "nocache") || strings.Contains(s, "nostore") {
			return true
		}
	}
	for _, u := range e.Unfollowed { // it can set the header
		if s := strings.ToLower(u.Call); strings.Contains(s, "cache") || strings.Contains(s, "header") {
			return true
		}
	}
	return false
}

func report(p *lint.Pass, w front.Way, c front.Cache) {
	e := p.Endpoint
	level, certainty, stopped := p.Absence(lint.Info)
	f := lint.Finding{
		Level: level, Certainty: certainty,
		Title:   lint.Title("the answer of %s is kept for "+c.For+" by Ingress %s", lint.Quote(p.Path()), lint.Quote(w.Ingress.Name)),
		Primary: lint.Label{Span: firstOf(e.Answer.SuccessSpan, e.Span, e.Registration), Text: "sent without `Cache-Control: no-store`"},
		Labels: append([]lint.Label{{Span: c.Span, Text: lint.Text("`proxy_cache` keeps it for %s", c.For), Strong: true}},
			lint.Labels(p.AskedLabel, p.ServedLabel)...),
		Notes: []string{fmt.Sprintf("a check from outside, of a balancer or a monitor, reads a verdict that is up to %s old; the kubelet asks the pod itself and is not harmed", c.For)},
		Help:  "`Cache-Control: no-store` on every answer of a health endpoint",
		Cause: lint.CauseAt(e.Span) + " " + w.Ingress.Name, Identity: p.InCode("no-store"),
	}
	if h := e.Answer.CacheControl; h != nil {
		f.Primary = lint.Label{Span: h.Span, Text: lint.Text("%s lets a cache keep it", lint.Quote(h.Value))}
	}
	if stopped != "" {
		f.Notes = append(f.Notes, stopped)
	}
	p.Report(f)
}

func firstOf(of ...model.Span) model.Span {
	for _, s := range of {
		if !s.IsZero() {
			return s
		}
	}
	return model.Span{}
}
