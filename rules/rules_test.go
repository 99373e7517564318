package rules_test

import (
	"slices"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/internal/policytest"
	"github.com/probelint/probelint/rules"
)

func TestStyle(t *testing.T) {
	var names []string
	for _, r := range rules.All() {
		names = append(names, r.Name)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the catalogue is not sorted or holds a name twice: %q", names)
	}
	for _, r := range rules.All() {
		for _, f := range linttest.Style(r) {
			t.Errorf("%s: %s", r.Name, f)
		}
	}
}

// The examples of every page do what the page says.
func TestExamples(t *testing.T) {
	for _, r := range rules.All() {
		var others []*lint.Rule
		if r.Scope == lint.PerInput && r.Name != "unreadable-input" { // about the findings of others
			others = rules.All()
		}
		t.Run(r.Name, func(t *testing.T) {
			if r.Name == lint.PolicyFailed {
				linttest.RunDocWith(t, r, policytest.With("policies"))
				return
			}
			linttest.RunDoc(t, r, others...)
		})
	}
}

// No rule silences one that silences it in turn: both would vanish.
func TestSilencesInNoCircle(t *testing.T) {
	by := map[string]*lint.Rule{}
	for _, r := range rules.All() {
		by[r.Name] = r
	}
	for _, r := range rules.All() {
		for _, n := range r.Silences {
			if other := by[n]; other != nil && slices.Contains(other.Silences, r.Name) {
				t.Errorf("%s and %s silence each other", r.Name, n)
			}
		}
	}
}
