// Package edit applies the fixes of findings. A fix is a set of byte edits, so that comments, quotes and blank lines stay as they
// are. Of fixes that overlap the first one in the order of the findings is taken; the caller runs again for the others.
package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/source"
)

// Change is one file before and after.
type Change struct {
	Path          string // relative to the root of the run
	Before, After []byte
}

// Plan is what one round of fixes does.
type Plan struct {
	Changes []Change // in the order of paths
	// Fixed are the findings whose fix is in it. Overlapping is how many fixes wait for the next round, because they touch the
	// same bytes.
	Fixed       []lint.Finding
	Overlapping int
	// Refused says of each file whose edits are left out why: what they make of it would not parse.
	Refused []error
}

// Make plans the fixes of findings that nothing silences, safe ones alone unless unsafe is asked for. It takes the first fix of a
// finding that is allowed.
func Make(set *source.Set, fs []lint.Finding, unsafe bool) *Plan {
	p := &Plan{}
	edits := map[string][]lint.Edit{}
	for _, f := range fs {
		fix := choose(f, unsafe)
		if fix == nil || !editable(set, fix) {
			continue
		}
		if slices.ContainsFunc(fix.Edits, func(e lint.Edit) bool { return touches(edits[e.Span.File], e) }) {
			if !slices.ContainsFunc(fix.Edits, func(e lint.Edit) bool { return !slices.Contains(edits[e.Span.File], e) }) {
				p.Fixed = append(p.Fixed, f) // the very same edits, of another finding
				continue
			}
			p.Overlapping++
			continue
		}
		for _, e := range fix.Edits {
			edits[e.Span.File] = append(edits[e.Span.File], e)
		}
		p.Fixed = append(p.Fixed, f)
	}
	refused := map[string]bool{}
	for _, path := range sortedKeys(edits) {
		f, err := set.Get(path)
		if err != nil {
			p.Refused = append(p.Refused, err)
			refused[path] = true
			continue
		}
		after, err := Apply(f, edits[path])
		if err != nil {
			p.Refused = append(p.Refused, fmt.Errorf("%s: %w", path, err))
			refused[path] = true
			continue
		}
		if !bytes.Equal(f.Data, after) {
			p.Changes = append(p.Changes, Change{Path: path, Before: f.Data, After: after})
		}
	}
	p.Fixed = slices.DeleteFunc(p.Fixed, func(f lint.Finding) bool {
		fix := choose(f, unsafe)
		return slices.ContainsFunc(fix.Edits, func(e lint.Edit) bool { return refused[e.Span.File] })
	})
	return p
}

func choose(f lint.Finding, unsafe bool) *lint.Fix {
	if f.Suppressed != nil {
		return nil
	}
	for i := range f.Fixes {
		if x := &f.Fixes[i]; len(x.Edits) > 0 && (x.Safe || unsafe) {
			return x
		}
	}
	return nil
}

// editable reports whether offsets of all files of a fix count in the bytes on disk.
func editable(set *source.Set, fix *lint.Fix) bool {
	return !slices.ContainsFunc(fix.Edits, func(e lint.Edit) bool {
		if strings.HasPrefix(e.Span.File, "<") {
			return true
		}
		f, err := set.Get(e.Span.File)
		return err != nil || f.Recoded || e.Span.Start < 0 || e.Span.End > len(f.Data) || e.Span.Start > e.Span.End
	})
}

// touches reports whether an edit overlaps one of others. Insertions at one place do, since their order would be made up.
func touches(others []lint.Edit, e lint.Edit) bool {
	return slices.ContainsFunc(others, func(o lint.Edit) bool {
		if o.Span.Start == e.Span.Start {
			return true
		}
		return e.Span.Start < o.Span.End && o.Span.Start < e.Span.End
	})
}

// Apply makes the edits of one file, which do not overlap. Line ends are those of the file. A Go file that was formatted is
// formatted again; what parsed has to parse.
func Apply(f *source.File, edits []lint.Edit) ([]byte, error) {
	es := slices.Clone(edits)
	slices.SortFunc(es, func(a, b lint.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	crlf := lineEnd(f.Data) == "\r\n"
	var out []byte
	at := 0
	for _, e := range es {
		if e.Span.Start < at {
			return nil, errors.New("two edits overlap")
		}
		text := e.Text
		if crlf {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		}
		out = append(append(out, f.Data[at:e.Span.Start]...), text...)
		at = e.Span.End
	}
	out = append(out, f.Data[at:]...)
	if strings.HasSuffix(f.Path, ".go") {
		return formatted(f.Data, out)
	}
	if parses(f.Data) && !parses(out) {
		return nil, errors.New("the edits leave what is no YAML")
	}
	return out, nil
}

// lineEnd is how the first line ends.
func lineEnd(data []byte) string {
	i := bytes.IndexByte(data, '\n')
	if i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func formatted(before, after []byte) ([]byte, error) {
	goParses := func(src []byte) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
		return err == nil
	}
	if goParses(before) && !goParses(after) {
		return nil, errors.New("the edits leave what is no Go")
	}
	was, err := format.Source(before)
	if err != nil || !bytes.Equal(was, before) {
		return after, nil //nolint:nilerr // what was not formatted stays as it is
	}
	return format.Source(after)
}

func parses(data []byte) bool {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// Diff writes the changes as a patch for `git apply` and `patch -p1`, relative to the root of the run.
func Diff(w io.Writer, changes []Change) error {
	for _, c := range changes {
		if _, err := io.WriteString(w, udiff.Unified("a/"+c.Path, "b/"+c.Path, string(c.Before), string(c.After))); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
