// Package report holds what the reporters share: what they are given, and positions. One folder below it is one format;
// each takes an Input and a writer and knows nothing of the others.
package report

import (
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Input is one run as a reporter sees it.
type Input struct {
	// Findings are those to show, in order. Summary counts all, the hidden ones too.
	Findings []lint.Finding
	Summary  lint.Summary
	Limits   []model.Limit
	// Show is the lowest level among Findings.
	Show lint.Level
	Set  *source.Set
	// Rules are the catalogue, for the formats that describe the rule of a finding. A finding may be of a rule that is not
	// among them.
	Rules []*lint.Rule
	// Version is that of the program.
	Version string
	// Workloads and Programs are what was read and joined, for the formats that show more than findings.
	Workloads []*model.Workload
	Programs  []*model.Program
	// First is the file of the first workload, also where Workloads are not given.
	First string
}

// Rule is the rule of a name, nil where the catalogue does not have it.
func (in *Input) Rule(name string) *lint.Rule {
	for _, r := range in.Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Hidden is how many findings below Show the summary counts.
func (in *Input) Hidden() int {
	n := 0
	for l, c := range map[lint.Level]int{lint.Info: in.Summary.Infos, lint.Warning: in.Summary.Warnings, lint.Error: in.Summary.Errors} {
		if l < in.Show {
			n += c
		}
	}
	return n
}

// Shown is what of the findings a reader asked for: those at or above a level that nothing silenced.
func Shown(all []lint.Finding, show lint.Level) []lint.Finding {
	shown := make([]lint.Finding, 0, len(all))
	for _, f := range all {
		if f.Level >= show && f.Suppressed == nil {
			shown = append(shown, f)
		}
	}
	return shown
}

// Place is where a span lies in lines and columns: 1-based, columns in code points, the end exclusive.
type Place struct{ Line, Column, EndLine, EndColumn int }

// PlaceOf converts a span. A file that cannot be read any more keeps the line that the span carries.
func PlaceOf(set *source.Set, s model.Span) Place {
	f := fileOf(set, s.File)
	if f == nil {
		l := max(1, s.Line)
		return Place{Line: l, Column: 1, EndLine: l, EndColumn: 1}
	}
	var p Place
	p.Line, p.Column = f.Position(s.Start)
	p.EndLine, p.EndColumn = f.Position(max(s.Start, s.End))
	return p
}

func fileOf(set *source.Set, path string) *source.File {
	if set == nil || path == "" {
		return nil
	}
	f, err := set.Get(path)
	if err != nil {
		return nil
	}
	return f
}
