package policy

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Fault is one reason why a policy cannot be run, or was not run to its end.
type Fault struct {
	// Rule is the id of the policy, "" where it has none or the file is no rule's.
	Rule string
	// Span is the place in the policy; Line is right also where the file cannot be shown.
	Span model.Span
	// Title states the fact, Label what the place contributes, Notes what follows, Help the way out.
	Title, Label string
	Notes        []string
	Help         string
}

// Error is the fault on one line: file:line:column, title, help.
func (f Fault) Error(set *source.Set) string {
	return At(set, f.Span) + ": " + Line(f)
}

// Line is the fault without its place.
func Line(f Fault) string {
	s := f.Title
	if f.Help != "" {
		s += "; " + f.Help
	}
	return s
}

// At is a span as file:line:column.
func At(set *source.Set, s model.Span) string {
	line, column := max(1, s.Line), 1
	if f := set.Loaded(s.File); f != nil {
		line, column = f.Position(s.Start)
	}
	return s.File + ":" + itoa(line) + ":" + itoa(column)
}

func (f Fault) finding() lint.Finding {
	notes := slices.Clone(f.Notes)
	title := lint.Title("%s", f.Title)
	if title != f.Title {
		notes = append([]string{f.Title}, notes...)
	}
	return lint.Finding{
		Rule: lint.PolicyFailed, Level: lint.Error, Certainty: model.Proven, Title: title,
		Primary: lint.Label{Span: f.Span, Text: lint.Text("%s", f.Label)}, Notes: notes, Help: f.Help,
		Identity: []string{f.Span.File, f.Rule, f.Title},
	}
}

func sortFaults(fs []Fault) {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(strings.Compare(a.Span.File, b.Span.File), cmp.Compare(a.Span.Start, b.Span.Start), strings.Compare(a.Title, b.Title))
	})
}

// compactFaults drops what is said twice of one place.
func compactFaults(fs []Fault) []Fault {
	sortFaults(fs)
	return slices.CompactFunc(fs, func(a, b Fault) bool { return a.Span == b.Span && a.Title == b.Title })
}

// span is the place of a location of OPA. Its text is that of the node where OPA kept it, else one letter.
func span(files map[string]*source.File, loc *ast.Location) model.Span {
	if loc == nil {
		return model.Span{}
	}
	f := files[loc.File]
	if f == nil {
		return model.Span{File: loc.File, Line: loc.Row}
	}
	start := f.Offset(loc.Row, loc.Col)
	text := string(loc.Text)
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = strings.TrimRight(text[:i], " \t\r{")
	}
	end := min(start+len(text), len(f.Data))
	if text == "" || string(f.Data[start:end]) != text {
		end = min(start+1, len(f.Data))
	}
	return f.Span(start, max(start, end))
}

// did is "did you mean `x`?", "" where nothing is near.
func did(name string, names []string) string {
	if near := lint.Nearest(name, names); near != "" {
		return "did you mean " + lint.Quote(near) + "?"
	}
	return ""
}

// oneOfText lists the words that are right, at most so many that it stays one line.
func oneOfText(words []string) string {
	const most = 12
	quoted := make([]string, 0, most+1)
	for i, w := range words {
		if i == most {
			quoted = append(quoted, itoa(len(words)-most)+" more")
			break
		}
		quoted = append(quoted, lint.Quote(w))
	}
	return lint.Or(quoted)
}

// short is a file as a title names it.
func short(file string) string { return path.Base(file) }
