// Package healthbehindmiddleware is the rule health-behind-middleware.
package healthbehindmiddleware

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is health-behind-middleware.
var Rule = &lint.Rule{
	Name:  "health-behind-middleware",
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
	for _, w := range p.Endpoint.Wrappers {
		if status, l := refuses(w); status > 0 {
			report(p, w, status, l)
		}
	}
}

// refuses is the status with which a wrapper can turn this very request away.
func refuses(w model.Wrapper) (int, lint.Level) {
	for _, s := range w.Statuses {
		if s == 401 || s == 403 || s == 407 {
			return s, lint.Error
		}
	}
	for _, s := range w.Statuses {
		if s == 429 {
			return s, lint.Warning
		}
	}
	return 0, lint.Off
}

func report(p *lint.Pass, w model.Wrapper, status int, l lint.Level) {
	certainty := p.LinkCertainty()
	if l == lint.Error && !w.Always {
		l = lint.Warning // something that the code does not fix decides
	}
	if p.Probe.Guessed { // whether the probe carries a header that lets it pass is not seen
		l = min(l, lint.Warning)
	} else {
		l = lint.Lowered(l, certainty)
	}
	at := w.Span
	if at.IsZero() {
		at = p.Endpoint.Registration
	}
	name := lint.Quote(lint.ShortCall(w.Symbol))
	f := lint.Finding{
		Level: l, Certainty: certainty,
		Title:    lint.Title(fmt.Sprintf("%%s answers %d to a probe: %%s stands in front", status), lint.Quote(p.Path()), name),
		Primary:  lint.Label{Span: at, Text: fmt.Sprintf("answers %d itself, before the handler", status)},
		Labels:   lint.Labels(p.TargetLabel, p.ServedLabel),
		Cause:    lint.CauseAt(at),
		Identity: []string{"go", w.Symbol, strconv.Itoa(status)},
		Help:     "register the health paths outside of " + name + ", or let them through by their path",
	}
	if w.Symbol == p.Endpoint.Symbol {
		f.Title = lint.Title(fmt.Sprintf("%%s answers %d to a probe: %%s asks for credentials", status), lint.Quote(p.Path()), name)
		f.Primary.Text = fmt.Sprintf("answers %d to a request without credentials", status)
		f.Help = "let the health path answer without credentials"
	}
	if status == 429 {
		f.Title = lint.Title("%s can answer 429 to a probe: %s stands in front", lint.Quote(p.Path()), name)
		f.Notes = []string{"under load the limiter refuses the probe too, and a busy instance counts as a broken one"}
	} else {
		f.Notes = []string{"the kubelet sends no credentials" + effect(p)}
	}
	p.Report(f)
}

func effect(p *lint.Pass) string {
	if p.Probe.Guessed || len(p.Probe.Target.Headers) > 0 {
		return ""
	}
	switch p.Probe.Role {
	case model.Liveness:
		return ": the container is restarted for ever"
	case model.Startup:
		return ": the container never starts"
	}
	return ": the pod never becomes ready"
}
