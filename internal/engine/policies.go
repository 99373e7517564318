package engine

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Policies are team rules, loaded and checked. Package policy implements it; it is given, not imported, so that OPA is linked
// into the command line alone and not into the tests of every rule. It is safe for concurrent use.
type Policies interface {
	// Rules are the policies as entries of the catalogue; their Check is nil.
	Rules() []*lint.Rule
	// Begin says which rules report.
	Begin(reports func(rule string) bool)
	// Judge runs the policies on the model of one unit.
	Judge(ctx context.Context, u *lint.Unit) []lint.Judged
	// Raw reports whether policies want manifests as they are written; Document runs those on one file and returns how many
	// objects it holds.
	Raw() bool
	Document(ctx context.Context, f *source.File) (objects int, found []lint.Finding)
	// Faults are the findings of lint.PolicyFailed, of loading and of the run. Stopped reports whether a rule was stopped in the
	// midst of the run, so that what it found before depends on the order of the work.
	Faults() []lint.Finding
	Stopped(rule string) bool
}

// PolicySource says where the policies of a run lie, in absolute paths.
type PolicySource struct {
	Set *source.Set
	// Dirs are folders or files of policies; Data are files and folders of data for them. Namespaces are the Rego packages that
	// judge raw manifests, as conftest calls them; empty: main.
	Dirs, Data, Namespaces []string
	// Taken reports whether a name is that of a rule of the catalogue.
	Taken func(name string) bool
	// Kinds are the kinds of dependencies that the project's knowledge adds.
	Kinds []string
}

// loadPolicies adds the policies to the catalogue of the run.
func loadPolicies(ctx context.Context, o *Options, set *source.Set) (Policies, error) {
	if len(o.Policies) == 0 || o.LoadPolicies == nil {
		return nil, nil
	}
	o.progress("reading policies")
	names := map[string]bool{}
	for _, r := range o.Rules {
		names[r.Name] = true
	}
	from := PolicySource{Set: set, Namespaces: o.PolicyNamespaces, Taken: func(name string) bool { return names[name] }}
	for _, c := range o.Knowledge.Clients {
		from.Kinds = append(from.Kinds, c.Kind)
	}
	for _, d := range o.Policies {
		from.Dirs = append(from.Dirs, absolute(o.WorkingDir, d))
	}
	for _, d := range o.PolicyData {
		from.Data = append(from.Data, absolute(o.WorkingDir, d))
	}
	p, err := o.LoadPolicies(ctx, from)
	if err != nil {
		return nil, err // says what was read
	}
	o.Rules = append(slices.Clip(o.Rules), p.Rules()...)
	return p, nil
}

// withoutFixtures leaves the fixtures of the policies out of what is walked: they are there to be wrong.
func (o *Options) withoutFixtures(set *source.Set) {
	if len(o.Policies) == 0 {
		return
	}
	var dirs []string
	for _, d := range o.Policies {
		dirs = append(dirs, set.Rel(absolute(o.WorkingDir, d)))
	}
	before := o.Exclude
	o.Exclude = func(rel string) bool {
		if before != nil && before(rel) {
			return true
		}
		return slices.ContainsFunc(dirs, func(d string) bool {
			below, ok := strings.CutPrefix(rel, d+"/")
			if d == "." {
				below, ok = rel, true
			}
			return ok && slices.Contains(strings.Split(below, "/"), lint.PolicyFixtures)
		})
	}
}

// policy judges one unit by the team's rules.
func (j *judging) policy(ctx context.Context, u *lint.Unit) []found {
	if j.policies == nil {
		return nil
	}
	var out []found
	for _, f := range j.policies.Judge(ctx, u) {
		at := found{Finding: f.Finding, Objects: judge.Objects{
			Workload: f.Workload, Container: f.Container, Probe: f.Probe, Endpoint: f.Endpoint, Program: f.Program,
		}}
		r := j.chosen.byName[f.Rule]
		if r == nil {
			continue // a rule that is not of this run
		}
		at.Complete(r)
		j.rendered(&at)
		out = append(out, at)
	}
	return out
}

// unitOf is a workload with the programs that its containers run, each once.
func (in *input) unitOf(w *model.Workload) *lint.Unit {
	u := &lint.Unit{Workload: w}
	add := func(p *model.Program) {
		if p != nil && !slices.Contains(u.Programs, p) {
			u.Programs = append(u.Programs, p)
		}
	}
	for _, c := range w.Containers {
		add(in.programOf(c))
		for _, p := range c.Probes {
			if p.Endpoint != nil {
				add(in.programs[p.Endpoint.Program])
			}
		}
	}
	return u
}

// unit is a program that no manifest runs, with its health endpoints.
func (l loose) unit() *lint.Unit {
	return &lint.Unit{Programs: []*model.Program{l.program}, Probes: l.probes}
}

// units are all that a policy is asked about.
func (in *input) units() []*lint.Unit {
	var out []*lint.Unit
	for _, w := range in.result.Workloads {
		out = append(out, in.unitOf(w))
	}
	for _, l := range in.loose {
		out = append(out, l.unit())
	}
	return out
}

// withoutStopped drops what rules found that were stopped.
func withoutStopped(fs []found, p Policies) []found {
	return slices.DeleteFunc(fs, func(f found) bool { return p.Stopped(f.Rule) })
}

// faults are the findings about the policies themselves.
func faults(p Policies) []found {
	var out []found
	for _, f := range p.Faults() {
		at := found{Finding: f}
		if len(at.Identity) == 0 {
			at.Identity = judge.Identity(&at)
		}
		out = append(out, at)
	}
	return out
}

// documents judges the manifests as they are written, and returns how many objects there are.
func documents(ctx context.Context, p Policies, in *input) (objects int, out []found) {
	if p == nil || !p.Raw() {
		return 0, nil
	}
	files := slices.Clone(in.rendered)
	for _, f := range in.result.Files {
		if f.Opened && f.Status != manifest.StatusUnreadable {
			if src, err := in.result.Set.Get(f.Path); err == nil {
				files = append(files, src)
			}
		}
	}
	type judged struct {
		objects int
		found   []lint.Finding
	}
	all := make([]judged, len(files))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), max(1, len(files))) {
		wg.Go(func() {
			for i := range next {
				all[i].objects, all[i].found = p.Document(ctx, files[i])
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, j := range all {
		objects += j.objects
		for _, f := range j.found {
			at := found{Finding: f}
			if len(at.Identity) == 0 {
				at.Identity = judge.Identity(&at)
			}
			out = append(out, at)
		}
	}
	return objects, out
}
