// Package policyfailed is the rule policy-failed.
package policyfailed

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is policy-failed. Its findings are made where team policies are loaded and run.
var Rule = &lint.Rule{
	Name:  "policy-failed",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Go, lint.Link},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
