// Package json writes the JSON of DESIGN.md, version 1. Fields only ever get added; unknown is absent, never null.
package json

import (
	"encoding/json"
	"io"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/source"
)

// Version is that of the document.
const Version = 1

type document struct {
	Version  int           `json:"version"`
	Findings []finding     `json:"findings"`
	Limits   []model.Limit `json:"limits,omitempty"`
	Summary  lint.Summary  `json:"summary"`
}

type finding struct {
	Rule        string          `json:"rule"`
	Level       string          `json:"level"`
	Certainty   model.Certainty `json:"certainty"`
	Title       string          `json:"title"`
	Probes      []probe         `json:"probes"`
	Spans       []span          `json:"spans"`
	Notes       []string        `json:"notes,omitempty"`
	Help        string          `json:"help,omitempty"`
	Docs        string          `json:"docs"`
	Fixes       []fix           `json:"fixes,omitempty"`
	Fingerprint string          `json:"fingerprint"`
	Suppressed  *suppressed     `json:"suppressed,omitempty"`
}

type probe struct {
	Workload  string     `json:"workload"`
	Container string     `json:"container"`
	Role      model.Role `json:"role"`
	File      string     `json:"file"`
	Line      int        `json:"line"`
}

type span struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Primary   bool   `json:"primary"`
	Label     string `json:"label,omitempty"`
}

type fix struct {
	Title string `json:"title"`
	Safe  bool   `json:"safe"`
	Edits []edit `json:"edits"`
}

type edit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

type suppressed struct {
	Reason string `json:"reason"`
}

// Write writes one indented document.
func Write(w io.Writer, in *report.Input) error {
	doc := document{Version: Version, Findings: []finding{}, Limits: in.Limits, Summary: in.Summary}
	for _, f := range in.Findings {
		doc.Findings = append(doc.Findings, convert(in.Set, f))
	}
	e := encoder(w)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// WriteLines writes JSON lines: one object with `finding` for each finding, one with `limit` for each limit, and a last one
// with `version` and `summary`, so that a reader knows that the run came to its end.
func WriteLines(w io.Writer, in *report.Input) error {
	e := encoder(w)
	for _, f := range in.Findings {
		if err := e.Encode(struct {
			Finding finding `json:"finding"`
		}{convert(in.Set, f)}); err != nil {
			return err
		}
	}
	for _, l := range in.Limits {
		if err := e.Encode(struct {
			Limit model.Limit `json:"limit"`
		}{l}); err != nil {
			return err
		}
	}
	return e.Encode(struct {
		Version int          `json:"version"`
		Summary lint.Summary `json:"summary"`
	}{Version, in.Summary})
}

func encoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func convert(set *source.Set, f lint.Finding) finding {
	out := finding{
		Rule: f.Rule, Level: f.Level.String(), Certainty: f.Certainty, Title: f.Title, Probes: []probe{}, Spans: []span{},
		Notes: f.Notes, Help: f.Help, Docs: f.DocsURL(), Fingerprint: f.Fingerprint,
	}
	if out.Certainty == "" {
		out.Certainty = model.Proven
	}
	for _, p := range f.Probes {
		out.Probes = append(out.Probes, probe{p.Workload, p.Container, p.Role, p.File, p.Line})
	}
	out.spans(set, f.Primary, true)
	for _, l := range f.Labels {
		out.spans(set, l, false)
	}
	for _, x := range f.Fixes {
		c := fix{Title: x.Title, Safe: x.Safe, Edits: []edit{}}
		for _, e := range x.Edits {
			c.Edits = append(c.Edits, edit{e.Span.File, e.Span.Start, e.Span.End, e.Text})
		}
		out.Fixes = append(out.Fixes, c)
	}
	if f.Suppressed != nil {
		out.Suppressed = &suppressed{f.Suppressed.Reason}
	}
	return out
}

func (f *finding) spans(set *source.Set, l lint.Label, primary bool) {
	if l.Span.IsZero() {
		return
	}
	p := report.PlaceOf(set, l.Span)
	f.Spans = append(f.Spans, span{
		File: l.Span.File, Line: p.Line, Column: p.Column, EndLine: p.EndLine, EndColumn: p.EndColumn, Primary: primary, Label: l.Text,
	})
}
