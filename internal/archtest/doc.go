// Package archtest holds the tests that keep the shape of the repository: which stage imports which (docs/architecture.md),
// how long a file gets, and that no package keeps state. It has no code of its own.
package archtest
