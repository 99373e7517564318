// Package unknownrule is the rule unknown-rule.
package unknownrule

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is unknown-rule. Its findings are made by package suppress, once every finding was matched.
var Rule = &lint.Rule{
	Name:  "unknown-rule",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Go},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
