package github_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/github"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/source"
)

func write(t *testing.T, in *report.Input) (out string, said []string) {
	t.Helper()
	var b bytes.Buffer
	if err := github.Write(&b, in, func(s string) { said = append(said, s) }); err != nil {
		t.Fatal(err)
	}
	return b.String(), said
}

func summary(t *testing.T, in *report.Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := github.WriteSummary(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	out, said := write(t, reporttest.Input())
	reporttest.Golden(t, "all.txt", []byte(out))
	if len(said) > 0 {
		t.Errorf("said %q", said)
	}
	reporttest.Golden(t, "summary.md", []byte(summary(t, reporttest.Input())))
	reporttest.Golden(t, "clean.md", []byte(summary(t, &report.Input{Summary: lint.Summary{Workloads: 1, Probes: 2}, Show: lint.Warning})))
}

// Every line is one command in the runner's grammar, so that no text of the input ends a command or begins another.
func TestEveryLineIsOneCommand(t *testing.T) {
	out, _ := write(t, reporttest.Input())
	grammar := regexp.MustCompile(`^::(error|warning|notice) file=[^,:]+,line=\d+,endLine=\d+(,col=\d+,endColumn=\d+)?,title=[a-z-]+::[^\r\n]+$`)
	for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
		if !grammar.MatchString(line) {
			t.Errorf("no command: %q", line)
		}
	}
	if strings.Contains(out, "a finding that a comment silences") {
		t.Error("a silenced finding is annotated")
	}
}

func TestEscaping(t *testing.T) {
	set := source.NewSet("/nowhere")
	set.Add(source.New("a,b:c%.yaml", []byte("x: 1\ny: 2\n")))
	f := lint.Finding{
		Rule: "r", Level: lint.Error, Title: "100% of `a:b,c`",
		Primary: lint.Label{Span: model.Span{File: "a,b:c%.yaml", Start: 0, End: 4, Line: 1}},
		Notes:   []string{"::error::no command"},
	}
	out, _ := write(t, &report.Input{Set: set, Findings: []lint.Finding{f}})
	want := "::error file=a%2Cb%3Ac%25.yaml,line=1,endLine=1,col=1,endColumn=5,title=r::100%25 of `a:b,c`%0Anote: ::error::no command\n"
	if out != want {
		t.Errorf("got  %q\nwant %q", out, want)
	}
	// Columns are those of the first line to the runner, so a place of several lines has none.
	f.Primary.Span.End = 9
	if out, _ = write(t, &report.Input{Set: set, Findings: []lint.Finding{f}}); !strings.Contains(out, "line=1,endLine=2,title=") {
		t.Errorf("columns over two lines: %q", out)
	}
}

// GitHub drops what exceeds ten of a level, so the errors come first and the rest is told.
func TestMoreThanGitHubShows(t *testing.T) {
	in := &report.Input{Show: lint.Info}
	for i := range 24 {
		level := []lint.Level{lint.Info, lint.Error}[i%2]
		in.Findings = append(in.Findings, lint.Finding{Rule: "r", Level: level, Title: fmt.Sprintf("t%d", i), Primary: lint.Label{Span: model.Span{File: "a.yaml", Line: i + 1}}})
	}
	out, said := write(t, in)
	if n := strings.Count(out, "\n"); n != 24 {
		t.Errorf("%d lines, want 24", n)
	}
	if strings.Index(out, "::notice") < strings.LastIndex(out, "::error") {
		t.Error("a notice before an error")
	}
	want := "GitHub shows 10 annotations of a level and step; 2 errors and 2 infos are in the log and the job summary alone"
	if len(said) != 1 || said[0] != want {
		t.Errorf("said %q", said)
	}
	if got := strings.Count(summary(t, in), "\n| "); got != 25 { // the heading, and every finding
		t.Errorf("%d rows in the summary", got)
	}
}

func TestSummaryFitsAStep(t *testing.T) {
	in := &report.Input{Show: lint.Info}
	for i := range 20_000 {
		in.Findings = append(in.Findings, lint.Finding{Rule: "r", Level: lint.Error, Title: strings.Repeat("word ", 16), Primary: lint.Label{Span: model.Span{File: "a.yaml", Line: i + 1}}})
	}
	out := summary(t, in)
	if len(out) > 1<<20 {
		t.Errorf("%d bytes", len(out))
	}
	if !regexp.MustCompile(`\n[0-9]+ more findings not shown here`).MatchString(out) {
		t.Errorf("it does not say what is missing: %q", out[len(out)-200:])
	}
}
