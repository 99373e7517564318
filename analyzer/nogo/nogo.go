// Package nogo is the analyzer in the form that Bazel's nogo wants: a package with a variable Analyzer (rules_go,
// go/nogo.rst).
package nogo

import (
	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/rules"
)

// Analyzer judges main packages by what they show themselves. It has no facts: nogo would keep the source of every external
// repository for them.
var Analyzer = vet.New(vet.Options{Rules: rules.All()}, false)
