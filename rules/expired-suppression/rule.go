// Package expiredsuppression is the rule expired-suppression.
package expiredsuppression

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is expired-suppression. Its findings are made by package suppress, once every finding was matched.
var Rule = &lint.Rule{
	Name:  "expired-suppression",
	Level: lint.Warning,
	Sees:  []lint.Sees{lint.Manifest, lint.Go},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
