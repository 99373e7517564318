// Package healthcallsitself is the rule health-calls-itself.
package healthcallsitself

import (
	_ "embed"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is health-calls-itself.
var Rule = &lint.Rule{
	Name:  "health-calls-itself",
	Level: lint.Info,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil || p.Program == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Scope != model.Loopback || seen[d.Span] || !serves(p.Program, port(d.Target)) {
			continue
		}
		seen[d.Span] = true
		p.Report(lint.Finding{
			Level: lint.Info, Certainty: lint.Weaker(d.Certainty),
			Title:    lint.Title("%s dials its own process on port %s", lint.Quote(p.Path()), port(d.Target)),
			Primary:  lint.Label{Span: d.Span, Text: lint.Text("%s is this program", lint.Quote(d.Target))},
			Labels:   append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...),
			Cause:    lint.CauseAt(d.Span) + " itself",
			Identity: p.InCode(d.Call, "itself"),
			Notes:    []string{"each probe takes two connections and two handlers; under load the inner one waits in the queue that the outer one is meant to measure"},
			Help:     "call what the inner handler checks, or point the probe at that port",
		})
	}
}

// port is that of "host:port" or of a URL, "" where none is written and the scheme has none.
func port(target string) string {
	scheme, rest, ok := strings.Cut(target, "://")
	if !ok {
		scheme, rest = "", target
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, ':'); i >= 0 && !strings.HasSuffix(rest, "]") {
		return rest[i+1:]
	}
	switch scheme {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}

// serves reports whether the program listens on a port.
func serves(p *model.Program, port string) bool {
	if port == "" {
		return false
	}
	for _, s := range p.Servers {
		if strings.HasSuffix(s.Address, ":"+port) {
			return true
		}
	}
	return false
}
