package json_test

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"testing"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/json"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func TestGolden(t *testing.T) {
	var b bytes.Buffer
	if err := json.Write(&b, reporttest.Input()); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "all.json", b.Bytes())
	b.Reset()
	if err := json.WriteLines(&b, reporttest.Input()); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "all.jsonl", b.Bytes())
	for s := bufio.NewScanner(&b); s.Scan(); {
		if !stdjson.Valid(s.Bytes()) {
			t.Errorf("no JSON: %s", s.Bytes())
		}
	}
}

// Unknown is absent, never null; an empty run still has its lists.
func TestNothingIsNull(t *testing.T) {
	for name, in := range map[string]*report.Input{"all": reporttest.Input(), "empty": {}} {
		var b bytes.Buffer
		if err := json.Write(&b, in); err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := stdjson.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		noNull(t, name, doc)
		if _, ok := doc["findings"].([]any); !ok {
			t.Errorf("%s: findings is no list", name)
		}
	}
}

func noNull(t *testing.T, path string, v any) {
	switch v := v.(type) {
	case nil:
		t.Errorf("%s is null", path)
	case map[string]any:
		for k, x := range v {
			noNull(t, path+"."+k, x)
		}
	case []any:
		for i, x := range v {
			noNull(t, fmt.Sprintf("%s[%d]", path, i), x)
		}
	}
}

// Columns are code points, edits are bytes.
func TestColumnsAndOffsets(t *testing.T) {
	var b bytes.Buffer
	if err := json.Write(&b, reporttest.Few("wide-and-combining", "fixable")); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Findings []struct {
			Rule  string
			Spans []struct {
				Line, Column, EndLine, EndColumn int
				Primary                          bool
				Label                            string
			}
			Fixes []struct {
				Edits []struct {
					File, Text string
					Start, End int
				}
			}
		}
	}
	if err := stdjson.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	wide, fix := doc.Findings[0], doc.Findings[1].Fixes[0].Edits[0]
	if s := wide.Spans[0]; !s.Primary || s.Line != 3 || s.Column != 10 || s.EndColumn != 17 {
		t.Errorf("combining: %+v", s)
	}
	if s := wide.Spans[2]; s.Primary || s.Label != "behind a tab" || s.Column != 20 || s.EndColumn != 23 {
		t.Errorf("behind a tab: %+v", s)
	}
	f, err := reporttest.Files().Get(fix.File)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(f.Data[fix.Start:fix.End]); got != "5" || fix.Text != "10" {
		t.Errorf("edit replaces %q by %q", got, fix.Text)
	}
}
