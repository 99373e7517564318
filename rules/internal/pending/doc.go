// Package pending is the place of rules that are complete but for the facts of the code that they judge: the analyzer does
// not set those fields of the model yet. They are tested on model values, and no catalogue holds them. A rule moves to rules/
// with its testdata, the three-line test of linttest and `go generate ./rules` as soon as its archives pass.
package pending
