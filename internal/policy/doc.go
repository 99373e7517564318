// Package policy runs team rules written in Rego. A rule is a package `probelint.rules.NAME` whose `deny` and `warn` are sets
// of results; a result is a message, or an object that names an object of the input and a field of it, and this package finds
// the bytes that they stand for. Packages that conftest knows (`main`) judge raw manifests.
//
// The stages, a file or two each: load (files, metadata, data), compile (what is broken is left out and named), shape and
// check (a walk over the compiled rules with the types of the model, because OPA leaves fields of parameters unchecked), input
// and convert (the model as Rego values), eval and guard (one query a workload, with limits of time and memory), result and
// place (from ids and fields back to bytes), raw and trace (conftest).
package policy
