package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/probelint/probelint/internal/edit"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
)

// mostRounds bounds how often fixes are made and everything is judged again. Fixes that overlap need one more round each.
const mostRounds = 20

// fixes are what the fixes of a run make of its files.
type fixes struct {
	findings int
	unsafe   int               // findings that only --unsafe-fixes mends
	before   map[string][]byte // by path
	after    map[string][]byte
}

// changes are the files that differ, in the order of paths.
func (x *fixes) changes() []edit.Change {
	var out []edit.Change
	for _, path := range slices.Sorted(maps.Keys(x.after)) {
		if string(x.before[path]) != string(x.after[path]) {
			out = append(out, edit.Change{Path: path, Before: x.before[path], After: x.after[path]})
		}
	}
	return out
}

// fixAll makes the fixes of what judge finds and judges again what they make, until nothing is left to fix. All of it is in memory:
// nothing is written where it comes to no end, or is interrupted. It returns the last run.
func (c *command) fixAll(f *checkFlags, judge func(overlay map[string][]byte) (*engine.Result, error), show lint.Level) (*engine.Result, *fixes, error) {
	x := &fixes{before: map[string][]byte{}, after: map[string][]byte{}}
	said := map[string]bool{}
	for round := 0; ; round++ {
		r, err := judge(x.after)
		if err != nil {
			return nil, nil, err
		}
		shown := slices.DeleteFunc(slices.Clone(r.Findings), func(f lint.Finding) bool { return f.Level < show })
		plan := edit.Make(r.Set, shown, f.unsafeFixes)
		for _, err := range plan.Refused {
			if !said[err.Error()] {
				said[err.Error()] = true
				c.complain("not fixed: %v", err)
			}
		}
		if len(plan.Changes) == 0 {
			for _, f := range shown {
				if f.Suppressed == nil && len(f.Fixes) > 0 {
					x.unsafe++
				}
			}
			return r, x, nil
		}
		if round == mostRounds {
			return nil, nil, fmt.Errorf("fixing came to no end: the fixes of %s undo each other", lint.And(rulesOf(plan.Fixed)))
		}
		for _, ch := range plan.Changes {
			if _, known := x.before[ch.Path]; !known {
				x.before[ch.Path] = ch.Before
			}
			x.after[ch.Path] = ch.After
		}
		x.findings += len(plan.Fixed)
	}
}

// applyFixes writes what fixAll made, or shows it as a patch.
func (c *command) applyFixes(ctx context.Context, f *checkFlags, root string, x *fixes) error {
	changes := x.changes()
	what, where := lint.Count(x.findings, "finding"), lint.Count(len(changes), "file")
	if f.diff {
		if err := edit.Diff(c.out, changes); err != nil {
			return fmt.Errorf("writing the results: %w", err)
		}
		if !f.quiet {
			flags, more := "--fix", ""
			if f.unsafeFixes {
				flags = "--fix --unsafe-fixes"
			} else if x.unsafe > 0 {
				more = fmt.Sprintf("; --unsafe-fixes shows %d more", x.unsafe)
			}
			c.complain("%s would fix %s in %s%s", flags, what, where, more)
		}
		return nil
	}
	for _, ch := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := edit.WriteChange(root, ch); err != nil {
			return err
		}
	}
	if len(changes) > 0 && !f.quiet {
		c.complain("fixed %s in %s", what, where)
	}
	return nil
}

func rulesOf(fs []lint.Finding) []string {
	var out []string
	for _, f := range fs {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	slices.Sort(out)
	return out
}
