// Package rdjson writes the Reviewdog Diagnostic Format (STYLE.md 5.6; reviewdog, proto/rdf/reviewdog.proto), which knows
// related locations, and suggestions that a reviewer applies with a click. Columns are bytes of UTF-8.
package rdjson

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

type result struct {
	Source      source       `json:"source"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type source struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type diagnostic struct {
	Message          string       `json:"message"`
	Location         location     `json:"location"`
	Severity         string       `json:"severity"`
	Code             code         `json:"code"`
	Suggestions      []suggestion `json:"suggestions,omitempty"`
	RelatedLocations []related    `json:"related_locations,omitempty"`
}

type code struct {
	Value string `json:"value"`
	URL   string `json:"url"`
}

type location struct {
	Path  string `json:"path"`
	Range span   `json:"range"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type position struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type suggestion struct {
	Range span   `json:"range"`
	Text  string `json:"text"`
}

type related struct {
	Message  string   `json:"message"`
	Location location `json:"location"`
}

// Write writes the findings that nothing silences.
func Write(w io.Writer, in *report.Input) error {
	out := result{Source: source{"probelint", "https://github.com/probelint/probelint"}, Diagnostics: []diagnostic{}}
	for _, f := range report.Shown(in.Findings, lint.Off) {
		out.Diagnostics = append(out.Diagnostics, convert(in, f))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func convert(in *report.Input, f lint.Finding) diagnostic {
	d := diagnostic{
		Message: message(f), Location: place(in, f), Severity: strings.ToUpper(f.Level.String()),
		Code: code{f.Rule, f.DocsURL()},
	}
	for _, l := range f.Labels {
		if !l.Span.IsZero() && l.Text != "" {
			d.RelatedLocations = append(d.RelatedLocations, related{report.Printable(l.Text), at(in, l.Span)})
		}
	}
	for _, x := range f.Fixes {
		if s, ok := suggest(in, x, d.Location.Path); ok {
			d.Suggestions = append(d.Suggestions, s)
		}
	}
	return d
}

func message(f lint.Finding) string {
	parts := append([]string{f.Title}, f.Notes...)
	if f.Help != "" {
		parts = append(parts, "help: "+f.Help)
	}
	for i, p := range parts {
		parts[i] = report.Printable(p)
	}
	return strings.Join(parts, "\n")
}

func place(in *report.Input, f lint.Finding) location {
	if !f.Primary.Span.IsZero() {
		return at(in, f.Primary.Span)
	}
	s := report.SiteOf(in, f)
	return location{report.Slashes(s.File), span{position{s.Line, 1}, position{s.Line, 1}}}
}

func at(in *report.Input, s model.Span) location {
	return location{report.Slashes(s.File), rangeOf(report.BytesOf(in.Set, s))}
}

func rangeOf(p report.Place) span {
	return span{position{p.Line, p.Column}, position{p.EndLine, p.EndColumn}}
}

// suggest is a fix as one replacement. A suggestion names no file, so one that edits another file than the diagnostic's
// cannot be said; several edits become one that repeats what lies between them.
func suggest(in *report.Input, x lint.Fix, file string) (suggestion, bool) {
	if len(x.Edits) == 0 {
		return suggestion{}, false
	}
	edits := slices.Clone(x.Edits)
	slices.SortStableFunc(edits, func(a, b lint.Edit) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	all := edits[0].Span
	text := edits[0].Text
	for i, e := range edits {
		if report.Slashes(e.Span.File) != file {
			return suggestion{}, false
		}
		if i == 0 {
			continue
		}
		f, err := in.Set.Get(e.Span.File)
		if err != nil || e.Span.Start < all.End || e.Span.Start > len(f.Data) {
			return suggestion{}, false
		}
		text += string(f.Data[all.End:e.Span.Start]) + e.Text
		all.End = e.Span.End
	}
	return suggestion{rangeOf(report.BytesOf(in.Set, all)), text}, true
}
