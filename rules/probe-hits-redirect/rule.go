// Package probehitsredirect is the rule probe-hits-redirect.
package probehitsredirect

import (
	_ "embed"
	"fmt"
	"strconv"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-hits-redirect.
var Rule = &lint.Rule{
	Name:  "probe-hits-redirect",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if m := words.Missed(p, model.MissRedirect); m != nil && m.Route != nil {
		byRouter(p, m)
	}
	if p.Endpoint == nil || p.Endpoint.Answer.Redirect == nil || p.Probe.Guessed || p.Probe.Kind != model.HTTPGet {
		return
	}
	r := p.Endpoint.Answer.Redirect
	certainty := p.LinkCertainty()
	l, where, note := lint.Warning, "another page of the same host", "the kubelet follows it, so the probe judges that page"
	switch {
	case r.Host != "":
		l, where = lint.Error, lint.Quote(r.Host)
		note = "the kubelet does not leave the host: it counts the " + strconv.Itoa(r.Status) + " as a success with a warning event and asks nothing"
		if !r.Only {
			l = lint.Warning // on some ways only
		}
	case r.To == "":
		l, where, note = lint.Info, "a place that the code makes up", "to the same host the kubelet follows it; to another it counts as a success"
	}
	p.Report(lint.Finding{
		Level: lint.Lowered(l, certainty), Certainty: certainty,
		Title:    lint.Title(fmt.Sprintf("%%s sends the %s probe to %%s", p.Probe.Role), lint.Quote(p.Path()), where),
		Primary:  lint.Label{Span: r.Span, Text: fmt.Sprintf("answers %d to a probe", r.Status)},
		Labels:   lint.Labels(p.TargetLabel, p.ServedLabel),
		Notes:    []string{note},
		Help:     "point the probe at a path that answers 200 or 503 itself, without a session",
		Cause:    lint.CauseAt(r.Span),
		Identity: []string{"go", p.Endpoint.Symbol, strconv.Itoa(r.Status)},
	})
}

// byRouter reports a path that the router itself sends on: to its other spelling with or without a slash at the end.
func byRouter(p *lint.Pass, m *model.Miss) {
	level, certainty, _ := words.Graded(m)
	to := lint.Quote(m.Redirect)
	p.Report(lint.Finding{
		Level: min(level, lint.Warning), Certainty: certainty,
		Title:    lint.Title(fmt.Sprintf("%%s sends the %s probe to %%s", p.Probe.Role), lint.Quote(p.Path()), to),
		Primary:  lint.Label{Span: p.TargetSpan(), Text: lint.Text("the router redirects this to %s", to)},
		Labels:   lint.Labels(words.RouteLabel(m.Route, lint.Text("registered as %s alone", lint.Quote(m.Route.Pattern)))),
		Notes:    []string{"the kubelet follows it: each probe makes two requests, and the second one is judged"},
		Help:     "probe " + to,
		Identity: []string{"router", m.Redirect},
	})
}
