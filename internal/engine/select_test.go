package engine

import (
	"errors"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func TestSelect(t *testing.T) {
	nursery := rule("young", lint.PerWorkload, speak("y"))
	nursery.Nursery = true
	all := []*lint.Rule{rule("a", lint.PerWorkload, speak("a")), rule("b", lint.PerWorkload, speak("b")), nursery}
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"default":                {Options{}, []string{"warning a: a", "warning b: b"}},
		"select":                 {Options{Select: []string{"b"}}, []string{"warning b: b"}},
		"select nursery":         {Options{Select: []string{"young", "a"}}, []string{"warning a: a", "warning young: y"}},
		"ignore":                 {Options{Ignore: []string{"a"}}, []string{"warning b: b"}},
		"ignore beats select":    {Options{Select: []string{"a", "b"}, Ignore: []string{"a"}}, []string{"warning b: b"}},
		"level":                  {Options{Levels: map[string]lint.Level{"a": lint.Error}}, []string{"error a: a", "warning b: b"}},
		"level off":              {Options{Levels: map[string]lint.Level{"a": lint.Off}}, []string{"warning b: b"}},
		"level turns nursery on": {Options{Levels: map[string]lint.Level{"young": lint.Info}}, []string{"warning a: a", "warning b: b", "info young: y"}},
		"select keeps its level": {Options{Select: []string{"a"}, Levels: map[string]lint.Level{"a": lint.Info, "b": lint.Error}}, []string{"info a: a"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.o.Rules = all
			expect(t, run(t, c.o, shop("w", 0)), c.want...)
		})
	}
}

func TestUnknownRule(t *testing.T) {
	for _, o := range []Options{{Select: []string{"raedy"}}, {Ignore: []string{"raedy"}}, {Levels: map[string]lint.Level{"raedy": lint.Info}}} {
		o.Rules = []*lint.Rule{rule("ready", lint.PerWorkload, nil)}
		_, err := choose(o)
		var unknown *UnknownRuleError
		if !errors.As(err, &unknown) || unknown.Nearest != "ready" {
			t.Errorf("got %v", err)
		}
	}
}

// A higher level lifts what is proven alone; a lower one is a ceiling for all.
func TestOverrideKeepsTheUncertainQuiet(t *testing.T) {
	r := rule("r", lint.PerWorkload, func(p *lint.Pass) {
		p.Report(lint.Finding{Title: "guessed", Level: lint.Info, Certainty: model.Guessed, Cause: "1"})
		p.Report(lint.Finding{Title: "proven", Level: lint.Warning, Cause: "2"})
	})
	for level, want := range map[lint.Level][]string{
		lint.Error: {"error r: proven", "info r: guessed"}, lint.Info: {"info r: guessed", "info r: proven"},
	} {
		expect(t, run(t, Options{Rules: []*lint.Rule{r}, Levels: map[string]lint.Level{"r": level}}, shop("w", 0)), want...)
	}
}
