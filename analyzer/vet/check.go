package vet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/guess"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/suppress"
)

// Options say what is reported.
type Options struct {
	// Rules is the catalogue. Nursery rules are left out unless Select names them.
	Rules []*lint.Rule
	// Show is the lowest level reported. The zero value stands for Warning.
	Show lint.Level
	// Profile decides the thresholds: default or strict; empty is default.
	Profile string
	// Select names the only rules that report; empty for all but the nursery.
	Select []string
	// OnePerLine makes one diagnostic of the findings on one line and puts the places that they rest on into words, for drivers
	// that show one issue a line and related places as issues of their own (golangci-lint).
	OnePerLine bool
	// Tags are build tags besides those of GOFLAGS.
	Tags []string
}

// Result is what was found in one program.
type Result struct {
	// Findings are in the order of files, lines and rules.
	Findings []lint.Finding
	// Limits are what could not be read or followed.
	Limits []model.Limit
	set    *source.Set
}

// Name is the absolute name of a file of a span.
func (r *Result) Name(s model.Span) string {
	name := filepath.FromSlash(s.File)
	if filepath.IsAbs(name) { // a module outside of the repository, by a local replacement or a workspace
		return name
	}
	return filepath.Join(r.set.Root, name)
}

// Text is the bytes of a file of a span as they lie on disk, or nil where it could not be read.
func (r *Result) Text(s model.Span) []byte {
	f, err := r.set.Get(s.File)
	if err != nil {
		return nil
	}
	return f.Data
}

// errPanic is wrapped by what is returned where a rule or the engine failed inside.
var errPanic = errors.New("internal error")

// Check judges the program whose main package lies in dir, an absolute directory. Where a rule fails inside there is an error besides
// the result, which holds what the others found.
func Check(ctx context.Context, dir string, o Options) (r *Result, err error) {
	defer func() {
		if e := recover(); e != nil {
			r, err = nil, fmt.Errorf("checking %s: %w: %v", dir, errPanic, e)
		}
	}()
	set := source.NewSet(source.FindRoot(dir, moduleRoot(dir)))
	code, err := load.Load(ctx, load.Options{Set: set, Dirs: []string{dir}, Alone: true, Offline: true, Tags: o.Tags})
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", dir, err)
	}
	a := endpoint.Analyze(ctx, code)
	r = &Result{Limits: code.Limits, set: set}
	j := newJudging(o, code.Limits)
	a.Look(j.facts())
	for _, p := range a.Programs() {
		if p.Dir != set.Rel(dir) {
			continue
		}
		probes := guess.Probes(a, p, func(*model.Route) bool { return false })
		r.Findings = append(r.Findings, j.program(p, probes)...)
	}
	r.Findings = silence(set, r.Findings)
	return r, errors.Join(j.failed...)
}

// moduleRoot is the nearest folder at or above dir with a go.mod, or dir.
func moduleRoot(dir string) string {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}

// silence leaves out what a comment in the code silences. Dates are not looked at: a driver keeps results over days, and the
// command line reports what has expired.
func silence(set *source.Set, fs []lint.Finding) []lint.Finding {
	x := suppress.New(time.Time{})
	for _, f := range fs {
		for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
			if src, err := set.Get(l.Span.File); err == nil {
				x.AddGo(src)
			}
		}
	}
	return slices.DeleteFunc(fs, func(f lint.Finding) bool { return x.Match(&f, nil) != nil })
}
