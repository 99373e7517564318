// Package summary reads Go code the way the probe will run it: an abstract interpreter over go/ast and go/types that
// follows a value from where it is made to where it answers, and says of each handler which calls leave the process, what
// bounds them, and which of their outcomes turn the status.
//
// It works on terms (GO-ANALYSIS.md 3.1): what a value may be. Every allocation in every calling context is an object of
// its own, so that /livez and /readyz built by one constructor stay apart. A program is interpreted once from main, which
// finds servers, routes and the objects that handlers hold; each handler is then interpreted once for each different
// request, with what the request fixes (method, path, query, headers) folded.
//
// Three choices keep it sound enough and bounded. Outcomes are tracked as labels: each value carries the calls and the
// state that decided it, and each branch adds its condition's label to what happens under it. State that changes after the
// listener is open is never taken as constant. Everything is counted (steps, depth, terms), and what was cut is said.
package summary
