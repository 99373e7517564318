package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/guess"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
)

// analysis is what the engine asks of the Go side. It has the methods of link.Analysis.
type analysis interface {
	Programs() []*model.Program
	Endpoint(*model.Program, *model.Route, model.Request, *model.Container) *model.Endpoint
}

// goSide is what was read of the Go code.
type goSide struct {
	code     analysis // nil: none
	packages []Package
	limits   []model.Limit
	findings []lint.Finding
	// marked are the files that hold a directive, relative to the root.
	marked []string
	inputs load.Inputs
}

// readGo reads the Go side, joins it with the workloads, and sorts the programs into bound and unbound ones. A crash of
// the Go side leaves the manifest side to be judged.
func (in *input) readGo(ctx context.Context, o *Options, m *manifest.Result, paths []string) error {
	side := &goSide{}
	var kept *keptCode
	if dirs := goDirs(o, m, paths); len(dirs) > 0 && !o.NoGo {
		o.progress("reading Go code in %s", count(len(dirs), "folder"))
		var err error
		crash := guard("reading the Go code", func() {
			switch {
			case o.Keep != nil:
				side, kept, err = o.Keep.load(ctx, in.result.Set, dirs, o)
			case o.Cache != nil && len(o.Overlay) == 0:
				side, kept, err = cachedGo(ctx, in.result.Set, dirs, o)
			default:
				side, err = loadGo(ctx, in.result.Set, dirs, o)
			}
		})
		if err != nil {
			return err
		}
		if crash != nil {
			side, kept = &goSide{}, nil
			in.result.Crashes = append(in.result.Crashes, *crash)
		}
	}
	in.result.Packages, in.marked, in.goInputs = side.packages, side.marked, side.inputs
	in.result.Limits = append(in.result.Limits, side.limits...)
	in.add(side.findings)
	if side.code != nil {
		in.result.Programs = side.code.Programs()
	}
	for _, p := range in.result.Programs {
		in.programs[p.Package] = p
	}
	g := &guarded{analysis: side.code}
	o.progress("joining %s with %s", count(len(m.Workloads), "workload"), count(len(in.result.Programs), "program"))
	if crash := guard("joining probes and code", func() { join(in, o, m, g) }); crash != nil {
		in.result.Crashes = append(in.result.Crashes, *crash)
	}
	in.findLoose(o, g)
	in.markCritical(o)
	in.result.Calls = in.calls()
	in.result.Crashes = append(in.result.Crashes, g.crashes...)
	if len(in.result.Crashes) == 0 {
		kept.save(ctx)
	}
	return nil
}

// asked reports whether a program lies at or below what the run was asked for. One that was read only because a manifest has its module
// above it is judged behind that manifest alone: the manifests of the others were not given.
func (in *input) asked(o *Options, p *model.Program) bool {
	dir := absolute(o.Root, filepath.FromSlash(p.Dir))
	dirs := slices.Clone(in.abs)
	for _, d := range o.GoDirs {
		dirs = append(dirs, absolute(o.WorkingDir, d))
	}
	return slices.ContainsFunc(dirs, func(d string) bool {
		if strings.HasSuffix(d, ".go") {
			d = filepath.Dir(d)
		}
		return within(d, dir)
	})
}

// findLoose collects what of the code no manifest reaches.
func (in *input) findLoose(o *Options, code *guarded) {
	asked := map[string]bool{} // handlers that a probe asks, by program and place
	known := map[string]bool{} // roles that a probe asks for, by program
	for _, w := range in.result.Workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				if e := p.Endpoint; e != nil {
					asked[fmt.Sprintf("%s %s:%d", e.Program, e.File, e.Line)] = true
					known[e.Program+" "+string(p.Role)] = true
				} else if b := in.bound[c]; b.program != nil && p.Kind == model.HTTPGet {
					known[b.program.Package+" "+string(p.Role)] = true // it asks for another path, whatever answers there
				}
			}
		}
	}
	for _, p := range in.result.Programs {
		if !in.asked(o, p) {
			continue
		}
		l := loose{program: p, unbound: !in.isBound(p)}
		l.probes = guess.Probes(code, p, func(r *model.Route) bool {
			return asked[fmt.Sprintf("%s %s:%d", p.Package, r.HandlerSpan.File, r.HandlerSpan.Line)]
		})
		// Where a probe of that role asks elsewhere, a convention says nothing about this endpoint.
		l.probes = slices.DeleteFunc(l.probes, func(pr *model.Probe) bool {
			directed := pr.Endpoint != nil && pr.Endpoint.Directive != nil
			return known[p.Package+" "+string(pr.Role)] && !directed
		})
		if l.unbound || len(l.probes) > 0 {
			in.loose = append(in.loose, l)
		}
	}
}

// calls are the symbols of all dependencies, each once and sorted.
func (in *input) calls() []string {
	var out []string
	for _, e := range in.endpoints() {
		for _, d := range e.Dependencies {
			out = append(out, d.Call)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// endpoints are all handlers of the run that a probe asks, a guessed one too.
func (in *input) endpoints() []*model.Endpoint {
	var out []*model.Endpoint
	have := map[*model.Endpoint]bool{}
	add := func(p *model.Probe) {
		if p.Endpoint != nil && !have[p.Endpoint] {
			have[p.Endpoint] = true
			out = append(out, p.Endpoint)
		}
	}
	for _, w := range in.result.Workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				add(p)
			}
		}
	}
	for _, l := range in.loose {
		for _, p := range l.probes {
			add(p)
		}
	}
	return out
}

func (in *input) isBound(p *model.Program) bool {
	for _, b := range in.bound {
		if b.program == p {
			return true
		}
	}
	return false
}

// guarded is an analysis whose panics lose one endpoint alone.
type guarded struct {
	analysis
	crashes []Crash
}

func (g *guarded) Endpoint(p *model.Program, r *model.Route, req model.Request, c *model.Container) (e *model.Endpoint) {
	what := "following " + r.Handler
	if r.Handler == "" {
		what = "following the handler of " + r.Pattern
	}
	if crash := guard(what, func() { e = g.analysis.Endpoint(p, r, req, c) }); crash != nil {
		e = nil
		if !slices.ContainsFunc(g.crashes, func(c Crash) bool { return c.What == crash.What && c.Message == crash.Message }) {
			g.crashes = append(g.crashes, *crash)
		}
	}
	return e
}
