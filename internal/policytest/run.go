package policytest

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/policy"
	"github.com/probelint/probelint/internal/source"
)

// Options say what to test.
type Options struct {
	// Root is what paths are shown relative to; Dirs and Data are absolute.
	Root       string
	Dirs, Data []string
	Namespaces []string
	Taken      func(id string) bool
	// Kinds are kinds of dependencies that the project's knowledge adds.
	Kinds    []string
	Renderer manifest.Renderer
	Filter   string // a regular expression for the names of tests; "" for all tests and fixtures
	Coverage bool
}

// Report is what came of it.
type Report struct {
	Policies *policy.Set
	Tests    []policy.TestResult
	Fixtures []FixtureResult
	Coverage []policy.FileCoverage
}

// FixtureResult is one fixture, with a message for each finding that nobody wants and each want that nothing met.
type FixtureResult struct {
	Path   string
	Faults []string
}

// Load reads the fixtures and the policies with their tests.
func Load(ctx context.Context, o Options) (*policy.Set, []*Fixture, func(), error) {
	none := func() {}
	set := source.NewSet(o.Root)
	temp, err := os.MkdirTemp("", "probelint-fixtures-")
	if err != nil {
		return nil, nil, none, err
	}
	clean := func() { _ = os.RemoveAll(temp) }
	if real, err := filepath.EvalSymlinks(temp); err == nil {
		temp = real
	}
	fs, err := fixtures(o.Dirs, temp, set.Rel)
	if err != nil {
		return nil, nil, clean, err
	}
	docs := map[string]any{}
	for _, f := range fs {
		if err := f.read(ctx, o); err != nil {
			return nil, nil, clean, err
		}
		doc, err := f.document()
		if err != nil {
			return nil, nil, clean, err
		}
		put(docs, f.Name, doc)
	}
	p, err := policy.Load(ctx, policy.Options{
		Files: set, Dirs: o.Dirs, Data: o.Data, Namespaces: o.Namespaces, Taken: o.Taken, Kinds: o.Kinds, Tests: true, Fixtures: docs,
	})
	return p, fs, clean, err
}

func put(into map[string]any, path []string, v any) {
	for _, p := range path[:len(path)-1] {
		next, ok := into[p].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[p] = next
		}
		into = next
	}
	into[path[len(path)-1]] = v
}

// Run runs the tests. Faults of the policies themselves are those of Policies; nothing was run then.
func Run(ctx context.Context, o Options) (*Report, error) {
	p, fs, clean, err := Load(ctx, o)
	defer clean()
	if err != nil {
		return nil, err
	}
	r := &Report{Policies: p}
	if len(p.Broken()) > 0 {
		return r, nil
	}
	var covered *policy.Coverage
	if o.Coverage {
		covered = policy.NewCoverage()
	}
	if r.Tests, err = p.Test(ctx, o.Filter, covered); err != nil {
		return nil, err
	}
	for _, f := range fs {
		if o.Filter != "" {
			break
		}
		faults, err := f.judge(ctx, o, f.rulesFor(p.All()))
		if err != nil {
			return nil, err
		}
		r.Fixtures = append(r.Fixtures, FixtureResult{Path: f.Path, Faults: faults})
		if covered != nil {
			p.Cover(ctx, f.units, covered)
			for _, x := range f.files {
				if src, err := f.set.Get(x.Path); err == nil && p.Raw() {
					p.CoverDocument(ctx, src, covered)
				}
			}
		}
	}
	if covered != nil {
		r.Coverage = p.Coverage(covered)
	}
	return r, nil
}

// Failed reports whether a test or a fixture failed.
func (r *Report) Failed() bool {
	return slices.ContainsFunc(r.Tests, func(t policy.TestResult) bool { return t.Failed }) ||
		slices.ContainsFunc(r.Fixtures, func(f FixtureResult) bool { return len(f.Faults) > 0 })
}
