// Package junit writes JUnit's XML as Jenkins, GitLab and others read it (STYLE.md 5.6): a suite for each file, a case for
// each finding, and one case that passed where there is none, because an empty report reads as if nothing had run.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

type suites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Suites   []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Skipped  int        `xml:"skipped,attr"`
	Cases    []testcase `xml:"testcase"`
}

type testcase struct {
	Name      string   `xml:"name,attr"`
	ClassName string   `xml:"classname,attr"`
	File      string   `xml:"file,attr,omitempty"`
	Line      int      `xml:"line,attr,omitempty"`
	Skipped   *skipped `xml:"skipped"`
	Failure   *failure `xml:"failure"`
}

type skipped struct {
	Message string `xml:"message,attr"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

// Write writes the findings; those that something silences are skipped cases with the reason.
func Write(w io.Writer, in *report.Input) error {
	doc := suites{Name: "probelint"}
	for _, file := range report.ByFile(in, in.Findings) {
		s := suite{Name: xmlText(file.File)}
		for i, f := range file.Findings {
			c := testcase{Name: f.Rule, ClassName: s.Name, File: s.Name, Line: file.Sites[i].Line}
			if f.Suppressed != nil {
				s.Skipped++
				c.Skipped = &skipped{xmlText(f.Suppressed.Reason)}
			} else {
				s.Failures++
				c.Failure = &failure{Message: xmlText(f.Title), Type: f.Level.String(), Text: xmlText(body(in, f))}
			}
			s.Cases = append(s.Cases, c)
		}
		s.Tests = len(s.Cases)
		doc.Tests += s.Tests
		doc.Failures += s.Failures
		doc.Suites = append(doc.Suites, s)
	}
	if doc.Tests == 0 {
		doc.Tests = 1
		doc.Suites = []suite{{Name: "probelint", Tests: 1, Cases: []testcase{{Name: text.Summary(in), ClassName: "probelint"}}}}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// body is what a reader of a failed case needs besides its title: the places, the notes, the help.
func body(in *report.Input, f lint.Finding) string {
	lines := []string{report.Line(in.Set, f)}
	for _, l := range append([]lint.Label{f.Primary}, f.Labels...) {
		if !l.Span.IsZero() && l.Text != "" {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", l.Span.File, report.PlaceOf(in.Set, l.Span).Line, l.Text))
		}
	}
	for _, n := range f.Notes {
		lines = append(lines, "note: "+n)
	}
	if f.Help != "" {
		lines = append(lines, "help: "+f.Help)
	}
	return strings.Join(append(lines, "docs: "+f.DocsURL()), "\n")
}

// xmlText is text without what would move a cursor and what XML 1.0 cannot hold; line breaks stay.
func xmlText(s string) string {
	lines := strings.Split(strings.ToValidUTF8(s, "\ufffd"), "\n")
	for i, l := range lines {
		lines[i] = report.Printable(l)
	}
	return strings.Join(lines, "\n")
}
