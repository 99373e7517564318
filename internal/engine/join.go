package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// loadGo reads and analyses the Go code of dirs.
func loadGo(ctx context.Context, set *source.Set, dirs []string, o *Options) (*goSide, error) {
	kb, err := knowledgeOf(o)
	if err != nil {
		return nil, err
	}
	code, err := load.Load(ctx, load.Options{Set: set, Dirs: dirs, Offline: o.Offline})
	if err != nil {
		return nil, err
	}
	found := endpoint.AnalyzeWith(ctx, code, kb)
	found.Look(o.facts)
	side := &goSide{code: found, limits: code.Limits, findings: code.Findings, marked: markedGo(code), inputs: code.Inputs}
	for _, p := range code.Packages {
		side.packages = append(side.packages, Package{Path: p.Path, Dir: p.Dir})
	}
	slices.SortFunc(side.packages, func(a, b Package) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), strings.Compare(a.Path, b.Path))
	})
	return side, nil
}

// knowledgeOf is what ships with the program and what the project adds.
func knowledgeOf(o *Options) (*knowledge.Base, error) {
	if o.Knowledge.Empty() {
		return knowledge.Default(), nil
	}
	t, errs := o.Knowledge.Tables()
	if len(errs) > 0 {
		return nil, fmt.Errorf("reading knowledge: %w", errors.Join(errs...))
	}
	return knowledge.Default().With(t), nil
}

// join lets package link fill the endpoints of the probes, and keeps which program runs in which container.
func join(in *input, o *Options, m *manifest.Result, code *guarded) {
	li := link.Input{
		Root: o.Root, Workloads: m.Workloads, Dockerfiles: m.Dockerfiles, BuildFiles: m.BuildFiles, Bindings: o.Bindings,
		Read: func(rel string) ([]byte, error) {
			f, err := in.result.Set.Get(rel)
			if err != nil {
				return nil, err
			}
			return f.Data, nil
		},
	}
	if code.analysis != nil {
		li.Code = code
	}
	joined := link.Join(li)
	for _, b := range joined.Bound {
		in.bound[b.Container] = binding{b.Program, b.Certainty}
	}
	for _, b := range joined.Unread {
		what := "the code behind " + b.Workload
		if b.Container != "" {
			what += ", container " + b.Container
		}
		in.result.Limits = append(in.result.Limits, model.Limit{
			What: what, Because: "the configuration binds it to " + b.Package + ", which is no main package that was read",
		})
	}
}
