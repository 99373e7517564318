// Package checkstyle writes the XML of Checkstyle (STYLE.md 5.6), which many editors and CI servers read: a file element for
// each file with an error element for each finding, one place each.
package checkstyle

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
)

type document struct {
	XMLName xml.Name `xml:"checkstyle"`
	Version string   `xml:"version,attr"`
	Files   []file   `xml:"file"`
}

type file struct {
	Name   string    `xml:"name,attr"`
	Errors []finding `xml:"error"`
}

type finding struct {
	Line     int    `xml:"line,attr"`
	Column   int    `xml:"column,attr"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}

// Write writes the findings; those that something silences have the severity that Checkstyle calls ignore.
func Write(w io.Writer, in *report.Input) error {
	doc := document{Version: "5.0"}
	for _, group := range report.ByFile(in, in.Findings) {
		out := file{Name: printable(group.File)}
		for i, f := range group.Findings {
			severity := f.Level.String() // info, warning and error are Checkstyle's words too
			if f.Suppressed != nil {
				severity = "ignore"
			}
			out.Errors = append(out.Errors, finding{group.Sites[i].Line, group.Sites[i].Column, severity, message(f), "probelint." + f.Rule})
		}
		doc.Files = append(doc.Files, out)
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

// message is the title, and the way out where there is one: a message is all that this format shows.
func message(f lint.Finding) string {
	s := f.Title
	if f.Help != "" {
		s += "; " + f.Help
	}
	return printable(s)
}

func printable(s string) string { return report.Printable(strings.ToValidUTF8(s, "\ufffd")) }
