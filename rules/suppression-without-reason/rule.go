// Package suppressionwithoutreason is the rule suppression-without-reason.
package suppressionwithoutreason

import (
	_ "embed"

	"github.com/probelint/probelint/internal/lint"
)

//go:embed doc.md
var doc string

// Rule is suppression-without-reason. Its findings are made by package suppress, once every finding was matched.
var Rule = &lint.Rule{
	Name:  "suppression-without-reason",
	Level: lint.Error,
	Sees:  []lint.Sees{lint.Manifest, lint.Go},
	Scope: lint.PerInput,
	Doc:   doc,
	Check: func(*lint.Pass) {},
}
