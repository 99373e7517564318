package engine

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/suppress"
)

// input is what the reading stages hand to the judging ones.
type input struct {
	result *Result
	paths  []string // as shown to people
	abs    []string // the same, absolute
	// rendered are the texts of charts and kustomizations.
	rendered []*source.File
	found    []found // unreadable-input
	// programs by import path; bound by container; loose is what of the code no manifest reaches.
	programs map[string]*model.Program
	bound    map[*model.Container]binding
	loose    []loose
	// goInputs are the places that the reading of Go code looked at.
	goInputs load.Inputs
	// silent is what silences findings.
	silent *suppress.Index
	marked []string // Go files that hold a directive
}

// binding is the program that a container runs, and how sure that is.
type binding struct {
	program   *model.Program
	certainty model.Certainty
}

// loose is what of one program is judged without a manifest: the program itself where no container was linked to it, and
// its health endpoints that no probe asks, each with a guessed probe.
type loose struct {
	program *model.Program
	unbound bool
	probes  []*model.Probe
}

// programOf is the program that runs in a container, nil where that is not known.
func (in *input) programOf(c *model.Container) *model.Program { return in.bound[c].program }

// certaintyOf is how sure it is that a container runs a program. A program that answers the container's probes though the
// container is bound to none or another is known by those probes alone.
func (in *input) certaintyOf(c *model.Container, p *model.Program) model.Certainty {
	if c == nil || p == nil {
		return ""
	}
	if b := in.bound[c]; b.program == p {
		return b.certainty
	}
	return model.Likely
}

// open finds the root of a run, which all that is read is relative to.
func open(o *Options) *input {
	if o.Settings == nil {
		o.Settings = lint.DefaultSettings("default")
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	abs := make([]string, len(paths))
	for i, p := range paths {
		abs[i] = absolute(o.WorkingDir, p)
	}
	if o.Root == "" {
		o.Root = rootOf(abs, o.WorkingDir)
	}
	set := source.NewSet(o.Root)
	for rel, data := range o.Overlay {
		set.Add(source.Decode(rel, data))
	}
	o.withoutFixtures(set)
	return &input{
		result: &Result{Set: set}, paths: paths, abs: abs,
		programs: map[string]*model.Program{}, bound: map[*model.Container]binding{},
	}
}

func (in *input) read(ctx context.Context, o *Options) error {
	o.progress("reading manifests")
	r := in.result
	m, err := manifest.Read(ctx, r.Set, manifest.Options{Paths: in.abs, Stdin: o.Stdin, Exclude: o.Exclude, Renderer: o.Renderer, Values: o.Values, Overlay: o.Overlay, Keep: o.Keep.rendered()})
	if err != nil {
		return fmt.Errorf("reading manifests: %w", err)
	}
	r.Workloads, r.Limits, r.Files, in.rendered = m.Workloads, m.Limits, m.Files, m.Rendered
	in.add(m.Findings)
	r.Crashes = append(r.Crashes, derive(m.Workloads)...)
	if err := in.readGo(ctx, o, m, in.abs); err != nil {
		return err
	}
	if crash := guard("reading suppressions", func() { in.silent = in.suppressions(o, m.Dockerfiles, in.marked) }); crash != nil {
		r.Crashes = append(r.Crashes, *crash)
	}
	identify(in)
	return ctx.Err()
}

func (in *input) add(fs []lint.Finding) {
	for _, f := range fs {
		at := found{Finding: f}
		if len(at.Identity) == 0 {
			at.Identity = judge.Identity(&at)
		}
		in.found = append(in.found, at)
	}
}

// rootOf is the root for the first path that lies on disk.
func rootOf(paths []string, workingDir string) string {
	for _, p := range paths {
		if p == "-" {
			continue
		}
		if !isDir(p) {
			p = filepath.Dir(p)
		}
		return source.FindRoot(p, workingDir)
	}
	return source.FindRoot(workingDir, workingDir)
}
