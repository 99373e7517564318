package engine

import (
	"bytes"
	"go/ast"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/suppress"
)

// markedGo are the Go files that speak to probelint, relative to the root and sorted.
func markedGo(code *load.Result) []string {
	var out []string
	for _, p := range code.Packages {
		for _, f := range p.Files {
			for _, g := range f.Comments {
				if slices.ContainsFunc(g.List, func(c *ast.Comment) bool {
					return strings.Contains(c.Text, suppress.Marker) || strings.HasPrefix(c.Text, "//nolint:") && strings.Contains(c.Text, "probelint")
				}) {
					out = append(out, code.Span(f.FileStart, f.FileStart).File)
					break
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// suppressions reads what silences findings in the files of the run.
func (in *input) suppressions(o *Options, dockerfiles, markedGo []string) *suppress.Index {
	x := suppress.New(o.Now)
	set := in.result.Set
	get := func(path string) *source.File {
		f, err := set.Get(path)
		if err != nil {
			return nil // gone since it was read
		}
		return f
	}
	for _, f := range in.result.Files {
		if !f.Marked {
			continue
		}
		if src := get(f.Path); src != nil {
			x.AddYAML(src, outline(src))
		}
	}
	for _, path := range dockerfiles {
		if src := get(path); src != nil && bytes.Contains(src.Data, []byte(suppress.Marker)) {
			x.AddDockerfile(src)
		}
	}
	for _, path := range markedGo {
		if src := get(path); src != nil {
			x.AddGo(src)
		}
	}
	for _, w := range in.result.Workloads {
		x.AddWorkload(w, get)
	}
	return x
}

func outline(f *source.File) suppress.Outline {
	o := manifest.OutlineOf(f)
	ranges := func(rs []manifest.Range) []suppress.Range {
		out := make([]suppress.Range, len(rs))
		for i, r := range rs {
			out[i] = suppress.Range(r)
		}
		return out
	}
	return suppress.Outline{Documents: ranges(o.Documents), Roots: ranges(o.Roots), Nodes: ranges(o.Nodes), Text: ranges(o.Text)}
}

// suppressionFaults are the findings about the suppressions themselves.
func (in *input) suppressionFaults(c *coverage) []found {
	if in.silent == nil {
		return nil
	}
	names := make([]string, 0, len(c.chosen.byName))
	for n := range c.chosen.byName {
		names = append(names, n)
	}
	names = append(names, c.chosen.others...)
	slices.Sort(names)
	var out []found
	for _, f := range in.silent.Findings(suppress.Rules{Known: names, Judged: c.at, JudgedAll: c.allAt}) {
		if f.Rule == suppress.UnknownRule && c.policies != nil && len(c.policies.Faults()) > 0 {
			continue // it can be the name of a rule whose policy is broken
		}
		out = append(out, found{Finding: f})
	}
	return out
}
