// Package judge is what happens to the findings of rules, whoever runs them: rules are called for one place at a time, what
// they leave out is filled in, what only follows from another finding is dropped, equal causes become one, and the rest is put in
// order. The engine of the command line and the analyzer for go vet share it, so that both say the same of a program. Pure
// functions on plain data.
package judge
