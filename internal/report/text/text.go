// Package text writes findings for people: a frame of the source with labelled spans, of both files where a finding has
// two sides, notes, help, and a line that says how much was read (DESIGN.md, "How a finding looks").
package text

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

// Options are about the place that the text goes to.
type Options struct {
	Color bool
	// Width of the terminal in columns; 0 where it is none.
	Width int
	// Links: the rule's name is a link to its page (OSC 8), where there is colour: whoever wants none wants no other escape.
	Links bool
	// Quiet leaves the limits and the summary out. Verbose prints every limit.
	Quiet, Verbose bool
}

const (
	// maxFrames is how many findings get a frame; the rest get a line each, so that a terminal is not flooded.
	maxFrames = 20
	// maxLimits is how many limits are printed without Verbose.
	maxLimits = 10
	// proseWidth is where notes and help are wrapped, narrower terminals aside: 78 columns behind `   = note: `.
	proseWidth = 89
	// defaultWidth is where source lines are cut when the output is no terminal, minWidth the least for a frame.
	defaultWidth = 140
	minWidth     = 40
)

// Write writes the findings, the limits and the summary.
func Write(w io.Writer, in *report.Input, o Options) error {
	p := &printer{w: bufio.NewWriter(w), in: in, o: o, width: o.Width}
	if p.width == 0 {
		p.width = defaultWidth
	}
	p.width = max(p.width, minWidth)
	for i, f := range in.Findings {
		if i < maxFrames {
			p.frame(f)
			p.line("")
			continue
		}
		p.line(p.oneLine(f))
	}
	if len(in.Findings) > maxFrames {
		p.line("")
	}
	if !o.Quiet {
		p.limits()
		p.line(Summary(in))
	}
	return p.w.Flush()
}

type printer struct {
	w     *bufio.Writer
	in    *report.Input
	o     Options
	width int
}

// line writes a line; the writer keeps an error until Flush.
func (p *printer) line(s string) {
	_, _ = p.w.WriteString(strings.TrimRight(s, " "))
	_ = p.w.WriteByte('\n')
}

func (p *printer) oneLine(f lint.Finding) string {
	return report.At(p.in.Set, f) + p.heading(f)
}

// heading is `error[rule]: title`.
func (p *printer) heading(f lint.Finding) string {
	rule := f.Rule
	if p.o.Links && p.o.Color {
		rule = "\x1b]8;;" + f.DocsURL() + "\x1b\\" + rule + "\x1b]8;;\x1b\\"
	}
	return p.paint(styleOf(f.Level)|bold, f.Level.String()+"["+rule+"]") + p.paint(bold, ": "+report.Printable(f.Title))
}

func (p *printer) limits() {
	var ls []model.Limit
	for _, l := range p.in.Limits {
		if !l.Minor || p.o.Verbose {
			ls = append(ls, l)
		}
	}
	all := len(ls)
	if len(ls) > maxLimits && !p.o.Verbose {
		ls = ls[:maxLimits]
	}
	for _, l := range ls {
		p.line(p.paint(blue, "not checked: ") + report.LimitLine(l))
	}
	if n := all - len(ls); n > 0 {
		p.line(p.paint(blue, "not checked: ") + fmt.Sprintf("%d more (-v lists them)", n))
	}
}

// Summary is the last line: the counts by level, what was read, and what is hidden.
func Summary(in *report.Input) string {
	s := in.Summary
	counts := []string{}
	for _, c := range []struct {
		level lint.Level
		n     int
	}{{lint.Error, s.Errors}, {lint.Warning, s.Warnings}, {lint.Info, s.Infos}} {
		if c.n > 0 && c.level >= in.Show {
			counts = append(counts, plural(c.n, c.level.String()))
		}
	}
	found := "no findings"
	if len(counts) > 0 {
		found = strings.Join(counts, ", ")
	}
	read := []string{plural(s.Workloads, "workload"), plural(s.Probes, "probe")}
	if s.Packages > 0 {
		read = append(read, plural(s.Packages, "Go package"))
	}
	line := found + " in " + strings.Join(read, ", ")
	if s.Packages > 0 && s.Linked+s.Unlinked > 0 {
		line += fmt.Sprintf("; %s linked to code, %d not", plural(s.Linked, "probe"), s.Unlinked)
		if n := s.Probes - s.Linked - s.Unlinked; n > 0 {
			line += fmt.Sprintf(", %d that %s no handler", n, ask(n))
		}
	}
	if s.Suppressed > 0 {
		line += fmt.Sprintf("; %d suppressed", s.Suppressed)
	}
	if n := fixable(in.Findings); n > 0 {
		line += fmt.Sprintf("; %d fixable (--fix)", n)
	}
	if s.Baselined > 0 {
		line += fmt.Sprintf("; %d known before", s.Baselined)
	}
	if s.Infos > 0 && in.Show > lint.Info {
		hidden := plural(s.Infos, "info")
		if s.Warnings > 0 && in.Show > lint.Warning {
			hidden = plural(s.Warnings, "warning") + " and " + hidden
		}
		line += "; " + hidden + " hidden (--show info)"
	} else if s.Warnings > 0 && in.Show > lint.Warning {
		line += "; " + plural(s.Warnings, "warning") + " hidden (--show warning)"
	}
	return line
}

// ask is the verb for some probes, tcpSocket and exec ones.
func ask(n int) string {
	if n == 1 {
		return "asks"
	}
	return "ask"
}

// fixable is how many of the findings have a fix that --fix applies.
func fixable(fs []lint.Finding) int {
	n := 0
	for _, f := range fs {
		if f.Suppressed == nil && slices.ContainsFunc(f.Fixes, func(x lint.Fix) bool { return x.Safe && len(x.Edits) > 0 }) {
			n++
		}
	}
	return n
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
