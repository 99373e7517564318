package linttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/ruletest"
)

// Headings are those of a rule's page, in order (STYLE.md section 9, point 10).
var Headings = []string{"What it reports", "Why it matters", "Example", "Instead", "Options", "Limits", "References"}

var kebab = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Style returns what breaks the style of the catalogue in a rule: its name, what it declares, its page.
func Style(r *lint.Rule) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if !kebab.MatchString(r.Name) {
		fault("the name is not kebab-case")
	}
	if len(r.Name) > 40 {
		fault("the name has %d letters; 40 is the most", len(r.Name))
	}
	if r.Level == lint.Off {
		fault("no level")
	}
	if len(r.Sees) == 0 {
		fault("sees nothing")
	}
	if r.Check == nil {
		fault("no check")
	}
	for _, n := range append(slices.Clone(r.Silences), r.SilencesCall...) {
		if n == r.Name {
			fault("silences itself")
		}
	}
	return append(faults, docStyle(r)...)
}

func docStyle(r *lint.Rule) []string {
	var faults, headings, first []string
	fence := false
	for _, line := range strings.Split(r.Doc, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fence = !fence
		}
		if h, ok := strings.CutPrefix(line, "## "); ok && !fence {
			headings = append(headings, strings.TrimSpace(h))
		}
	}
	if !slices.Equal(headings, Headings) {
		faults = append(faults, fmt.Sprintf("doc.md has the headings %s; want %s", strings.Join(headings, ", "), strings.Join(Headings, ", ")))
	}
	for _, line := range strings.Split(r.Doc, "\n") {
		line = strings.TrimSpace(line)
		if line == "" && len(first) > 0 {
			break
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			first = append(first, line)
		}
	}
	if len(first) != 1 {
		faults = append(faults, fmt.Sprintf("the first paragraph of doc.md has %d lines; it is the summary everywhere and stands on one", len(first)))
	}
	faults = append(faults, proseStyle(r.Doc)...)
	if !strings.HasPrefix(r.Doc, "# "+r.Name+"\n") {
		faults = append(faults, "doc.md does not begin with `# "+r.Name+"`")
	}
	return faults
}

// proseStyle holds the words of a page, its code aside, to the message guide; and each section says something.
func proseStyle(doc string) []string {
	var faults []string
	fence, heading, said := false, "", true
	for _, line := range append(strings.Split(doc, "\n"), "## ") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fence, said = !fence, true
		case fence:
		case strings.HasPrefix(line, "## "):
			if !said {
				faults = append(faults, fmt.Sprintf("nothing stands under %q", heading))
			}
			heading, said = strings.TrimPrefix(line, "## "), false
		case strings.TrimSpace(line) != "":
			said = true
			for _, f := range ruletest.Prose(line) {
				faults = append(faults, "doc.md: "+f)
			}
		}
	}
	return faults
}
