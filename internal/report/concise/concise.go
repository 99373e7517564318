// Package concise writes one line a finding, `file:line:col: level[rule]: title`, for editors, grep and terse logs.
package concise

import (
	"fmt"
	"io"

	"github.com/probelint/probelint/internal/report"
)

// Write writes the findings, a line each, and nothing else.
func Write(w io.Writer, in *report.Input) error {
	for _, f := range in.Findings {
		if _, err := fmt.Fprintln(w, report.Line(in.Set, f)); err != nil {
			return err
		}
	}
	return nil
}
