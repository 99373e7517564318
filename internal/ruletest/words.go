package ruletest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/lint"
)

var (
	banned = regexp.MustCompile(`(?i)\b(should|must|please|may|might|illegal|simply|bad practice)\b`)
	quoted = regexp.MustCompile("`[^`]*`|https?://[^ )]+")
)

// Prose returns what in a text for people breaks the message guide (STYLE.md section 9, point 6). What stands in backticks is a
// name, and names are as they are.
func Prose(s string) []string {
	var faults []string
	if strings.Count(s, "`")%2 != 0 {
		faults = append(faults, fmt.Sprintf("odd backticks: %q", s))
	}
	plain := quoted.ReplaceAllString(s, "``")
	for _, w := range banned.FindAllString(plain, -1) {
		faults = append(faults, fmt.Sprintf("the word %q in %q", w, s))
	}
	if strings.ContainsAny(plain, "!") {
		faults = append(faults, fmt.Sprintf("an exclamation mark in %q", s))
	}
	if strings.ContainsFunc(plain, func(r rune) bool {
		return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) && r != '`' && r != '^'
	}) {
		faults = append(faults, fmt.Sprintf("a pictogram in %q", s))
	}
	return faults
}

// Faults returns what in a finding breaks the message guide (STYLE.md section 9): the title, the labels, the notes, the help, the
// fixes, and the level against that of the rule.
func Faults(r *lint.Rule, f lint.Finding) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if f.Level > r.Level || f.Level == lint.Off {
		fault("level %s, and the rule's loudest is %s", f.Level, r.Level)
	}
	if f.Certainty == "" {
		fault("no certainty")
	}
	if n := utf8.RuneCountInString(f.Title); n > lint.TitleLength {
		fault("title of %d code points", n)
	}
	if f.Title == "" || f.Title[0] >= 'A' && f.Title[0] <= 'Z' && !properName(f.Title) || strings.HasSuffix(f.Title, ".") {
		fault("a title is a clause in lower case without a full stop")
	}
	if f.Primary.Span.IsZero() {
		fault("no place")
	}
	for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
		if n := utf8.RuneCountInString(l.Text); n > lint.LabelLength {
			fault("label of %d code points: %q", n, l.Text)
		}
		if strings.HasSuffix(l.Text, ".") {
			fault("label with a full stop: %q", l.Text)
		}
		if l.Span.IsZero() {
			fault("label without a place: %q", l.Text)
		}
	}
	for _, n := range append([]string{f.Help}, f.Notes...) {
		if strings.HasSuffix(n, ".") {
			fault("a full stop at the end of %q", n)
		}
	}
	for _, x := range f.Fixes {
		if r, _ := utf8.DecodeRuneInString(x.Title); !unicode.IsUpper(r) || strings.HasSuffix(x.Title, ".") {
			fault("a fix is an imperative phrase: %q", x.Title)
		}
		if len(x.Edits) == 0 {
			fault("a fix without an edit: %q", x.Title)
		}
	}
	text := append([]string{f.Title, f.Help, f.Primary.Text}, f.Notes...)
	for _, l := range f.Labels {
		text = append(text, l.Text)
	}
	for _, x := range f.Fixes {
		text = append(text, x.Title)
	}
	for _, s := range text {
		faults = append(faults, Prose(s)...)
		if strings.Contains(s, "%!") {
			fault("a verb without its value in %q", s)
		}
	}
	return faults
}

// properName reports whether a title begins with a name that is written with a capital everywhere.
func properName(title string) bool {
	word, _, _ := strings.Cut(title, " ")
	return strings.ToUpper(word) == word && len(word) > 1
}
