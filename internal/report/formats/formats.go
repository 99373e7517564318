// Package formats is the register of the formats in which findings are reported: one list, from which the command line
// takes its help, its checks and its writers.
package formats

import (
	"io"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/checkstyle"
	"github.com/probelint/probelint/internal/report/concise"
	"github.com/probelint/probelint/internal/report/github"
	"github.com/probelint/probelint/internal/report/gitlab"
	"github.com/probelint/probelint/internal/report/html"
	"github.com/probelint/probelint/internal/report/json"
	"github.com/probelint/probelint/internal/report/junit"
	"github.com/probelint/probelint/internal/report/rdjson"
	"github.com/probelint/probelint/internal/report/sarif"
	"github.com/probelint/probelint/internal/report/text"
)

// Options are about the place that a report goes to.
type Options struct {
	Text text.Options
	// Say is told, in a sentence, what the reader of a format will not show; nil for nobody.
	Say func(string)
}

// Format is one way to write a report.
type Format struct {
	Name string
	// About says in a few words who reads it.
	About string
	Write func(io.Writer, *report.Input, Options) error
	// Workloads: it shows more than findings.
	Workloads bool
}

// All are the formats in the order of the help.
func All() []Format {
	plain := func(write func(io.Writer, *report.Input) error) func(io.Writer, *report.Input, Options) error {
		return func(w io.Writer, in *report.Input, _ Options) error { return write(w, in) }
	}
	said := func(write func(io.Writer, *report.Input, func(string)) error) func(io.Writer, *report.Input, Options) error {
		return func(w io.Writer, in *report.Input, o Options) error { return write(w, in, o.Say) }
	}
	return []Format{
		{"text", "people: frames of the source with labels", func(w io.Writer, in *report.Input, o Options) error { return text.Write(w, in, o.Text) }, false},
		{"concise", "editors and grep: a line each", plain(concise.Write), false},
		{"json", "tools: one document", plain(json.Write), false},
		{"jsonl", "tools: a line each", plain(json.WriteLines), false},
		{"sarif", "code scanning of GitHub and others, editors", said(sarif.Write), false},
		{"github", "annotations and the job summary of GitHub Actions", said(github.Write), false},
		{"gitlab", "Code Quality of GitLab", plain(gitlab.Write), false},
		{"junit", "test reports of CI servers", plain(junit.Write), false},
		{"checkstyle", "CI servers and editors", plain(checkstyle.Write), false},
		{"rdjson", "reviewdog", plain(rdjson.Write), false},
		{"html", "people: one page with timelines, which loads nothing", plain(html.Write), true},
	}
}

// Names are the names of All.
func Names() []string {
	all := All()
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.Name
	}
	return names
}

// Find is the format of a name.
func Find(name string) (Format, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
