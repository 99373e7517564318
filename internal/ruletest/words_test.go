package ruletest

import (
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Each point of the message guide finds what breaks it, and a finding that keeps it passes.
func TestFaults(t *testing.T) {
	r := &lint.Rule{Name: "r", Level: lint.Warning}
	good := lint.Finding{
		Rule: "r", Level: lint.Info, Certainty: model.Proven, Title: "liveness probe of `must!` asks PostgreSQL",
		Primary: lint.Label{Span: Yaml(1), Text: "asked here"}, Labels: []lint.Label{{Span: Yaml(2), Text: "`a.b.`"}},
		Notes: []string{"5% of 3 x 10s is 1.5s, see https://example.com/please!"}, Help: "`failureThreshold: 3`",
		Fixes: []lint.Fix{{Title: "Set `x`", Edits: []lint.Edit{{}}}},
	}
	if got := Faults(r, good); len(got) > 0 {
		t.Errorf("faults in a good finding: %q", got)
	}
	if f := good; true {
		f.Title = "TCP probe of `x` asks nothing"
		if got := Faults(r, f); len(got) > 0 {
			t.Errorf("a name in capitals: %q", got)
		}
	}
	for want, change := range map[string]func(*lint.Finding){
		"level error":             func(f *lint.Finding) { f.Level = lint.Error },
		"no certainty":            func(f *lint.Finding) { f.Certainty = "" },
		"title of 91":             func(f *lint.Finding) { f.Title = strings.Repeat("a", 91) },
		"clause in lower case":    func(f *lint.Finding) { f.Title = "Probe fails" },
		"without a full stop":     func(f *lint.Finding) { f.Title = "probe fails." },
		"no place":                func(f *lint.Finding) { f.Primary.Span = model.Span{} },
		"label of 61":             func(f *lint.Finding) { f.Primary.Text = strings.Repeat("a", 61) },
		"label with a full stop":  func(f *lint.Finding) { f.Labels = []lint.Label{{Span: Yaml(2), Text: "x."}} },
		"label without a place":   func(f *lint.Finding) { f.Labels = []lint.Label{{Text: "x"}} },
		"a full stop at the end":  func(f *lint.Finding) { f.Notes = []string{"it restarts."} },
		"an imperative phrase":    func(f *lint.Finding) { f.Fixes = []lint.Fix{{Title: "set x", Edits: []lint.Edit{{}}}} },
		"a fix without an edit":   func(f *lint.Finding) { f.Fixes = []lint.Fix{{Title: "Set x"}} },
		`the word "may"`:          func(f *lint.Finding) { f.Help = "this may help" },
		`the word "bad practice"`: func(f *lint.Finding) { f.Notes = []string{"a bad practice"} },
		"exclamation mark":        func(f *lint.Finding) { f.Title = "it fails!" },
		"odd backticks":           func(f *lint.Finding) { f.Help = "set `x" },
		"pictogram":               func(f *lint.Finding) { f.Help = "done \u2705" },
		"verb without its value":  func(f *lint.Finding) { f.Help = "`%!s(MISSING)`" },
	} {
		f := good
		change(&f)
		if got := strings.Join(Faults(r, f), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s: got %q", want, got)
		}
	}
}
