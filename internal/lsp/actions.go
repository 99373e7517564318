package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
)

// fixAll applies all safe fixes of a file.
const fixAll protocol.CodeActionKind = "source.fixAll.probelint"

// at is a file of the newest result that a request is about.
type at struct {
	result *engine.Result
	file   string // relative to the root of the result
	text   string
}

// find looks up the result that a document belongs to. ok is false before the first run, and while the buffer has changed
// since the last one: positions would be wrong.
func (s *server) find(u uri.URI) (at, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.folders {
		if f.result == nil {
			continue
		}
		rel, ok := relative(f.result.Set.Root, u)
		if !ok {
			continue
		}
		file, err := f.result.Set.Get(rel)
		if err != nil {
			continue
		}
		text := string(file.Data)
		if d := s.docs[u]; d != nil && d.text != text {
			continue
		}
		return at{f.result, rel, text}, true
	}
	return at{}, false
}

// CodeAction offers the fixes of the findings at a range.
func (s *server) CodeAction(_ context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	a, ok := s.find(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	start, end := offset(a.text, p.Range.Start), offset(a.text, p.Range.End)
	var out []protocol.CommandOrCodeAction
	var all []lint.Edit
	for i := range a.result.Findings {
		f := &a.result.Findings[i]
		if f.Suppressed != nil || f.Level < s.options.Show {
			continue
		}
		here := slices.IndexFunc(places(f), func(l lint.Label) bool { return overlaps(l.Span, a.file, start, end) })
		for _, x := range f.Fixes {
			if x.Safe && inFile(x, a.file) && free(x, all) {
				all = append(all, x.Edits...)
			}
			if here < 0 || !wanted(p.Context.Only, protocol.CodeActionKindQuickFix) {
				continue
			}
			kind, safe := protocol.CodeActionKindQuickFix, x.Safe
			action := &protocol.CodeAction{Title: x.Title, Kind: &kind, IsPreferred: &safe, Edit: a.edit(x.Edits)}
			for _, d := range p.Context.Diagnostics {
				if d.Code == protocol.String(f.Rule) {
					action.Diagnostics = append(action.Diagnostics, d)
				}
			}
			out = append(out, action)
		}
	}
	if len(all) > 0 && wanted(p.Context.Only, fixAll) {
		kind := fixAll
		out = append(out, &protocol.CodeAction{Title: "apply all safe fixes of probelint", Kind: &kind, Edit: a.edit(all)})
	}
	return out, nil
}

// wanted reports whether a client asked for a kind of action: for none in particular, for it, or for a kind above it.
func wanted(only []protocol.CodeActionKind, kind protocol.CodeActionKind) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(k protocol.CodeActionKind) bool {
		return k == kind || strings.HasPrefix(string(kind), string(k)+".")
	})
}

func inFile(x lint.Fix, file string) bool {
	return len(x.Edits) > 0 && !slices.ContainsFunc(x.Edits, func(e lint.Edit) bool { return e.Span.File != file })
}

func free(x lint.Fix, taken []lint.Edit) bool {
	return !slices.ContainsFunc(x.Edits, func(e lint.Edit) bool {
		return slices.ContainsFunc(taken, func(t lint.Edit) bool { return overlaps(t.Span, e.Span.File, e.Span.Start, e.Span.End) })
	})
}

func (a at) edit(edits []lint.Edit) *protocol.WorkspaceEdit {
	changes := map[uri.URI][]protocol.TextEdit{}
	for _, e := range edits {
		if loc, ok := location(a.result, e.Span); ok {
			changes[loc.URI] = append(changes[loc.URI], protocol.TextEdit{Range: loc.Range, NewText: e.Text})
		}
	}
	return &protocol.WorkspaceEdit{Changes: changes}
}
