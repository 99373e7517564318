package engine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/suppress"
)

// coverage says what a run judged to its end. Only there a finding that is absent is gone: a suppression that silenced
// nothing is of no use, and an entry of a baseline can go. Whatever is in doubt counts as not judged.
type coverage struct {
	in       *input
	chosen   *chosen
	off      map[string]bool // rules that a limit names
	policies Policies
	root     string
	dirs     []string // folders among the paths, absolute
	crashed  bool     // a stage or a rule failed inside
	// plain: code was to be read, and there is none.
	plain bool
	// unreadable are the files that were not read whole. clean: no error among them. whole: none of them can hold an object, and no
	// limit says that something was left out. code: Go was read, each file of it parsed, and each call was typed.
	unreadable         map[string]bool
	clean, whole, code bool
}

func newCoverage(in *input, o *Options, c *chosen, off map[string]bool, policies Policies) *coverage {
	v := &coverage{
		in: in, chosen: c, off: off, policies: policies, root: o.Root, crashed: len(in.result.Crashes) > 0,
		unreadable: map[string]bool{}, clean: true, whole: true, code: len(in.result.Packages) > 0,
		plain: len(in.result.Packages) == 0 && !o.NoGo,
	}
	for _, p := range in.abs {
		if p != "-" && isDir(p) {
			v.dirs = append(v.dirs, p)
		}
	}
	for _, f := range in.found {
		if f.Rule != unreadableInput {
			continue
		}
		file := f.Primary.Span.File
		v.unreadable[file] = true
		if strings.HasSuffix(file, ".go") {
			v.code, v.plain = false, false
			continue
		}
		v.clean = v.clean && f.Level <= lint.Info
		v.whole = v.whole && slices.Contains(f.Identity, "empty")
	}
	for _, l := range in.result.Limits {
		v.code, v.plain = v.code && len(l.RulesOff) == 0, v.plain && len(l.RulesOff) == 0
	}
	return v
}

// runs reports whether a rule ran and reports what it finds.
func (v *coverage) runs(rule string) bool {
	r := v.chosen.byName[rule]
	if r == nil || !v.chosen.reports[rule] || v.off[rule] || v.crashed {
		return false
	}
	ofTeam := r.Check == nil && r.Scope != lint.PerInput
	return !ofTeam || v.policies != nil && len(v.policies.Faults()) == 0
}

// manifestOnly reports whether a rule looks at no code. Of those a rule about a single probe looks at no other object either.
func manifestOnly(r *lint.Rule) bool { return slices.Equal(r.Sees, []lint.Sees{lint.Manifest}) }

// at reports whether a rule was judged at the place of a suppression.
func (v *coverage) at(rule string, at suppress.Place) bool {
	if !v.runs(rule) {
		return false
	}
	if at.Workload != nil {
		return v.workload(rule, false, at.Workload, at.Workload.Containers)
	}
	isGo := strings.HasSuffix(at.File, ".go")
	if v.unreadable[at.File] || isGo && !v.code {
		return false
	}
	if at.Nowhere {
		return true
	}
	if !isGo {
		any := false
		for _, w := range v.in.result.Workloads {
			cs := touched(w, at.File, at.Scope)
			if len(cs) == 0 {
				continue
			}
			any = true
			if !v.workload(rule, false, w, cs) {
				return false
			}
		}
		if any {
			return true
		}
		if f, err := v.in.result.Set.Get(at.File); err != nil || strings.Contains(string(f.Data), "{{") { // a branch that was not rendered
			return false
		}
	}
	if isGo && len(v.in.result.Workloads) == 0 {
		return v.whole && v.around(at.File) && v.byConvention(rule, at.File)
	}
	return v.around(at.File) && v.everything(rule, false)
}

// byConvention reports whether a rule judged the handlers in a file although there is no manifest: they are those that a convention
// makes probes of, and each of them was followed.
func (v *coverage) byConvention(rule, file string) bool {
	if !slices.Contains(v.chosen.byName[rule].Sees, lint.Go) {
		return false
	}
	there := false
	for _, l := range v.in.loose {
		for _, p := range l.probes {
			if p.Endpoint == nil || !followedEndpoint(p.Endpoint) {
				return false
			}
			there = there || p.Endpoint.File == file
		}
	}
	return there
}

// allAt is at for every rule of the catalogue.
func (v *coverage) allAt(at suppress.Place) bool {
	if v.chosen.selected {
		return false
	}
	code := len(v.in.result.Workloads) == 0
	for _, r := range v.chosen.rules {
		if code && !slices.Contains(r.Sees, lint.Go) || r.Scope == lint.PerInput || !v.chosen.reports[r.Name] {
			continue
		}
		if !v.at(r.Name, at) {
			return false
		}
	}
	return true
}

// workload reports whether a rule judged some containers of a workload. alone: by the manifest alone is enough.
func (v *coverage) workload(rule string, alone bool, w *model.Workload, cs []*model.Container) bool {
	r := v.chosen.byName[rule]
	for _, c := range cs {
		for _, p := range c.Probes {
			if p.Rejected() && rule != judge.FieldInvalid || len(p.Unknown) > 0 {
				return false
			}
		}
	}
	if manifestOnly(r) && (r.Scope == lint.PerProbe || rule == judge.FieldInvalid) {
		return true
	}
	if !v.clean || !v.around(w.File) {
		return false
	}
	if manifestOnly(r) || alone {
		return true
	}
	asked := slices.DeleteFunc(slices.Clone(cs), func(c *model.Container) bool { return len(c.Probes) == 0 && v.in.programOf(c) == nil })
	return len(asked) > 0 && !slices.ContainsFunc(asked, func(c *model.Container) bool { return !v.followed(r, c) })
}

