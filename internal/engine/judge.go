package engine

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// found is a finding with the objects that it was reported for.
type found = judge.Found

// judging is one run's. It is safe for concurrent use.
type judging struct {
	settings *lint.Settings
	chosen   *chosen
	in       *input
	silence  bool
	off      map[string]bool // rules that a limit names
	policies Policies        // nil for none

	mu      sync.Mutex
	crashes []Crash
}

// all judges every workload and program. The order of the result is that of the input.
func (j *judging) all(ctx context.Context) ([]found, error) {
	workloads := j.in.result.Workloads
	units := len(workloads) + len(j.in.loose)
	out := make([][]found, units)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), max(1, units)) {
		wg.Go(func() {
			for i := range next {
				if i < len(workloads) {
					out[i] = j.finish(append(j.workload(workloads[i]), j.policy(ctx, j.in.unitOf(workloads[i]))...))
				} else {
					u := j.in.loose[i-len(workloads)]
					out[i] = j.finish(append(j.program(u), j.policy(ctx, u.unit())...))
				}
			}
		})
	}
	for i := range units {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var all []found
	for _, f := range out {
		all = append(all, f...)
	}
	sortCrashes(j.crashes)
	return all, nil
}

func (j *judging) finish(fs []found) []found {
	fs = judge.DropRejected(j.suppressed(fs)) // a suppression is of use although another rule speaks instead
	judge.Quieten(fs, j.off)
	if j.silence {
		fs = judge.Silence(fs, j.chosen.byName)
	}
	return fs
}

// suppressed marks the findings that a comment or an annotation silences.
func (j *judging) suppressed(fs []found) []found {
	for i := range fs {
		if fs[i].Suppressed != nil {
			continue // an exception of a policy
		}
		fs[i].Suppressed = j.in.silent.Match(&fs[i].Finding, fs[i].Workload)
	}
	return fs
}

// workload judges one workload with all that it holds.
func (j *judging) workload(w *model.Workload) []found {
	var runner judge.Runner
	var out []found
	for _, r := range j.chosen.rules {
		switch r.Scope {
		case lint.PerProbe:
			for _, c := range w.Containers {
				for _, p := range c.Probes {
					if p.Rejected() && r.Name != judge.FieldInvalid {
						continue
					}
					prog := j.in.programOf(c)
					if p.Endpoint != nil && p.Endpoint.Program != "" {
						prog = j.in.programs[p.Endpoint.Program]
					}
					j.run(&runner, r, judge.Objects{Workload: w, Container: c, Probe: p, Endpoint: p.Endpoint, Program: prog}, &out)
				}
			}
		case lint.PerContainer:
			for _, c := range w.Containers {
				j.run(&runner, r, judge.Objects{Workload: w, Container: c, Program: j.in.programOf(c)}, &out)
			}
		case lint.PerWorkload:
			j.run(&runner, r, judge.Objects{Workload: w}, &out)
		case lint.PerProgram:
			for _, c := range w.Containers {
				if prog := j.in.programOf(c); prog != nil {
					j.run(&runner, r, judge.Objects{Workload: w, Container: c, Program: prog}, &out)
				}
			}
		}
	}
	return out
}

// program judges what no manifest reaches of a program.
func (j *judging) program(u loose) []found {
	var runner judge.Runner
	var out []found
	for _, r := range j.chosen.rules {
		switch r.Scope {
		case lint.PerProgram:
			if u.unbound {
				j.run(&runner, r, judge.Objects{Program: u.program}, &out)
			}
		case lint.PerProbe:
			for _, p := range u.probes {
				j.run(&runner, r, judge.Objects{Probe: p, Endpoint: p.Endpoint, Program: u.program}, &out)
			}
		}
	}
	return out
}

// run calls one rule for one place and keeps what it reports.
func (j *judging) run(runner *judge.Runner, r *lint.Rule, at judge.Objects, out *[]found) {
	before := len(*out)
	fs, crash := runner.Run(*out, r, at, j.settingsFor(at), j.in.certaintyOf(at.Container, at.Program))
	if crash != nil {
		j.crash(Crash{What: "rule " + r.Name + " on " + at.Name(), Message: fmt.Sprint(crash.Value), Stack: crash.Stack, RulesOff: []string{r.Name}})
	}
	for i := range fs[before:] {
		j.rendered(&fs[before+i])
		move(&fs[before+i], j.in.result.Set)
	}
	*out = fs
}

// settingsFor are the thresholds in force for a place.
func (j *judging) settingsFor(at judge.Objects) *lint.Settings {
	s := j.settings
	if len(j.chosen.overrides) == 0 {
		return s
	}
	for _, o := range j.chosen.overrides {
		if o.Settings == nil || !o.covers(at.Workload, j.in.result.Set.Root, at.Place().File) {
			continue
		}
		changed := *s
		o.Settings(&changed)
		s = &changed
	}
	return s
}

func (j *judging) crash(c Crash) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.crashes = append(j.crashes, c)
}

// rendered adjusts a finding about a workload that was rendered: of its fixes those stay that edit literal text of a template, a base
// or a values file. Where the chart's defaults render another text the values file is named.
func (j *judging) rendered(f *found) {
	if f.Workload == nil || f.Workload.Renderer == "" {
		return
	}
	f.Fixes = slices.DeleteFunc(slices.Clone(f.Fixes), func(x lint.Fix) bool {
		return slices.ContainsFunc(x.Edits, func(e lint.Edit) bool { return !literal(j.in.result.Set, e) })
	})
	if with := f.Workload.RenderedWith; with != "" {
		f.Notes = append(slices.Clip(f.Notes), "rendered with the values of "+lint.Quote(with))
	}
	if on := f.Workload.Switched; len(on) > 0 {
		if f.Certainty == model.Proven {
			f.Certainty = model.Likely
		}
		f.Notes = append(slices.Clip(f.Notes), "rendered with `"+strings.Join(on, "`, `")+"`: the chart's own values switch this workload off")
	}
}

// literal reports whether the place of an edit holds the text that the rule saw in what was rendered from it.
func literal(set *source.Set, e lint.Edit) bool {
	if e.Old == "" || strings.Contains(e.Span.File, ".tgz/") { // packed: nothing to edit
		return false
	}
	f, err := set.Get(e.Span.File)
	if err != nil || f.Recoded {
		return false
	}
	start, end := e.Span.Start, e.Span.End
	if start == end {
		start -= len(e.Old)
	}
	return start >= 0 && end <= len(f.Data) && start <= end && string(f.Data[start:end]) == e.Old
}
