package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/report/snippet"
)

// drawing is one snippet while it is drawn.
type drawing struct {
	p      *printer
	s      *snippet.Snippet
	gutter int
	level  style
	avail  int             // columns for source text
	rails  []snippet.Label // spans over several lines, one rail each, outermost first
	open   []bool          // which rails run at this row
}

// draw writes the lines of a snippet with what is under them.
func (p *printer) draw(s *snippet.Snippet, gutter int, level style) {
	d := &drawing{p: p, s: s, gutter: gutter, level: level}
	for _, l := range s.Labels {
		if l.EndLine > l.Line {
			d.rails = append(d.rails, l)
		}
	}
	slices.SortStableFunc(d.rails, func(a, b snippet.Label) int { return cmp.Or(cmp.Compare(b.EndLine-b.Line, a.EndLine-a.Line)) })
	d.open = make([]bool, len(d.rails))
	d.avail = max(p.width-gutter-3-2*len(d.rails), 20)
	for i, n := range s.Lines {
		if i > 0 && n > s.Lines[i-1]+1 {
			d.gap()
		}
		d.sourceLine(n)
	}
}

func (d *drawing) gap() {
	if slices.Contains(d.open, true) {
		d.p.line(d.p.paint(blue, "...") + strings.Repeat(" ", d.gutter) + d.railText(nil, len(d.rails)))
		return
	}
	d.p.line(d.p.paint(blue, "..."))
}

// sourceLine writes one line, the marks of the spans on it, and the beginnings and ends of longer spans.
func (d *drawing) sourceLine(n int) {
	lay := newLayout(d.s.File.Line(n))
	marks := d.marks(n, lay)
	from, to := d.window(marks, lay)
	corners := map[int]string{}
	for i, r := range d.rails {
		if r.Line == n && lay.cellOf(r.Start) <= lay.firstText() {
			corners[i] = "/"
		}
	}
	number := d.p.paint(blue, fmt.Sprintf("%*d |", d.gutter, n))
	d.p.line(number + " " + d.railText(corners, len(d.rails)) + lay.cut(from, to))
	for i, r := range d.rails {
		if r.Line == n {
			if corners[i] == "" {
				d.under(i, " ", lay.cellOf(r.Start)-from, "")
			}
			d.open[i] = true
		}
	}
	for _, row := range markRows(marks, from, to-from, d.avail, d.p.o.Width > 0) {
		d.p.line(d.bar() + d.railText(nil, len(d.rails)) + d.render(row))
	}
	for i, r := range slices.Backward(d.rails) {
		if r.EndLine == n {
			d.open[i] = false
			d.under(i, "|", lay.cellOf(r.End-1)-from, r.Text)
		}
	}
}

func (d *drawing) bar() string { return d.p.paint(blue, strings.Repeat(" ", d.gutter)+" |") + " " }

// railText is the columns left of the source, with a corner or a rail for each of the first n spans that begins or is open.
func (d *drawing) railText(corners map[int]string, n int) string {
	var b strings.Builder
	for i, r := range d.rails[:n] {
		switch {
		case corners[i] != "":
			b.WriteString(d.p.paint(d.color(r.Strong), corners[i]) + " ")
		case d.open[i]:
			b.WriteString(d.p.paint(d.color(r.Strong), "|") + " ")
		default:
			b.WriteString("  ")
		}
	}
	return b.String()
}

// under writes the row that leads from a rail to a column of the line above: ` ____^` where the span begins, with lead
// " ", and `|____^ label` where it ends, with lead "|".
func (d *drawing) under(rail int, lead string, cell int, text string) {
	cell = max(0, min(cell, d.avail-1))
	strong := d.rails[rail].Strong
	fits := d.p.o.Width == 0 || cell+2+textWidth(text) <= d.avail
	line := lead + strings.Repeat("_", 2*(len(d.rails)-rail)-1+cell) + mark{strong: strong}.glyph()
	if text != "" && fits {
		line += " " + text
	}
	d.p.line(d.bar() + d.railText(nil, rail) + d.p.paint(d.color(strong), line))
	if text != "" && !fits {
		for _, r := range hang([]mark{{start: cell, text: text, strong: strong}}, 0, mark{start: cell, text: text, strong: strong}, d.avail, true) {
			d.p.line(d.bar() + d.railText(nil, len(d.rails)) + d.render(r))
		}
	}
}

func (d *drawing) color(strong bool) style {
	if strong {
		return d.level
	}
	return blue
}
