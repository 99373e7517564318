// Package checkmutates is the rule check-mutates.
package checkmutates

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is check-mutates.
var Rule = &lint.Rule{
	Name:  "check-mutates",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Go, lint.Link},
	Scope: lint.PerProbe,
	Doc:   doc,
	Check: check,
}

func check(p *lint.Pass) {
	if p.Endpoint == nil {
		return
	}
	seen := map[model.Span]bool{}
	for _, d := range p.Endpoint.Dependencies {
		does := mutates(d)
		if does == "" || d.Scope != model.External && d.Scope != model.Loopback || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		p.Report(lint.Finding{
			Level: lint.Warning, Certainty: lint.Weaker(d.Certainty),
			Title:    lint.Title("%s "+does+" %s on every probe", lint.Quote(p.Path()), lint.DependencyName(d)),
			Primary:  lint.Label{Span: d.Span, Text: "this changes what it checks"},
			Labels:   append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...),
			Notes:    []string{"a probe is sent at any time, by every replica, and again after each timeout" + often(p)},
			Help:     "read instead: a ping, or `select 1`",
			Cause:    lint.CauseAt(d.Span) + " mutates",
			Identity: p.InCode(d.Call, "mutates"),
		})
	}
}

var statement = regexp.MustCompile(`(?is)^\s*(?:(?:--[^\n]*\n|/\*.*?\*/)\s*)*(insert|update|delete|truncate|create|alter|drop|merge|replace|upsert)\b`)

// mutates says what a call changes, as a verb for the title with its preposition, or "".
func mutates(d *model.Dependency) string {
	if m := statement.FindStringSubmatch(d.Statement); m != nil {
		return map[string]string{
			"insert": "inserts into", "update": "updates rows in", "delete": "deletes from", "truncate": "truncates a table in",
			"create": "creates something in", "alter": "alters a table in", "drop": "drops something in", "merge": "merges into",
			"replace": "replaces rows in", "upsert": "writes to",
		}[strings.ToLower(m[1])]
	}
	switch d.Operation {
	case "publish":
		return "publishes to"
	case "post":
		return "posts to"
	case "set", "write":
		return "writes to"
	}
	return ""
}

func often(p *lint.Pass) string {
	n, ok := words.AnHour(p)
	if !ok || p.Workload.Replicas == nil {
		return ""
	}
	return fmt.Sprintf(": %d times an hour here", n**p.Workload.Replicas)
}
