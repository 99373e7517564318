package vettool

import (
	"archive/zip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/internal/lint"
)

// applyFixes applies the first safe fix of each finding: into the archive that the go command unpacks when all units are
// done, or into the files; with -diff it prints the difference.
func (t *tool) applyFixes(u *unit, r *vet.Result, out io.Writer) (int, error) {
	fixed := fixes(r)
	names := make([]string, 0, len(fixed))
	for name := range fixed {
		names = append(names, name)
	}
	slices.Sort(names)
	if t.diff {
		for _, name := range names {
			if d := udiff.Unified(name+" (old)", name+" (new)", fixed[name].before, fixed[name].after); d != "" {
				_, _ = io.WriteString(out, d)
			}
		}
		return exitDone, nil
	}
	if u.FixArchive == "" {
		for _, name := range names {
			if err := os.WriteFile(name, []byte(fixed[name].after), 0o666); err != nil {
				return exitFailed, fmt.Errorf("applying fixes: %w", err)
			}
		}
		return exitDone, nil
	}
	if err := archive(u, names, fixed); err != nil {
		return exitFailed, fmt.Errorf("writing the archive of fixes: %w", err)
	}
	return exitDone, nil
}

func archive(u *unit, names []string, fixed map[string]change) (err error) {
	f, err := os.Create(u.FixArchive)
	if err != nil {
		return err
	}
	z := zip.NewWriter(f)
	if err := z.SetComment(u.ID); err != nil {
		return err
	}
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, fixed[name].after); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

// change is a file before and after its fixes.
type change struct{ before, after string }

// fixes applies the first fix of each finding where it is safe and meets no other. A fix that reaches into a package of
// somebody else is left alone.
func fixes(r *vet.Result) map[string]change {
	edits := map[string][]lint.Edit{}
	text := map[string]string{}
	for _, f := range r.Findings {
		if len(f.Fixes) == 0 || !f.Fixes[0].Safe || !fits(r, f.Fixes[0], edits) {
			continue
		}
		for _, e := range f.Fixes[0].Edits {
			name := r.Name(e.Span)
			edits[name] = append(edits[name], e)
			text[name] = string(r.Text(e.Span))
		}
	}
	out := map[string]change{}
	for name, es := range edits {
		slices.SortFunc(es, func(a, b lint.Edit) int { return a.Span.Start - b.Span.Start })
		var b strings.Builder
		at := 0
		for _, e := range es {
			b.WriteString(text[name][at:e.Span.Start])
			b.WriteString(e.Text)
			at = e.Span.End
		}
		b.WriteString(text[name][at:])
		out[name] = change{text[name], b.String()}
	}
	return out
}

func fits(r *vet.Result, f lint.Fix, edits map[string][]lint.Edit) bool {
	for _, e := range f.Edits {
		name := r.Name(e.Span)
		if !vet.FirstParty(name) || e.Span.End > len(r.Text(e.Span)) {
			return false
		}
		for _, x := range edits[name] {
			if e.Span.Start <= x.Span.End && x.Span.Start <= e.Span.End {
				return false
			}
		}
	}
	return len(f.Edits) > 0
}
