package vet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// judge runs the rules on programs that no manifest is known of. It is what internal/engine does for such programs, without
// all that engine has for workloads; a test holds that both find the same.
type judge struct {
	o        Options
	settings *lint.Settings
	byName   map[string]*lint.Rule
	off      map[string]bool // rules that a limit names
}

func newJudge(o Options, limits []model.Limit) *judge {
	j := &judge{o: o, settings: lint.DefaultSettings(cmp.Or(o.Profile, "default")), byName: map[string]*lint.Rule{}, off: map[string]bool{}}
	for _, r := range o.Rules {
		j.byName[r.Name] = r
	}
	for _, l := range limits {
		for _, r := range l.RulesOff {
			j.off[r] = true
		}
	}
	return j
}

// found is a finding with what it was reported for.
type found struct {
	lint.Finding
	probe *model.Probe // nil: the whole program
}

func (j *judge) program(p *model.Program, probes []*model.Probe) []lint.Finding {
	var all []found
	for _, r := range j.o.Rules {
		if r.Check == nil {
			continue
		}
		switch r.Scope {
		case lint.PerProgram:
			j.run(r, p, nil, &all)
		case lint.PerProbe:
			for _, pr := range probes {
				j.run(r, p, pr, &all)
			}
		}
	}
	all = j.silence(all)
	var out []lint.Finding
	seen := map[string]bool{}
	for _, f := range all {
		if f.Level < cmp.Or(j.o.Show, lint.Warning) || !j.reports(f.Rule) || f.Primary.Span.IsZero() {
			continue
		}
		// equal cause, or one place: one finding
		key := fmt.Sprintf("%s\x00%s", f.Rule, cmp.Or(f.Cause, lint.CauseAt(f.Primary.Span)))
		if !seen[key] {
			seen[key] = true
			out = append(out, f.Finding)
		}
	}
	slices.SortStableFunc(out, func(a, b lint.Finding) int {
		return cmp.Or(
			strings.Compare(a.Primary.Span.File, b.Primary.Span.File), cmp.Compare(a.Primary.Span.Start, b.Primary.Span.Start),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Title, b.Title),
		)
	})
	return out
}

func (j *judge) reports(rule string) bool {
	if len(j.o.Select) > 0 {
		return slices.Contains(j.o.Select, rule)
	}
	return !j.byName[rule].Nursery
}

func (j *judge) run(r *lint.Rule, p *model.Program, pr *model.Probe, out *[]found) {
	if r.Nursery && !j.reports(r.Name) {
		return
	}
	pass := &lint.Pass{Settings: j.settings, Program: p, Probe: pr}
	if pr != nil {
		pass.Endpoint = pr.Endpoint
	}
	pass.Report = func(f lint.Finding) {
		f.Rule = r.Name
		f.Level = cmp.Or(f.Level, r.Level)
		f.Certainty = cmp.Or(f.Certainty, model.Proven)
		if f.Primary.Span.IsZero() && pass.Endpoint != nil {
			f.Primary.Span = pass.Endpoint.Span
		}
		if f.Primary.Span.IsZero() {
			f.Primary.Span = p.Span
		}
		// Rules that conclude from what is absent stay quiet about code that was not followed to its end.
		if j.off[r.Name] && (pass.Endpoint != nil && len(pass.Endpoint.Unfollowed) > 0 || !p.Complete) {
			f.Level = min(f.Level, lint.Info)
		}
		*out = append(*out, found{f, pr})
	}
	r.Check(pass)
}

// silence removes what only follows from another finding ("One cause, one finding" in RULES.md).
func (j *judge) silence(fs []found) []found {
	quiet := map[int]bool{}
	for _, loud := range fs {
		r := j.byName[loud.Rule]
		if loud.Level <= lint.Info {
			continue
		}
		for k, f := range fs {
			if slices.Contains(r.Silences, f.Rule) && loud.probe == f.probe ||
				slices.Contains(r.SilencesCall, f.Rule) && touches(loud.Finding, f.Primary.Span) {
				quiet[k] = true
			}
		}
	}
	i := -1
	return slices.DeleteFunc(fs, func(found) bool { i++; return quiet[i] })
}

func touches(f lint.Finding, at model.Span) bool {
	overlaps := func(s model.Span) bool { return s.File == at.File && s.Start < at.End && at.Start < s.End }
	return overlaps(f.Primary.Span) || slices.ContainsFunc(f.Labels, func(l lint.Label) bool { return overlaps(l.Span) })
}
