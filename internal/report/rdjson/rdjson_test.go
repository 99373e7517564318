package rdjson_test

import (
	"bytes"
	"testing"

	"github.com/reviewdog/reviewdog/proto/rdf"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/rdjson"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/source"
)

func write(t *testing.T, in *report.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := rdjson.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) { reporttest.Golden(t, "all.json", write(t, reporttest.Input())) }

// parse reads as reviewdog does, and refuses what its messages do not have.
func parse(t *testing.T, data []byte) *rdf.DiagnosticResult {
	t.Helper()
	var r rdf.DiagnosticResult
	if err := (protojson.UnmarshalOptions{}).Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestReviewdogReadsIt(t *testing.T) {
	in := reporttest.Input()
	r := parse(t, write(t, in))
	if len(r.Diagnostics) != len(in.Findings)-1 {
		t.Errorf("%d diagnostics, want all but the silenced one", len(r.Diagnostics))
	}
	for _, d := range r.Diagnostics {
		at := d.GetLocation().GetRange()
		if d.GetLocation().GetPath() == "" || at.GetStart().GetLine() < 1 || at.GetStart().GetColumn() < 1 || d.GetSeverity() == rdf.Severity_UNKNOWN_SEVERITY {
			t.Errorf("%v", d)
		}
		if d.GetCode().GetValue() == "liveness-checks-dependency" && len(d.GetRelatedLocations()) != 3 {
			t.Errorf("%d related locations", len(d.GetRelatedLocations()))
		}
	}
	if r := parse(t, write(t, reporttest.Few())); len(r.Diagnostics) != 0 || r.GetSource().GetName() != "probelint" {
		t.Errorf("without findings: %v", r)
	}
}

// Columns are bytes, and a suggestion is one replacement of the diagnostic's own file.
func TestColumnsAndSuggestions(t *testing.T) {
	set := source.NewSet("/nowhere")
	f := source.New("a.yaml", []byte("検: 1 # x\nb: 2\n"))
	set.Add(f)
	set.Add(source.New("b.yaml", []byte("c: 3\n")))
	edit := func(file string, start, end int, text string) lint.Edit {
		return lint.Edit{Span: model.Span{File: file, Start: start, End: end, Line: 1}, Text: text}
	}
	in := &report.Input{Set: set, Findings: []lint.Finding{{
		Rule: "r", Level: lint.Info, Title: "t", Primary: lint.Label{Span: f.Span(5, 6)},
		Fixes: []lint.Fix{
			{Title: "Two", Edits: []lint.Edit{edit("a.yaml", 14, 15, "20"), edit("a.yaml", 5, 6, "10")}},
			{Title: "Elsewhere too", Edits: []lint.Edit{edit("a.yaml", 5, 6, "10"), edit("b.yaml", 3, 4, "30")}},
			{Title: "None"},
			{Title: "One upon the other", Edits: []lint.Edit{edit("a.yaml", 3, 6, "10"), edit("a.yaml", 5, 6, "10")}},
		},
	}}}
	d := parse(t, write(t, in)).Diagnostics[0]
	if s := d.Location.Range; s.Start.Column != 6 || s.End.Column != 7 {
		t.Errorf("columns %v", s)
	}
	if len(d.Suggestions) != 1 {
		t.Fatalf("%d suggestions, want 1: %v", len(d.Suggestions), d.Suggestions)
	}
	s := d.Suggestions[0]
	if s.Text != "10 # x\nb: 20" || s.Range.Start.Column != 6 || s.Range.End.Line != 2 || s.Range.End.Column != 5 {
		t.Errorf("suggestion %v", s)
	}
}
