// Package unreadableinput is the rule unreadable-input.
package unreadableinput

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is unreadable-input. Its findings are made where input is read: by the manifest reader, the renderers and the loader.
var Rule = &lint.Rule{
	Name:  "unreadable-input",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Go},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
