// Package policies is the Rego that the program ships: the library that team rules import, the schema of what they are given,
// and example rules with tests. It holds files alone; package policy runs them.
package policies

import "embed"

// Library is the package probelint.lib, which every policy can import.
//
//go:embed lib/lib.rego
var Library string

// Schema is the JSON schema of the document that a policy sees, generated from the model (`go test ./internal/policy -update`).
//
//go:embed schema/input.v1.json
var Schema []byte

// Examples are the shipped team rules, a folder each under examples/.
//
//go:embed all:examples
var Examples embed.FS
