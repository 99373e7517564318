// Package healthexposed is the rule health-exposed.
package healthexposed

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/front"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is health-exposed.
var Rule = &lint.Rule{
	Name:    "health-exposed",
	Level:   lint.Info,
	Nursery: true, // off until two public incidents speak for it
	Sees:    []lint.Sees{lint.Manifest, lint.Link},
	Scope:   lint.PerProbe,
	Doc:     doc,
	Check:   check,
}

func check(p *lint.Pass) {
	if !words.Judged(p) || p.Probe.Kind != model.HTTPGet || p.Probe.Target.Host != "" || strings.Trim(p.Path(), "/") == "" {
		return // the root is the page that everybody is meant to ask
	}
	for _, w := range front.Ways(p.Workload, p.Path(), p.Probe.Target.Port) {
		report(p, w)
	}
}

func report(p *lint.Pass, w front.Way) {
	asked := lint.Quote(p.Path())
	f := lint.Finding{
		Level: lint.Info, Certainty: model.Proven,
		Title:   lint.Title("%s of %s is open to the outside through "+w.Ingress.Kind+" %s", asked, lint.Named(p.Workload), lint.Quote(w.Ingress.Name)),
		Primary: lint.Label{Span: w.Span, Text: takes(w, asked)},
		Labels:  []lint.Label{{Span: p.TargetSpan(), Text: lint.Text("the %s probe asks this", string(p.Probe.Role))}},
		Notes:   []string{"whoever reaches the " + w.Ingress.Kind + " reads the answer, and asks as often as they like"},
		Help:    fmt.Sprintf("a rule for %s alone that leads nowhere, or a port for health that no Service leads to", asked),
		Cause:   w.Ingress.Kind + "/" + w.Ingress.Name + " " + w.Ingress.File + " " + asked,
	}
	if e := p.Endpoint; e != nil {
		var asks []*model.Dependency
		for _, d := range e.Dependencies {
			if d.Scope == model.External && d.Mode != "detached" {
				asks = append(asks, d)
			}
		}
		if len(asks) > 0 {
			f.Labels = append(f.Labels, lint.Label{Span: asks[0].Span, Text: lint.Text("every request asks %s", lint.DependencyName(asks[0]))})
			f.Notes = append(f.Notes, "each of these requests asks "+lint.Names(lint.DependencyNames(asks), lint.And)+": the path is a lever on it")
		}
		if e.Answer.ErrorText {
			f.Labels = append(f.Labels, lint.Label{Span: e.Answer.ErrorTextSpan, Text: "the text of an error goes out here"})
			f.Notes = append(f.Notes, "the answer shows the text of errors, which names hosts, users or queries")
		}
	}
	p.Report(f)
}

// takes says what of the rule takes the path.
func takes(w front.Way, asked string) string {
	switch {
	case w.Route.Match == "":
		return lint.Text("takes every path, %s among them", asked)
	case w.Route.Match == model.MatchExact:
		return lint.Text("leads %s to Service %s", asked, lint.Quote(w.Route.Service))
	}
	return lint.FirstFit(
		fmt.Sprintf("takes %s, as all below `%s`", asked, w.Route.Path),
		fmt.Sprintf("takes %s", asked),
	)
}
