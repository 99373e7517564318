package engine

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// UnknownRuleError names a rule that is not in the catalogue.
type UnknownRuleError struct{ Name, Nearest string }

func (e *UnknownRuleError) Error() string {
	if e.Nearest != "" {
		return fmt.Sprintf("unknown rule %q; did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("unknown rule %q; `probelint rules` lists them", e.Name)
}

// chosen is which rules run, which of them report, and at which level.
type chosen struct {
	rules   []*lint.Rule // that run, in the order of the catalogue
	byName  map[string]*lint.Rule
	reports map[string]bool
	levels  map[string]lint.Level
	// overrides as given; ignored are the rules that no override brings back.
	overrides []Override
	ignored   map[string]bool
	// others are the names of rules outside the catalogue, those of team policies.
	others []string
	// selected: only some rules were asked for.
	selected bool
}

// choose applies Select, Ignore and Levels to the catalogue. A rule that silences a reporting one runs too although it does
// not report: what is true of the probe does not change with what the user asks to see.
func choose(o Options) (*chosen, error) {
	c := &chosen{byName: map[string]*lint.Rule{}, reports: map[string]bool{}, levels: o.Levels, selected: len(o.Select) > 0, overrides: o.Overrides, ignored: map[string]bool{}}
	names := make([]string, 0, len(o.Rules))
	for _, r := range o.Rules {
		c.byName[r.Name] = r
		names = append(names, r.Name)
	}
	known := func(name string) error {
		if c.byName[name] == nil && !o.brokenPolicies {
			return &UnknownRuleError{Name: name, Nearest: lint.Nearest(name, names)}
		}
		return nil
	}
	lists := [][]string{o.Select, o.Ignore, sortedKeys(o.Levels)}
	for _, x := range o.Overrides {
		lists = append(lists, sortedKeys(x.Levels))
	}
	for _, list := range lists {
		for _, name := range list {
			if err := known(name); err != nil {
				return nil, err
			}
		}
	}
	for _, r := range o.Rules {
		c.reports[r.Name] = !r.Nursery && len(o.Select) == 0
	}
	for name, l := range o.Levels {
		if len(o.Select) == 0 {
			c.reports[name] = l != lint.Off
		}
	}
	for _, name := range o.Select {
		c.reports[name] = c.levels[name] != lint.Off || !has(c.levels, name)
	}
	for _, name := range []string{unreadableInput, lint.PolicyFailed} {
		if l, set := o.Levels[name]; !set || l != lint.Off {
			c.reports[name] = true // without it the silence of the chosen rules would prove nothing
		}
	}
	for _, name := range o.Ignore {
		c.reports[name], c.ignored[name] = false, true
	}
	for _, r := range o.Rules {
		if c.reports[r.Name] || c.somewhere(r.Name) || (!r.Nursery && !o.NoSilencing && c.silencesReporting(r)) {
			c.rules = append(c.rules, r)
		}
	}
	return c, nil
}

// facts are what the rules that run need of the Go code beside what it always tells.
func (c *chosen) facts() []lint.Fact {
	var out []lint.Fact
	for _, r := range c.rules {
		out = append(out, r.Facts...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *chosen) silencesReporting(r *lint.Rule) bool {
	for _, list := range [][]string{r.Silences, r.SilencesCall} {
		for _, name := range list {
			if c.reports[name] {
				return true
			}
		}
	}
	return false
}

// somewhere reports whether an override lets a rule report that is off elsewhere.
func (c *chosen) somewhere(rule string) bool {
	if c.ignored[rule] || c.selected {
		return false
	}
	for _, o := range c.overrides {
		if o.Levels[rule] != lint.Off {
			return true
		}
	}
	return false
}

// of is whether a finding is reported, and the level that it is set to where one is.
func (c *chosen) of(f *found, root string) (report bool, level lint.Level, set bool) {
	report, known := c.reports[f.Rule]
	report = report || !known
	level, set = c.levels[f.Rule]
	for _, o := range c.overrides {
		l, has := o.Levels[f.Rule]
		if !has || !o.covers(f.Workload, root, f.Primary.Span.File) {
			continue
		}
		level, set = l, true
		if !c.selected && !c.ignored[f.Rule] {
			report = l != lint.Off
		}
	}
	return report, level, set
}

// covers reports whether an override is about a workload or a file of it, or about the file that is given relative to the root.
func (o Override) covers(w *model.Workload, root, file string) bool {
	if w != nil && o.Match(w, absolute(root, filepath.FromSlash(w.File))) {
		return true
	}
	return o.Match(w, absolute(root, filepath.FromSlash(file)))
}

// override drops what does not report and applies the levels of flags and configuration. A lower level is a ceiling. A
// higher one lifts only what is proven: what could not be followed is never guessed into an error (RULES.md, "Certainty").
func override(fs []found, c *chosen, root string) []found {
	kept := fs[:0:0]
	for _, f := range fs {
		report, l, set := c.of(&f, root)
		if !report {
			continue
		}
		if set && (l < f.Level || f.Certainty == "" || f.Certainty == proven) {
			f.Level = l
		}
		if f.Level != lint.Off {
			kept = append(kept, f)
		}
	}
	return kept
}
