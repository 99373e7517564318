package engine

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// found is a finding with the objects that it was reported for.
type found struct {
	lint.Finding
	workload  *model.Workload
	container *model.Container
	probe     *model.Probe
	endpoint  *model.Endpoint
	program   *model.Program
}

// judge runs the rules. It is safe for concurrent use.
type judge struct {
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
func (j *judge) all(ctx context.Context) ([]found, error) {
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

func (j *judge) finish(fs []found) []found {
	fs = dropRejected(j.suppressed(fs)) // a suppression is of use although another rule speaks instead
	quieten(fs, j.off)
	if j.silence {
		fs = silenced(fs, j.chosen.byName)
	}
	return fs
}

// suppressed marks the findings that a comment or an annotation silences.
func (j *judge) suppressed(fs []found) []found {
	for i := range fs {
		if fs[i].Suppressed != nil {
			continue // an exception of a policy
		}
		fs[i].Suppressed = j.in.silent.Match(&fs[i].Finding, fs[i].workload)
	}
	return fs
}

// workload judges one workload with all that it holds.
func (j *judge) workload(w *model.Workload) []found {
	var out []found
	for _, r := range j.chosen.rules {
		switch r.Scope {
		case lint.PerProbe:
			for _, c := range w.Containers {
				for _, p := range c.Probes {
					if p.Rejected() && r.Name != fieldInvalid {
						continue
					}
					prog := j.in.programOf(c)
					if p.Endpoint != nil && p.Endpoint.Program != "" {
						prog = j.in.programs[p.Endpoint.Program]
					}
					j.run(r, objects{workload: w, container: c, probe: p, endpoint: p.Endpoint, program: prog}, &out)
				}
			}
		case lint.PerContainer:
			for _, c := range w.Containers {
				j.run(r, objects{workload: w, container: c, program: j.in.programOf(c)}, &out)
			}
		case lint.PerWorkload:
			j.run(r, objects{workload: w}, &out)
		case lint.PerProgram:
			for _, c := range w.Containers {
				if prog := j.in.programOf(c); prog != nil {
					j.run(r, objects{workload: w, container: c, program: prog}, &out)
				}
			}
		}
	}
	return out
}

// program judges what no manifest reaches of a program.
func (j *judge) program(u loose) []found {
	var out []found
	for _, r := range j.chosen.rules {
		switch r.Scope {
		case lint.PerProgram:
			if u.unbound {
				j.run(r, objects{program: u.program}, &out)
			}
		case lint.PerProbe:
			for _, p := range u.probes {
				j.run(r, objects{probe: p, endpoint: p.Endpoint, program: u.program}, &out)
			}
		}
	}
	return out
}

// run calls one rule for one place and keeps what it reports. A rule that panics loses this place alone.
func (j *judge) run(r *lint.Rule, at objects, out *[]found) {
	if r.Check == nil {
		return
	}
	before := len(*out)
	defer func() {
		if v := recover(); v != nil {
			*out = (*out)[:before]
			f := at.found()
			j.crash(newCrash("rule "+r.Name+" on "+f.name(), v, r.Name))
		}
	}()
	r.Check(&lint.Pass{
		Settings: j.settingsFor(at), Workload: at.workload, Container: at.container, Probe: at.probe, Endpoint: at.endpoint,
		Program: at.program, ProgramCertainty: j.in.certaintyOf(at.container, at.program),
		Report: func(f lint.Finding) {
			x := at.found()
			x.Finding = f
			x.complete(r)
			x.rendered(j.in.result.Set)
			*out = append(*out, x)
		},
	})
}

// objects are what a rule is run for. A rule is run many more times than it reports, so that they go without the finding.
type objects struct {
	workload  *model.Workload
	container *model.Container
	probe     *model.Probe
	endpoint  *model.Endpoint
	program   *model.Program
}

func (o objects) found() found {
	return found{workload: o.workload, container: o.container, probe: o.probe, endpoint: o.endpoint, program: o.program}
}

// settingsFor are the thresholds in force for a place.
func (j *judge) settingsFor(at objects) *lint.Settings {
	s := j.settings
	if len(j.chosen.overrides) == 0 {
		return s
	}
	x := at.found()
	for _, o := range j.chosen.overrides {
		if o.Settings == nil || !o.covers(at.workload, j.in.result.Set.Root, x.place().File) {
			continue
		}
		changed := *s
		o.Settings(&changed)
		s = &changed
	}
	return s
}

func (j *judge) crash(c Crash) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.crashes = append(j.crashes, c)
}

// rendered adjusts a finding about a workload that was rendered: of its fixes those stay that edit literal text of a template, a base
// or a values file. Where the chart's defaults render another text the values file is named.
func (f *found) rendered(set *source.Set) {
	if f.workload == nil || f.workload.Renderer == "" {
		return
	}
	f.Fixes = slices.DeleteFunc(slices.Clone(f.Fixes), func(x lint.Fix) bool {
		return slices.ContainsFunc(x.Edits, func(e lint.Edit) bool { return !literal(set, e) })
	})
	if with := f.workload.RenderedWith; with != "" {
		f.Notes = append(slices.Clip(f.Notes), "rendered with the values of "+lint.Quote(with))
	}
	if on := f.workload.Switched; len(on) > 0 {
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

// complete fills in what a rule may leave out.
func (f *found) complete(r *lint.Rule) {
	f.Rule = r.Name
	if f.Level == lint.Off {
		f.Level = r.Level
	}
	if f.Certainty == "" {
		f.Certainty = proven
	}
	if len(f.Probes) == 0 && f.probe != nil && f.workload != nil {
		f.Probes = []lint.ProbeRef{lint.RefOf(f.workload, f.container, f.probe)}
	}
	if f.Primary.Span.IsZero() {
		f.Primary.Span = f.place()
	}
	if len(f.Identity) == 0 {
		f.Identity = identity(f)
	}
	f.Labels = distinct(f.Labels, f.Primary)
	f.Notes = slices.Compact(f.Notes)
}

// distinct drops labels that say what another one says of the same span, and those that point nowhere.
func distinct(labels []lint.Label, primary lint.Label) []lint.Label {
	said := []lint.Label{primary}
	for _, l := range labels {
		if !l.Span.IsZero() && !slices.ContainsFunc(said, func(x lint.Label) bool { return x.Span == l.Span && x.Text == l.Text }) {
			said = append(said, l)
		}
	}
	return said[1:]
}

// place is the smallest object that the finding was reported for, for one that points nowhere.
func (f *found) place() model.Span {
	for _, s := range []func() model.Span{
		func() model.Span { return deref(f.probe).Span },
		func() model.Span { return deref(f.endpoint).Span },
		func() model.Span { return deref(f.container).Span },
		func() model.Span { return deref(f.workload).Span },
		func() model.Span { return deref(f.program).Span },
	} {
		if at := s(); !at.IsZero() {
			return at
		}
	}
	return model.Span{}
}

func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// name is how a crash names the place.
func (f *found) name() string {
	var parts []string
	if f.workload != nil {
		parts = append(parts, f.workload.Ref())
	} else if f.program != nil {
		parts = append(parts, f.program.Package)
	}
	if f.container != nil {
		parts = append(parts, "container "+f.container.Name)
	}
	if f.probe != nil && f.probe.Guessed {
		parts = append(parts, f.probe.Target.Path)
	} else if f.probe != nil {
		parts = append(parts, f.probe.Role.Key())
	}
	return strings.Join(parts, " ")
}
