package cli

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/probelint/probelint/internal/edit"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
)

// mostRounds bounds how often fixes are applied and everything is judged again. Overlapping fixes need one more round each.
const mostRounds = 20

// fixAll applies the fixes of what judge finds, and judges again, until nothing is left to fix. It returns the last run.
func (c *command) fixAll(ctx context.Context, f *checkFlags, judge func() (*engine.Result, error), show lint.Level) (*engine.Result, error) {
	fixed, files := 0, map[string]bool{}
	seen := map[string]bool{}
	for round := 0; ; round++ {
		r, err := judge()
		if err != nil {
			return nil, err
		}
		plan := edit.Make(r.Set, fixable(r.Findings, show), f.unsafeFixes)
		for _, err := range plan.Refused {
			c.complain("not fixed: %v", err)
		}
		if len(plan.Changes) == 0 || len(plan.Refused) > 0 && round > 0 {
			if fixed > 0 && !f.quiet {
				c.complain("fixed %s in %s", lint.Count(fixed, "finding"), lint.Count(len(files), "file"))
			}
			return r, nil
		}
		state := ""
		for _, ch := range plan.Changes {
			state += ch.Path + "\x00" + string(ch.After) + "\x00"
		}
		if round == mostRounds || seen[state] {
			return nil, fmt.Errorf("fixing came to no end: the fixes of %q undo each other", rulesOf(plan.Fixed))
		}
		seen[state] = true
		for _, ch := range plan.Changes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := edit.WriteChange(r.Set.Root, ch); err != nil {
				return nil, err
			}
			files[ch.Path] = true
		}
		fixed += len(plan.Fixed)
	}
}

// diff writes what the fixes would change.
func (c *command) diff(f *checkFlags, r *engine.Result, show lint.Level) error {
	plan := edit.Make(r.Set, fixable(r.Findings, show), f.unsafeFixes)
	for _, err := range plan.Refused {
		c.complain("not fixed: %v", err)
	}
	if err := edit.Diff(c.out, plan.Changes); err != nil {
		return fmt.Errorf("writing the results: %w", err)
	}
	if f.quiet {
		return nil
	}
	if plan.Overlapping > 0 {
		c.complain("fixes that overlap these: %d; --fix applies them in further rounds", plan.Overlapping)
	}
	c.complain("%s to fix in %s", lint.Count(len(plan.Fixed), "finding"), lint.Count(len(plan.Changes), "file"))
	return nil
}

// fixable are the findings that are shown.
func fixable(fs []lint.Finding, show lint.Level) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(fs), func(f lint.Finding) bool { return f.Level < show })
}

func rulesOf(fs []lint.Finding) []string {
	var out []string
	for _, f := range fs {
		if !slices.Contains(out, f.Rule) {
			out = append(out, f.Rule)
		}
	}
	sort.Strings(out)
	return out
}
