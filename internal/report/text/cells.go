package text

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"

	"github.com/probelint/probelint/internal/report"
)

// textWidth is how many columns text without control characters takes. This is what x/ansi measures with; x/ansi itself
// costs 25 ms at start-up for the tables of another method (go-runewidth).
func textWidth(s string) int { return displaywidth.String(s) }

// tabWidth is how far a tab reaches: to the next multiple.
const tabWidth = 4

// cluster is one user-perceived character of a source line, where it stands in the line's bytes and on the screen.
type cluster struct {
	start, end int // bytes
	cell       int // first column, 0-based
	width      int
	text       string // as printed
}

// layout is a source line as it is printed: tabs expanded, control characters replaced, wide and combining characters
// measured.
type layout struct {
	clusters []cluster
	width    int
}

func newLayout(line []byte) layout {
	var l layout
	s := string(line)
	for i := 0; i < len(s); {
		c := cluster{start: i, cell: l.width}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\t':
			c.width = tabWidth - l.width%tabWidth
			c.text = "    "[:c.width]
		case r == utf8.RuneError && n == 1, report.Hostile(r):
			c.width, c.text = 1, string(utf8.RuneError)
		case r < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf):
			c.width, c.text = 1, s[i:i+1]
		default:
			g := displaywidth.StringGraphemes(s[i:])
			if g.Next() {
				n = max(n, len(g.Value()))
			}
			c.text = report.Printable(s[i : i+n])
			c.width = textWidth(c.text)
		}
		i += n
		c.end = i
		l.width += c.width
		l.clusters = append(l.clusters, c)
	}
	return l
}

// cellOf is the column of a byte offset; an offset inside a cluster is that cluster's column.
func (l layout) cellOf(off int) int {
	for _, c := range l.clusters {
		if off < c.end {
			return c.cell
		}
	}
	return l.width
}

// firstText is the column of the first thing that is no blank.
func (l layout) firstText() int {
	for _, c := range l.clusters {
		if c.text[0] != ' ' {
			return c.cell
		}
	}
	return l.width
}

// cut is the text between two columns; where something is left out, dots stand at the edge.
func (l layout) cut(from, to int) string {
	out := make([]byte, 0, to-from)
	const dots = "..."
	lo, hi := from, to
	if from > 0 {
		lo += len(dots)
	}
	if l.width > to {
		hi -= len(dots)
	}
	if from > 0 {
		out = append(out, dots...)
	}
	at := lo
	for _, c := range l.clusters {
		if c.cell < lo || c.cell+c.width > hi || c.cell >= hi {
			continue
		}
		for ; at < c.cell; at++ { // half of a wide character was cut off
			out = append(out, ' ')
		}
		out = append(out, c.text...)
		at += c.width
	}
	if l.width > to {
		for ; at < hi; at++ {
			out = append(out, ' ')
		}
		out = append(out, dots...)
	}
	return string(out)
}
