package lsp

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// publish sends the findings of every file that has some, and an empty list for those that had some before.
func (s *server) publish(ctx context.Context, f *folder, r *engine.Result) {
	byFile := map[uri.URI][]protocol.Diagnostic{}
	if r != nil {
		for i := range r.Findings {
			x := &r.Findings[i]
			if x.Suppressed != nil || x.Level < s.options.Show {
				continue
			}
			for _, at := range places(x) {
				if loc, ok := location(r, at.Span); ok {
					byFile[loc.URI] = append(byFile[loc.URI], diagnostic(r, x, at, loc.Range))
				}
			}
		}
	}
	s.mu.Lock()
	for u := range f.published {
		if _, still := byFile[u]; !still {
			byFile[u] = []protocol.Diagnostic{}
		}
	}
	f.published = map[uri.URI]bool{}
	files := make([]uri.URI, 0, len(byFile))
	versions := map[uri.URI]int32{}
	for u, ds := range byFile {
		files = append(files, u)
		if len(ds) > 0 {
			f.published[u] = true
		}
		if d := s.docs[u]; d != nil {
			versions[u] = d.version
		}
	}
	s.mu.Unlock()
	slices.Sort(files)
	for _, u := range files {
		p := &protocol.PublishDiagnosticsParams{URI: u, Diagnostics: byFile[u]}
		if v, open := versions[u]; open {
			p.Version = protocol.NewOptional(v)
		}
		_ = s.client.PublishDiagnostics(ctx, p)
	}
}

// places are where a finding shows: its primary place, and on the other side the place that carries the fact, so that it
// is seen by whoever has that file open.
func places(f *lint.Finding) []lint.Label {
	out := []lint.Label{f.Primary}
	for _, l := range f.Labels {
		other := !slices.ContainsFunc(out, func(x lint.Label) bool { return x.Span.File == l.Span.File })
		if l.Strong && other {
			out = append(out, l)
		}
	}
	return out
}

func diagnostic(r *engine.Result, f *lint.Finding, at lint.Label, where protocol.Range) protocol.Diagnostic {
	d := protocol.Diagnostic{
		Range: where, Severity: severity(f.Level), Code: protocol.String(f.Rule), Source: protocol.NewOptional("probelint"),
		CodeDescription: protocol.CodeDescription{Href: uri.URI(f.DocsURL())},
		Message:         protocol.String(message(f)),
	}
	for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
		if l.Span == at.Span {
			continue
		}
		if loc, ok := location(r, l.Span); ok {
			text := l.Text
			if text == "" {
				text = f.Title
			}
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: loc, Message: text})
		}
	}
	return d
}

// message is the finding without its places: the fact, what follows, the way out.
func message(f *lint.Finding) string {
	var b strings.Builder
	b.WriteString(f.Title)
	for _, n := range f.Notes {
		b.WriteString("\n" + n)
	}
	if f.Help != "" {
		b.WriteString("\nhelp: " + f.Help)
	}
	return b.String()
}

func severity(l lint.Level) protocol.DiagnosticSeverity {
	switch l {
	case lint.Error:
		return protocol.DiagnosticSeverityError
	case lint.Warning:
		return protocol.DiagnosticSeverityWarning
	}
	return protocol.DiagnosticSeverityInformation
}

// overlaps reports whether a span of a file meets a range of bytes.
func overlaps(s model.Span, file string, start, end int) bool {
	return s.File == file && s.Start <= end && start <= s.End
}
