package cli

import (
	"context"
	"fmt"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/report"
)

// showFiles prints what is read and what is not and why, a line a file.
func (c *command) showFiles(ctx context.Context, o engine.Options) error {
	r, err := engine.Read(ctx, o)
	if err != nil {
		return err
	}
	for _, f := range r.Files {
		line := fmt.Sprintf("%-10s %s", f.Status, f.Path)
		if f.Why != "" {
			line += ": " + f.Why
		}
		if _, err := fmt.Fprintln(c.out, report.Printable(line)); err != nil {
			return err
		}
	}
	for _, p := range r.Packages {
		if _, err := fmt.Fprintln(c.out, report.Printable(fmt.Sprintf("%-10s %s: Go package %s", manifest.StatusRead, p.Dir, p.Path))); err != nil {
			return err
		}
	}
	return c.readVerdict(r)
}
