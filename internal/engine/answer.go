package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// answer is the findings of a run over a tree in which nothing has changed: all files of the repository, and what lies outside
// of it and was looked at for the Go code.
type answer struct {
	dir  *cache.Dir
	tree *cache.Tree
	key  string
	env  string
}

// answerEntry is what the cache keeps of it.
type answerEntry struct {
	Outside  load.Inputs
	Stamp    string // of Outside
	Findings []lint.Finding
	Summary  lint.Summary
	Limits   []model.Limit
	First    string
	// Texts are those of places that are no files on disk, or not as they were read: members of packed charts, what could not be
	// read.
	Texts []textOfPlace
}

type textOfPlace struct {
	Path    string
	Data    []byte
	Recoded bool
}

// openAnswer sums up the tree of a run. It is nil where no answer is kept: there is no repository whose files are all that is
// read, texts stand for files, or policies have data of their own.
func openAnswer(ctx context.Context, o *Options, paths []string) *answer {
	if o.Cache == nil || o.Identity == "" || len(o.Overlay) > 0 || o.Keep != nil || len(o.Policies) > 0 {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(o.Root, ".git")); err != nil {
		return nil
	}
	for _, p := range slices.Concat(paths, o.Values) {
		if p == "-" || !within(o.Root, p) {
			return nil
		}
	}
	tree := o.Cache.Tree(ctx, o.Root)
	if tree == nil {
		return nil
	}
	a := &answer{dir: o.Cache, tree: tree}
	if !o.NoGo {
		a.env = load.Environment(ctx)
	}
	// A suppression can end with the day.
	a.key = o.Cache.Key("answer", o.Root, o.Identity, fmt.Sprintf("%q %q %q %t %t", o.WorkingDir, paths, o.GoDirs, o.NoGo, o.Offline), tree.Sum, a.env, o.Now.UTC().Format("2006-01-02"), o.Now.Format("2006-01-02"))
	return a
}

// result is what an earlier run found, nil where there is none that still holds.
func (a *answer) result(ctx context.Context, o *Options, set *source.Set) *Result {
	if a == nil {
		return nil
	}
	var e answerEntry
	if !a.dir.Get(a.key, &e) {
		return nil
	}
	if stamp, _ := stampOf(a.env, nil, e.Outside, true); stamp != e.Stamp || ctx.Err() != nil {
		return nil
	}
	a.tree.Keep()
	for _, text := range e.Texts {
		f := source.New(text.Path, text.Data)
		f.Recoded = text.Recoded
		set.Add(f)
	}
	return &Result{Set: set, Findings: e.Findings, Summary: e.Summary, Limits: e.Limits, First: e.First, Rules: o.Rules}
}

// keep keeps the answer of a run in whose time nothing was touched.
func (a *answer) keep(ctx context.Context, r *Result, in load.Inputs) {
	if a == nil || len(r.Crashes) > 0 || ctx.Err() != nil {
		return
	}
	a.tree.Keep()
	if !a.tree.Same(ctx) {
		return
	}
	e := answerEntry{Findings: r.Findings, Summary: r.Summary, Limits: r.Limits, First: r.First, Texts: textsOf(r)}
	inside := func(name string) bool { return within(r.Set.Root, name) }
	e.Outside.Dirs = slices.DeleteFunc(slices.Clone(in.Dirs), inside)
	e.Outside.Files = slices.DeleteFunc(slices.Clone(in.Files), inside)
	stamp, _ := stampOf(a.env, nil, e.Outside, true)
	e.Stamp = stamp
	_ = a.dir.Put(a.key, e)
}

// textsOf are the texts of places that reading the file again does not give.
func textsOf(r *Result) (out []textOfPlace) {
	seen := map[string]bool{"": true}
	for i := range r.Findings {
		for _, s := range spansOf(&r.Findings[i]) {
			if seen[s.File] {
				continue
			}
			seen[s.File] = true
			f := r.Set.Loaded(s.File)
			if f == nil {
				continue
			}
			st, err := os.Stat(absolute(r.Set.Root, filepath.FromSlash(s.File)))
			if err != nil || !st.Mode().IsRegular() || st.Size() != int64(len(f.Data)) {
				out = append(out, textOfPlace{f.Path, f.Data, f.Recoded})
			}
		}
	}
	return out
}

func spansOf(f *lint.Finding) []model.Span {
	out := []model.Span{f.Primary.Span}
	for _, l := range f.Labels {
		out = append(out, l.Span)
	}
	for _, x := range f.Fixes {
		for _, e := range x.Edits {
			out = append(out, e.Span)
		}
	}
	for _, p := range f.Probes {
		out = append(out, model.Span{File: p.File})
	}
	if f.Suppressed != nil {
		out = append(out, f.Suppressed.Span)
	}
	return out
}
