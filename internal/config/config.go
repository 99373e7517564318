// Package config reads `.probelint.yaml`: where it is found, what stands in it, and what is wrong with it, each with its place.
// Whatever it does not know is an error with the nearest name: a setting that is silently ignored looks like one that works.
package config

import (
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// FileName is the name of the file; Version the only version of its form.
const (
	FileName = ".probelint.yaml"
	Version  = 1
)

// Config is one configuration file. The zero value is that of a run without one.
type Config struct {
	// File is the absolute path, "" without a file. Shown is how it is named to people. Dir is its folder, which its globs and
	// paths are relative to.
	File, Shown, Dir string

	Profile string // "" where nothing is said
	Rules   map[string]lint.Level
	Budgets Budgets
	Exclude []string
	// Overrides apply in their order, the last one wins.
	Overrides []Override
	Bindings  []Binding
	Critical  []Critical
	// Policies are folders and files of team policies, Knowledge files of tables, as absolute paths.
	Policies  []string
	Knowledge []string

	src *source.File
	// at are the places of what is written, by the path of keys: "budgets.verdict-max-age", "rules.no-drain-delay".
	at map[string]model.Span
}

// Text is the file as it was read, nil for no configuration.
func (c *Config) Text() []byte {
	if c == nil || c.src == nil {
		return nil
	}
	return c.src.Data
}

// Budgets are the thresholds that are written; nil where they are not.
type Budgets struct {
	// The first three are in seconds.
	ReadinessExposure, LivenessExposure, VerdictMaxAge, FleetCallsPerSecond *float64
}

// Apply writes the budgets that are there into the settings of a run.
func (b Budgets) Apply(s *lint.Settings) {
	for _, x := range []struct {
		from *float64
		to   *float64
	}{
		{b.ReadinessExposure, &s.ReadinessExposure},
		{b.LivenessExposure, &s.LivenessExposure},
		{b.VerdictMaxAge, &s.VerdictMaxAge},
		{b.FleetCallsPerSecond, &s.FleetCallsPerSecond},
	} {
		if x.from != nil {
			*x.to = *x.from
		}
	}
}

// Override changes levels and budgets for some files, for some workloads, or for those workloads in those files.
type Override struct {
	Paths, Workloads []string
	Rules            map[string]lint.Level
	Budgets          Budgets
}

// Binding says which Go package a container runs.
type Binding struct {
	Workload, Container string
	Package             string // import path, or a folder relative to Dir
	Span                model.Span
}

// Critical is the opt-in for a dependency without which an instance can do nothing.
type Critical struct {
	Call   string // symbol: "(*database/sql.DB).PingContext", or in short `DB.PingContext`
	In     string // folder or glob of Go files, "" for everywhere
	Reason string
	Span   model.Span // in the configuration file
}

// Problem is one thing that is wrong with a file, at its place.
type Problem struct {
	Span    model.Span
	Message string
}

// Error is a file that cannot be used.
type Error struct {
	Shown    string
	Problems []Problem
	src      *source.File
}

// Error lists the problems, each with its source line.
func (e *Error) Error() string {
	text := ""
	for i, p := range e.Problems {
		if i > 0 {
			text += "\n"
		}
		line, column := e.src.Position(p.Span.Start)
		text += fmt.Sprintf("%s:%d:%d: %s\n", e.Shown, line, column, p.Message) + frame(e.src, p.Span)
	}
	return strings.TrimRight(text, "\n")
}

// At is the place of what is written at a path of keys, "FILE:LINE"; "" where nothing is written there.
func (c *Config) At(path string) string {
	s, ok := c.at[path]
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.Shown, s.Line)
}

// RuleError says at its place that there is no rule of that name; nil where the file does not name it.
func (c *Config) RuleError(name, nearest string) error {
	if c == nil || c.src == nil {
		return nil
	}
	var found []Problem
	for _, path := range sortedKeys(c.at) {
		if r := ruleOf(path); r == name {
			found = append(found, Problem{Span: c.at[path], Message: unknownRule(name, nearest)})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return &Error{Shown: c.Shown, Problems: found, src: c.src}
}

func unknownRule(name, nearest string) string {
	if nearest != "" {
		return fmt.Sprintf("unknown rule %q; did you mean %q?", name, nearest)
	}
	return fmt.Sprintf("unknown rule %q; `probelint rules` lists them", name)
}

// CheckRules says which rules of the file there are none of, given all names; nil where all are known.
func (c *Config) CheckRules(known []string) error {
	if c == nil || c.src == nil {
		return nil
	}
	names := map[string]bool{}
	for _, n := range known {
		names[n] = true
	}
	var found []Problem
	for _, path := range sortedKeys(c.at) {
		if r := ruleOf(path); r != "" && !names[r] {
			found = append(found, Problem{Span: c.at[path], Message: unknownRule(r, lint.Nearest(r, known))})
		}
	}
	if len(found) == 0 {
		return nil
	}
	sortProblems(found)
	return &Error{Shown: c.Shown, Problems: found, src: c.src}
}
