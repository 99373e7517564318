package sarif

import (
	"strings"

	"github.com/probelint/probelint/internal/lint"
)

// rule describes the rule of a finding once and returns its index.
func (b *builder) rule(f lint.Finding) int {
	if i, ok := b.index[f.Rule]; ok {
		return i
	}
	i := len(b.rules)
	b.index[f.Rule] = i
	b.rules = append(b.rules, describe(f, b.in.Rule(f.Rule)))
	return i
}

// describe is a rule as GitHub shows it beside its alerts. A rule that the catalogue does not have is described by its name.
func describe(f lint.Finding, r *lint.Rule) rule {
	words := strings.ReplaceAll(f.Rule, "-", " ")
	out := rule{
		ID: f.Rule, HelpURI: f.DocsURL(),
		ShortDescription: text{clip(words)}, FullDescription: text{clip(words)},
		Help:                 markdown{words, words},
		DefaultConfiguration: configuration{level(f.Level)},
		Properties:           ruleProperties{Tags: []string{"kubernetes", "health-check"}, Precision: "high", ProblemSeverity: severity(f.Level)},
	}
	if r == nil {
		return out
	}
	out.DefaultConfiguration.Level = level(r.Level)
	out.Properties.ProblemSeverity = severity(r.Level)
	if s := r.Summary(); s != "" {
		out.FullDescription = text{clip(s)}
	}
	_, body, _ := strings.Cut(r.Doc, "\n") // without the heading, which is the rule's name
	if body = strings.TrimSpace(body); body != "" {
		out.Help = markdown{body, body}
	}
	if r.Nursery {
		out.Properties.Precision = "medium"
	}
	for _, s := range r.Sees {
		switch s {
		case lint.Manifest:
			out.Properties.Tags = append(out.Properties.Tags, "manifest")
		case lint.Go:
			out.Properties.Tags = append(out.Properties.Tags, "go")
		case lint.Link:
			out.Properties.Tags = append(out.Properties.Tags, "joined")
		}
	}
	return out
}

// severity is problem.severity in GitHub's words.
func severity(l lint.Level) string {
	switch l {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	}
	return "recommendation"
}

// clip keeps a text within what GitHub takes of a description.
func clip(s string) string {
	r := []rune(s)
	if len(r) <= maxText {
		return s
	}
	return string(r[:maxText-1]) + "…"
}
