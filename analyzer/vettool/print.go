package vettool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// analyzerName is the key of the findings in JSON.
const analyzerName = "probelint"

// The JSON that the go command reads (golang.org/x/tools/internal/analysis/driverutil, JSONTree): package ID -> analyzer ->
// diagnostics. Positions are file:line:column, 1-based, columns in bytes; edits are byte offsets, end exclusive.
type (
	diagnostic struct {
		Category string    `json:"category,omitempty"`
		Posn     string    `json:"posn"`
		End      string    `json:"end"`
		Message  string    `json:"message"`
		Fixes    []fix     `json:"suggested_fixes,omitempty"`
		Related  []related `json:"related,omitempty"`
	}
	fix struct {
		Message string `json:"message"`
		Edits   []edit `json:"edits"`
	}
	edit struct {
		Filename string `json:"filename"`
		Start    int    `json:"start"`
		End      int    `json:"end"`
		New      string `json:"new"`
	}
	related struct {
		Posn    string `json:"posn"`
		End     string `json:"end"`
		Message string `json:"message"`
	}
)

func printJSON(w io.Writer, id string, r *vet.Result) error {
	tree := map[string]map[string][]diagnostic{}
	if len(r.Findings) > 0 {
		var ds []diagnostic
		for _, f := range r.Findings {
			ds = append(ds, diagnose(r, f))
		}
		tree[id] = map[string][]diagnostic{analyzerName: ds}
	}
	data, err := json.MarshalIndent(tree, "", "\t")
	if err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s\n", data); err != nil {
		return fmt.Errorf("writing findings: %w", err)
	}
	return nil
}

func diagnose(r *vet.Result, f lint.Finding) diagnostic {
	d := diagnostic{Category: f.Rule, Message: vet.Message(f)}
	d.Posn, d.End = place(r, f.Primary.Span)
	for _, l := range f.Labels {
		posn, end := place(r, l.Span)
		d.Related = append(d.Related, related{posn, end, l.Text})
	}
	for _, x := range f.Fixes {
		out := fix{Message: x.Title}
		for _, e := range x.Edits {
			out.Edits = append(out.Edits, edit{r.Name(e.Span), e.Span.Start, e.Span.End, e.Text})
		}
		d.Fixes = append(d.Fixes, out)
	}
	return d
}

// printPlain prints findings as `go vet` does and returns the exit code.
func printPlain(w io.Writer, r *vet.Result) int {
	for _, f := range r.Findings {
		posn, _ := place(r, f.Primary.Span)
		_, _ = fmt.Fprintf(w, "%s: %s\n", posn, vet.Message(f))
	}
	if len(r.Findings) > 0 {
		return exitFailed
	}
	return exitDone
}

func place(r *vet.Result, s model.Span) (start, end string) {
	data := r.Text(s)
	at := func(off int) string {
		off = min(off, len(data))
		line := bytes.Count(data[:off], []byte("\n")) + 1
		column := off - bytes.LastIndexByte(data[:off], '\n')
		return fmt.Sprintf("%s:%d:%d", r.Name(s), line, column)
	}
	return at(s.Start), at(s.End)
}