// everything reports whether a rule judged all that there is below the paths. alone: by the manifests alone is enough.
func (v *coverage) everything(rule string, alone bool) bool {
	if !v.whole || !v.clean || v.crashed {
		return false
	}
	r := v.chosen.byName[rule]
	if manifestOnly(r) || alone {
		return true
	}
	for _, l := range v.in.loose {
		if l.unbound && len(l.program.Servers) > 0 { // a container may run it whose image is not known
			return false
		}
	}
	for _, w := range v.in.result.Workloads {
		for _, c := range w.Containers {
			asks := slices.ContainsFunc(c.Probes, func(p *model.Probe) bool { return !p.Elsewhere })
			if (asks || v.in.programOf(c) != nil) && !v.followed(r, c) {
				return false
			}
		}
	}
	return v.code
}

// followed reports whether the code behind a container was followed to its end, as far as a rule looks at it: the program, and
// the handler of each probe that asks one.
func (v *coverage) followed(r *lint.Rule, c *model.Container) bool {
	for _, e := range c.Env {
		if strings.HasSuffix(e.Name, "*") && !e.Known { // envFrom of something that is not among what was read
			return false
		}
	}
	program := v.in.programOf(c)
	for _, p := range c.Probes {
		e := p.Endpoint
		if e == nil {
			if p.Kind == model.HTTPGet || p.Kind == model.GRPC {
				return false
			}
			continue
		}
		if program == nil {
			program = v.in.programs[e.Program]
		}
		if !followedEndpoint(e) {
			return false
		}
	}
	return v.code && program != nil && (program.Complete || r.Scope == lint.PerProbe)
}

func followedEndpoint(e *model.Endpoint) bool {
	return len(e.Unfollowed) == 0 && !e.HandedOn && !e.Answer.Unknown && (e.Budget == nil || !e.Budget.Unknown) &&
		!slices.ContainsFunc(e.Dependencies, func(d *model.Dependency) bool { return d.GatesUnknown })
}

// around reports whether a folder among the paths holds a file and all Go code that was read, so that what belongs together was
// judged together.
func (v *coverage) around(file string) bool {
	abs := absolute(v.root, filepath.FromSlash(file))
	return slices.ContainsFunc(v.dirs, func(dir string) bool {
		return within(dir, abs) && !slices.ContainsFunc(v.in.result.Packages, func(p Package) bool {
			return !within(dir, absolute(v.root, filepath.FromSlash(p.Dir)))
		})
	})
}

// touched are the containers of a workload that a part of a file is about: those that it overlaps, or all where it is about the
// workload itself.
func touched(w *model.Workload, file string, scope suppress.Range) []*model.Container {
	overlaps := func(fields ...model.Fields) bool {
		start, end := -1, -1
		for _, fs := range fields {
			for _, f := range fs {
				for _, s := range []model.Span{f.Key, f.Value} {
					if s.File == file && (start < 0 || s.Start < start) {
						start = s.Start
					}
					if s.File == file {
						end = max(end, s.End)
					}
				}
			}
		}
		return start >= 0 && start < scope.End && scope.Start < end
	}
	var out []*model.Container
	for _, c := range w.Containers {
		all := []model.Fields{c.Fields}
		for _, p := range c.Probes {
			all = append(all, p.Fields)
		}
		if overlaps(all...) {
			out = append(out, c)
		}
	}
	if len(out) == 0 && overlaps(w.Fields) {
		return w.Containers
	}
	return out
}

// Judged reports whether the run would have found again what an entry of a baseline knows: a finding of a rule about an object, which
// is a workload ("Deployment/orders", "Deployment/shop/orders"), a symbol of the code, or a file. where is what in it: a container and
// a field ("container api livenessProbe"). code: the run that made the entry read code, so that one without says nothing of a rule
// that looks at any.
func (r *Result) Judged(rule, object, where string, code bool) bool {
	v := r.coverage
	if v == nil || !v.runs(rule) {
		return false
	}
	alone := !code && v.plain && slices.Contains(v.chosen.byName[rule].Sees, lint.Manifest)
	there := false
	for _, w := range r.Workloads {
		if object != w.Ref() && object != w.Kind+"/"+w.Namespace+"/"+w.Name {
			continue
		}
		there = true
		cs := slices.DeleteFunc(slices.Clone(w.Containers), func(c *model.Container) bool {
			return strings.HasPrefix(where, "container ") && !strings.HasPrefix(where+" ", "container "+c.Name+" ")
		})
		if len(cs) == 0 && v.clean && v.around(w.File) { // the container is gone
			continue
		}
		if !v.workload(rule, alone, w, cs) {
			return false
		}
	}
	// A container of a workload that is gone runs no code any more.
	alone = alone || strings.HasPrefix(where, "container ")
	return there || slices.ContainsFunc(v.dirs, func(d string) bool { return within(d, v.root) }) && v.everything(rule, alone)
}
