// Package checkheavyquery is the rule check-heavy-query.
package checkheavyquery

import (
	_ "embed"
	"fmt"
	"regexp"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is check-heavy-query.
var Rule = &lint.Rule{
	Name:  "check-heavy-query",
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
		why := heavy(d.Statement)
		if why == "" || d.Mode == "detached" || seen[d.Span] {
			continue
		}
		seen[d.Span] = true
		p.Report(lint.Finding{
			Level: lint.Warning, Certainty: lint.Weaker(d.Certainty),
			Title:    lint.Title("%s "+why+" on every probe", lint.Quote(p.Path())),
			Primary:  lint.Label{Span: d.Span, Text: "this takes longer the more rows there are"},
			Labels:   append(lint.Labels(p.AskedLabel, p.ServedLabel), p.ViaLabels(d)...),
			Notes:    []string{"the probe grows with the data until it no longer fits its timeout" + load(p)},
			Help:     "ask what does not grow: `select 1`, or a ping",
			Cause:    lint.CauseAt(d.Span) + " heavy",
			Identity: p.InCode(d.Call, "heavy"),
		})
	}
}

var (
	counts    = regexp.MustCompile(`(?i)\bcount\s*\(`)
	selects   = regexp.MustCompile(`(?is)^\s*select\s+(?:.*[\s,(])?[\w.*"]+\s+from\s+[\w."]+\s*;?\s*$`)
	constant  = regexp.MustCompile(`(?is)^\s*select\s+(?:1|'[^']*'|true|now\(\))\s+from\s`)
	checks    = regexp.MustCompile(`(?i)^\s*(?:pragma\s+(?:integrity|quick|foreign_key)_check|check\s+table|checksum\s+table|analyze\b|vacuum\b|dbcc\s+checkdb|optimize\s+table)`)
	catalogue = regexp.MustCompile(`(?i)\b(?:information_schema|pg_catalog|pg_stat_\w+|sqlite_master|sqlite_schema)\b`)
	bounded   = regexp.MustCompile(`(?i)\b(?:limit|top|fetch\s+first|rownum)\b`)
)

// heavy says what a statement does that grows with the data, or "". Catalogue tables have a few rows.
func heavy(statement string) string {
	switch {
	case statement == "":
		return ""
	case checks.MatchString(statement):
		return "checks the whole database"
	case catalogue.MatchString(statement):
		return ""
	case counts.MatchString(statement):
		return "counts a table"
	case selects.MatchString(statement) && !constant.MatchString(statement) && !bounded.MatchString(statement):
		return "reads a whole table"
	}
	return ""
}

// load is what the fleet asks of the server.
func load(p *lint.Pass) string {
	n, ok := words.AnHour(p)
	if !ok || p.Workload.Replicas == nil {
		return ""
	}
	return fmt.Sprintf("; %s ask it %d times an hour", p.Replicas(), n**p.Workload.Replicas)
}
