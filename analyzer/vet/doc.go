// Package vet judges Go programs without a manifest, for `go vet`, golangci-lint, nogo and every other driver of
// golang.org/x/tools/go/analysis: the role of an endpoint comes from its path or a directive, the timings are the kubelet's
// defaults, and the engine and the rules are those of the command line.
//
// A program is judged as a whole when its main package is analysed: what a health handler reaches is decided by what main
// puts together, not by the package that the handler lies in. Its packages are read from source by package load. The facts
// that travel from package to package carry no summaries, only a checksum of the source each package consists of, so that
// a driver with a cache analyses a main package anew exactly when something that it is made of has changed. They are 32
// bytes for a package of any size.
//
// Manifests are never read: a driver's cache knows nothing of them and would go stale.
package vet
