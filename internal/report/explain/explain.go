// Package explain prints the page of a rule, the Markdown of its doc.md, for a terminal.
package explain

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

// Options are about the place that the page goes to.
type Options struct {
	Color bool
	// Width of the terminal in columns; 0 where it is none.
	Width int
}

const (
	// defaultWidth is where prose is wrapped outside of a terminal, maxWidth where it is wrapped on a wide one: longer lines are
	// hard to read.
	defaultWidth = 80
	maxWidth     = 100
	minWidth     = 30
	indent       = "  "
	gutter       = "  | "
)

// The colours of text findings: bold for headings, blue for what explains.
const (
	bold  = "1"
	blue  = "34"
	reset = "\x1b[0m"
)

// Write writes the page of a rule: its name, traits, which say its level and what it sees, and its page, the summary first.
func Write(w io.Writer, r *lint.Rule, traits string, o Options) error {
	p := &printer{w: bufio.NewWriter(w), o: o, width: defaultWidth}
	if o.Width > 0 {
		p.width = max(minWidth, min(o.Width, maxWidth))
	}
	p.line(p.paint(bold, r.Name))
	for _, l := range text.Wrap(traits, p.width) {
		p.line(l)
	}
	_, body, _ := strings.Cut(r.Doc, "\n") // the first line is the name
	p.page(strings.TrimSpace(body))
	p.gap()
	p.line(p.paint(blue, lint.DocURL(r.Name)))
	return p.w.Flush()
}

type printer struct {
	w     *bufio.Writer
	o     Options
	width int
	empty bool // the last line was
}

// line writes a line; the writer keeps an error until Flush.
func (p *printer) line(s string) {
	s = strings.TrimRight(s, " ")
	p.empty = s == ""
	_, _ = p.w.WriteString(s + "\n")
}

// gap is one empty line, never two.
func (p *printer) gap() {
	if !p.empty {
		p.line("")
	}
}

func (p *printer) paint(code, s string) string {
	if !p.o.Color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + reset
}

var (
	heading = regexp.MustCompile(`^#{1,6} +(.*)$`)
	item    = regexp.MustCompile(`^( *)([-*]|[0-9]+[.)]) +(.*)$`)
	inline  = regexp.MustCompile("`[^`]+`")
)

// page prints Markdown: headings, paragraphs, lists, code. Tables and what else there is stay as they are written.
func (p *printer) page(md string) {
	var para []string
	flush := func() {
		if len(para) > 0 {
			p.prose(indent, indent, strings.Join(para, " "))
			para = nil
		}
	}
	fence, under := false, false // under a heading stands no empty line
	for _, raw := range strings.Split(md, "\n") {
		raw = strings.TrimRight(printable(raw), " ")
		if strings.HasPrefix(strings.TrimSpace(raw), "```") {
			flush()
			fence, under = !fence, false
			continue
		}
		if fence {
			p.line(p.paint(blue, gutter) + strings.ReplaceAll(raw, "\t", "    "))
			continue
		}
		if raw == "" {
			flush()
			if !under {
				p.gap()
			}
			continue
		}
		if m := heading.FindStringSubmatch(raw); m != nil {
			flush()
			p.gap()
			p.line(p.paint(bold, m[1]))
			under = true
			continue
		}
		under = false
		switch m := item.FindStringSubmatch(raw); {
		case m != nil:
			flush()
			lead := indent + m[1] + m[2] + " "
			p.prose(lead, strings.Repeat(" ", len(lead)), m[3])
		case strings.HasPrefix(raw, "|"):
			flush()
			p.line(indent + p.code(raw))
		default:
			para = append(para, strings.TrimSpace(raw))
		}
	}
	flush()
}

// prose wraps a paragraph behind a lead, which the further lines are indented below.
func (p *printer) prose(first, further, s string) {
	for i, l := range text.Wrap(s, max(minWidth/2, p.width-len(first))) {
		lead := further
		if i == 0 {
			lead = first
		}
		p.line(lead + p.code(l))
	}
}

// code paints names in backticks.
func (p *printer) code(s string) string {
	if !p.o.Color {
		return s
	}
	return inline.ReplaceAllStringFunc(s, func(c string) string { return p.paint(blue, c) })
}

// printable keeps tabs, which code is indented with.
func printable(s string) string {
	parts := strings.Split(s, "\t")
	for i, x := range parts {
		parts[i] = report.Printable(x)
	}
	return strings.Join(parts, "\t")
}
