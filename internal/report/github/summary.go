package github

import (
	"fmt"
	"io"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

// maxSummary is how much of a step's summary GitHub takes, in bytes; it shows nothing of a longer one. Some room is left for
// what else the step writes there.
const maxSummary = 1<<20 - 16<<10

// WriteSummary writes the findings as Markdown for the file that $GITHUB_STEP_SUMMARY names, the loudest first; those that
// exceed what GitHub takes are counted.
func WriteSummary(w io.Writer, in *report.Input) error {
	var b strings.Builder
	b.WriteString("## probelint\n\n" + text.Summary(in) + "\n")
	fs := loudestFirst(in.Findings)
	if len(fs) > 0 {
		b.WriteString("\n| level | rule | place | finding |\n|---|---|---|---|\n")
	}
	for i, f := range fs {
		row := tableRow(in, f)
		if b.Len()+len(row) > maxSummary {
			fmt.Fprintf(&b, "\n%s not shown here: the summary of a step has 1 MiB.\n", lint.Count(len(fs)-i, "more finding"))
			break
		}
		b.WriteString(row)
	}
	for _, l := range in.Limits {
		line := "\n- not checked: " + cell(report.LimitLine(l))
		if !l.Minor && b.Len()+len(line) < maxSummary {
			b.WriteString(line)
		}
	}
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func tableRow(in *report.Input, f lint.Finding) string {
	site := report.SiteOf(in, f)
	words := cell(printable(f.Title))
	for _, l := range report.Told(f) {
		words += fmt.Sprintf("<br>%s: %s", code(fmt.Sprintf("%s:%d", l.Span.File, report.PlaceOf(in.Set, l.Span).Line)), cell(printable(l.Text)))
	}
	if f.Help != "" {
		words += "<br>help: " + cell(printable(f.Help))
	}
	return fmt.Sprintf("| %s | [%s](%s) | %s | %s |\n", f.Level, f.Rule, f.DocsURL(), code(fmt.Sprintf("%s:%d", site.File, site.Line)), words)
}

// cell is text inside a table: names in backticks stay code, and nothing else is taken for Markdown or HTML.
func cell(s string) string {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i, p := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			b.WriteString(code(p))
			continue
		}
		if i%2 == 1 {
			b.WriteString("\\`")
		}
		b.WriteString(escape.Replace(p))
	}
	return b.String()
}

var escapeCode = strings.NewReplacer("|", `\|`, "\n", " ", "`", "'")

var escape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "#", `\#`, "~", `\~`, "\n", " ")

// code is a name as code; a table is split at a bar even there.
func code(s string) string {
	s = escapeCode.Replace(printable(s))
	if strings.TrimSpace(s) == "" {
		return s
	}
	return "`" + s + "`"
}
