// Package knowledge holds what probelint knows of other people's Go code: which calls leave the process and what bounds them
// (clients), how routes are registered and answers written (routers), what health libraries do with checks, what wrappers do
// to deadlines, and what paths and exec commands conventionally mean.
//
// The facts are data: the YAML files in data/ are the source of truth, each with a header that explains its fields. `go
// generate ./analyzer/knowledge` turns them into the constant tables of generated_*.go; a test fails when they are stale. The
// tables are plain composite literals: importing the package runs no code, and a lookup is two binary searches.
//
// Calls are found by import path, receiver type and name, never by the bare name. A major version that no table names is
// answered by the nearest one of the same module path, so that github.com/x/y/v4 finds what is known of v5.
//
// To add a library: an entry in the YAML file of its kind, `go generate ./analyzer/knowledge`, and a case in the test of the
// lookup. No other code changes. A Base made by [Base.With] adds entries at run time.
package knowledge

//go:generate go run gen.go gen_read.go gen_tables.go gen_write.go
