// Package deadlineignoredbyclient is the rule deadline-ignored-by-client.
package deadlineignoredbyclient

import (
	_ "embed"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

//go:embed doc.md
var doc string

// Rule is deadline-ignored-by-client.
var Rule = &lint.Rule{
	Name:         "deadline-ignored-by-client",
	Level:        lint.Warning,
	Sees:         []lint.Sees{lint.Go, lint.Link},
	Scope:        lint.PerProbe,
	Doc:          doc,
	SilencesCall: []string{"check-without-deadline"},
	Check:        check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		if d.Ignored == nil || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		report(p, d)
	}
}

func report(p *lint.Pass, d *model.Dependency) {
	i := d.Ignored
	stated := "its deadline"
	if i.Stated.Known {
		stated = "a deadline of " + kubelet.Seconds(i.Stated.Seconds)
	}
	name := client(i.Client)
	f := lint.Finding{
		Level: lint.Warning, Certainty: lint.Weaker(d.Certainty),
		Title:    lint.Title("%s sets "+stated+" that %s does not honour", lint.Quote(p.Path()), name),
		Primary:  lint.Label{Span: d.Span, Text: lint.Text("%s goes on when the context has ended", lint.Quote(lint.ShortCall(d.Call)))},
		Cause:    lint.CauseAt(d.Span),
		Identity: p.InCode(d.Call),
		Help:     "bound the call in the client: its dial, read and write timeouts",
	}
	if i.Cure != "" {
		f.Help = i.Cure
	}
	if !i.Stated.Span.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: i.Stated.Span, Text: "has no effect on this call", Strong: true})
	}
	if !i.Because.IsZero() {
		f.Labels = append(f.Labels, lint.Label{Span: i.Because, Text: lint.Text("this is %s", name)})
	}
	f.Labels = append(f.Labels, lint.Labels(p.AskedLabel, p.ServedLabel)...)
	switch {
	case d.Deadline != nil && d.Deadline.Known:
		f.Notes = []string{"what ends it is the client's own limit of " + kubelet.Seconds(d.Deadline.Seconds)}
	case d.Bound == model.BoundNone:
		f.Notes = []string{"nothing else ends it: a silent server holds the handler, one goroutine a probe"}
	}
	p.Report(f)
}

// client is how a client is named: without what it lacks, and "go-redis v9" for the id "go-redis.v9".
func client(s string) string {
	s, _, _ = strings.Cut(s, " without ")
	if i := strings.LastIndex(s, ".v"); i > 0 && strings.Trim(s[i+2:], "0123456789") == "" {
		return s[:i] + " v" + s[i+2:]
	}
	return s
}
