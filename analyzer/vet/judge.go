package vet

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// judging runs the rules on programs that no manifest is known of, with what internal/engine does for such programs too.
type judging struct {
	o        Options
	settings *lint.Settings
	byName   map[string]*lint.Rule
	off      map[string]bool // rules that a limit names
	failed   []error         // rules that failed inside
}

func newJudging(o Options, limits []model.Limit) *judging {
	j := &judging{o: o, settings: lint.DefaultSettings(cmp.Or(o.Profile, "default")), byName: map[string]*lint.Rule{}, off: judge.RulesOff(limits)}
	for _, r := range o.Rules {
		j.byName[r.Name] = r
	}
	return j
}

func (j *judging) program(p *model.Program, probes []*model.Probe) []lint.Finding {
	var all []judge.Found
	for _, r := range j.o.Rules {
		if r.Nursery && !j.reports(r.Name) {
			continue
		}
		switch r.Scope {
		case lint.PerProgram:
			all = j.run(all, r, judge.Objects{Program: p})
		case lint.PerProbe:
			for _, pr := range probes {
				all = j.run(all, r, judge.Objects{Probe: pr, Endpoint: pr.Endpoint, Program: p})
			}
		}
	}
	judge.Quieten(all, j.off)
	all = slices.DeleteFunc(judge.Silence(all, j.byName), func(f judge.Found) bool {
		return f.Level < cmp.Or(j.o.Show, lint.Warning) || !j.reports(f.Rule) || f.Primary.Span.IsZero()
	})
	return judge.Group(all)
}

// facts are what the rules that report need of the code beside what it always tells.
func (j *judging) facts() []lint.Fact {
	var out []lint.Fact
	for _, r := range j.o.Rules {
		if j.reports(r.Name) {
			out = append(out, r.Facts...)
		}
	}
	return out
}

func (j *judging) reports(rule string) bool {
	if len(j.o.Select) > 0 {
		return slices.Contains(j.o.Select, rule)
	}
	return !j.byName[rule].Nursery
}

func (j *judging) run(out []judge.Found, r *lint.Rule, at judge.Objects) []judge.Found {
	out, crash := judge.Run(out, r, at, j.settings, "")
	if crash != nil {
		j.failed = append(j.failed, fmt.Errorf("rule %s on %s: %w: %v", r.Name, at.Name(), errPanic, crash.Value))
	}
	return out
}
