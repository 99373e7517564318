// Package github writes workflow commands, which GitHub Actions turns into annotations of the files of a pull request, and
// the summary of a job in Markdown, which shows the findings that exceed the number of annotations (STYLE.md 5.4).
package github

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
)

// maxOfLevel is how many annotations of one level GitHub shows of a step; it drops the others without a word.
const maxOfLevel = 10

// Write writes a command for each finding that nothing silences, the loudest first, since GitHub shows the first ones alone. say
// is told how many it does not show; nil for nobody.
func Write(w io.Writer, in *report.Input, say func(string)) error {
	b := bufio.NewWriter(w)
	counts := map[lint.Level]int{}
	for _, f := range loudestFirst(in.Findings) {
		counts[f.Level]++
		_, _ = b.WriteString(command(in, f) + "\n") // the writer keeps its error until Flush
	}
	if over := tooMany(counts); over != "" && say != nil {
		say("GitHub shows " + strconv.Itoa(maxOfLevel) + " annotations of a level and step; " + over + " in the log and the job summary alone")
	}
	return b.Flush()
}

func loudestFirst(all []lint.Finding) []lint.Finding {
	fs := report.Shown(all, lint.Off)
	slices.SortStableFunc(fs, func(a, b lint.Finding) int { return int(b.Level) - int(a.Level) })
	return fs
}

// tooMany says how many of which level exceed maxOfLevel: "3 errors and 1 warning are".
func tooMany(counts map[lint.Level]int) string {
	var parts []string
	n := 0
	for _, l := range []lint.Level{lint.Error, lint.Warning, lint.Info} {
		if over := counts[l] - maxOfLevel; over > 0 {
			parts = append(parts, lint.Count(over, l.String()))
			n += over
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return parts[0] + " is"
	}
	return lint.And(parts) + " are"
}

// command is one finding: `::error file=F,line=L,endLine=L,col=C,endColumn=C,title=T::message`. The columns are left out
// where the place has several lines: the runner takes them for columns of the first one (actions/toolkit, command.ts).
func command(in *report.Input, f lint.Finding) string {
	site := report.SiteOf(in, f)
	props := []string{"file=" + property(report.Slashes(site.File)), "line=" + strconv.Itoa(site.Line), "endLine=" + strconv.Itoa(site.EndLine)}
	if site.Line == site.EndLine {
		props = append(props, "col="+strconv.Itoa(site.Column), "endColumn="+strconv.Itoa(site.EndColumn))
	}
	props = append(props, "title="+property(f.Rule))
	return "::" + verb(f.Level) + " " + strings.Join(props, ",") + "::" + data(message(in, f))
}

func verb(l lint.Level) string {
	switch l {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	}
	return "notice"
}

// message is all that an annotation shows: it has one place, so the other side is told in words.
func message(in *report.Input, f lint.Finding) string {
	lines := []string{printable(f.Title)}
	for _, l := range report.Told(f) {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", l.Span.File, report.PlaceOf(in.Set, l.Span).Line, printable(l.Text)))
	}
	for _, n := range f.Notes {
		lines = append(lines, "note: "+printable(n))
	}
	if f.Help != "" {
		lines = append(lines, "help: "+printable(f.Help))
	}
	return strings.Join(lines, "\n")
}

func printable(s string) string { return report.Printable(s) }

// data escapes the message of a command, property the value of a property (actions/toolkit, escapeData and escapeProperty).
func data(s string) string { return escapeData.Replace(s) }

func property(s string) string { return escapeProperty.Replace(s) }

var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
