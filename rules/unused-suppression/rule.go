// Package unusedsuppression is the rule unused-suppression.
package unusedsuppression

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is unused-suppression. Its findings are made by package suppress, once every finding was matched.
var Rule = &lint.Rule{
	Name:  "unused-suppression",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest, lint.Go},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
