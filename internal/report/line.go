package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/source"
)

// Line is a finding on one line: `file:line:col: level[rule]: title`.
func Line(set *source.Set, f lint.Finding) string {
	line := fmt.Sprintf("%s%s[%s]: %s", At(set, f), f.Level, f.Rule, Printable(f.Title))
	if f.Suppressed != nil {
		line += " (suppressed: " + Printable(f.Suppressed.Reason) + ")"
	}
	return line
}

// SuppressedBy is why a finding is silent, and where that is said.
func SuppressedBy(s *lint.Suppression) string {
	if s.Span.IsZero() {
		return s.Reason
	}
	return fmt.Sprintf("%s (%s:%d)", s.Reason, s.Span.File, s.Span.Line)
}

// At is the position of a finding's primary span, `file:line:col: `, or "" where it points nowhere.
func At(set *source.Set, f lint.Finding) string {
	if f.Primary.Span.IsZero() {
		return ""
	}
	p := PlaceOf(set, f.Primary.Span)
	return fmt.Sprintf("%s:%d:%d: ", Printable(f.Primary.Span.File), p.Line, p.Column)
}

// Printable replaces what would move the cursor, change colours or reorder the text of a terminal: control characters and
// the marks of bidirectional text. Names and source lines come from the input and are not trusted.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if Hostile(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// Hostile reports whether a rune is one that Printable replaces.
func Hostile(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029'
}
