package text

import (
	"cmp"
	"slices"
	"strings"
)

// mark is a span on one line, in columns.
type mark struct {
	start, end int
	text       string
	strong     bool
}

func (m mark) glyph() string {
	if m.strong {
		return "^"
	}
	return "-"
}

// marks are the spans that begin and end on line n.
func (d *drawing) marks(n int, lay layout) []mark {
	var out []mark
	for _, l := range d.s.Labels {
		if l.Line == n && l.EndLine == n {
			m := mark{start: lay.cellOf(l.Start), end: lay.cellOf(l.End), text: l.Text, strong: l.Strong}
			m.end = max(m.end, m.start+1) // an empty span still points
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b mark) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	return out
}

// before is how much of a line that is cut stands in front of its first mark.
const before = 16

// window is which columns of a line are shown: all where they fit, else those around the marks.
func (d *drawing) window(marks []mark, lay layout) (from, to int) {
	if lay.width <= d.avail {
		return 0, lay.width
	}
	if len(marks) == 0 {
		return 0, d.avail
	}
	lo, hi := marks[0].start, marks[0].end
	for _, m := range marks {
		hi = max(hi, m.end)
	}
	if hi+before <= d.avail {
		return 0, d.avail
	}
	from = max(0, min(lo-before, lay.width-d.avail))
	return from, from + d.avail
}

// row is one line under a source line: glyphs by column, and a text at a column right of them.
type row struct {
	glyphs []byte // ' ', '^', '-', '|'
	strong []bool
	at     int
	text   string
	loud   bool
}

func newRow(width int) row {
	return row{glyphs: []byte(strings.Repeat(" ", width)), strong: make([]bool, width)}
}

func (r *row) put(col int, b byte, strong bool) {
	if col >= 0 && col < len(r.glyphs) {
		r.glyphs[col], r.strong[col] = b, strong
	}
}

// markRows lays out the marks of one line: the row of carets and dashes, with the label of the rightmost span behind it,
// and a row for each other label, hanging from its span. from and width are the window of the source line, avail the
// columns there are; limit says that a label may not cross them.
func markRows(marks []mark, from, width, avail int, limit bool) []row {
	if len(marks) == 0 {
		return nil
	}
	marks = slices.Clone(marks)
	first := newRow(min(width+1, avail)) // one more than the text, for a span at its end
	for _, strong := range []bool{false, true} {
		for i := range marks {
			m := &marks[i]
			if m.strong != strong {
				continue
			}
			for c := m.start; c < m.end; c++ {
				first.put(c-from, m.glyph()[0], m.strong)
			}
		}
	}
	inline := 0
	for i, m := range marks {
		if m.end >= marks[inline].end {
			inline = i
		}
		marks[i].start, marks[i].end = max(0, m.start-from), min(m.end-from, len(first.glyphs))
	}
	m := marks[inline]
	if m.text != "" && (!limit || m.end+1+textWidth(m.text) <= avail) {
		first.at, first.text, first.loud = m.end+1, m.text, m.strong
		marks = slices.Delete(marks, inline, inline+1)
	}
	marks = slices.DeleteFunc(marks, func(m mark) bool { return m.text == "" })
	rows := []row{first}
	if len(marks) > 0 {
		rows = append(rows, connectors(marks, len(marks), avail))
	}
	for i, m := range slices.Backward(marks) {
		rows = append(rows, hang(marks, i, m, avail, limit)...)
	}
	return rows
}

// connectors is a row of bars under the first n marks.
func connectors(marks []mark, n, avail int) row {
	r := newRow(min(marks[len(marks)-1].start+1, avail))
	for _, m := range marks[:n] {
		r.put(m.start, '|', m.strong)
	}
	return r
}

// hang is the label of mark i under its bar, moved left and wrapped where the terminal is too narrow.
func hang(marks []mark, i int, m mark, avail int, limit bool) []row {
	at, lines := m.start, []string{m.text}
	if w := textWidth(m.text); limit && at+w > avail {
		at = max(0, avail-w)
		lines = Wrap(m.text, avail-at)
	}
	rows := make([]row, 0, len(lines))
	for _, l := range lines {
		r := connectors(marks, i, avail)
		r.at, r.text, r.loud = at, l, m.strong
		rows = append(rows, r)
	}
	return rows
}

// render turns a row into text, runs of one colour painted together.
func (d *drawing) render(r row) string {
	var b strings.Builder
	cut := len(r.glyphs)
	if r.text != "" {
		cut = min(cut, r.at)
	}
	for i := 0; i < cut; {
		k := i + 1
		for k < cut && (r.glyphs[k] == ' ') == (r.glyphs[i] == ' ') && r.strong[k] == r.strong[i] {
			k++
		}
		if run := string(r.glyphs[i:k]); r.glyphs[i] == ' ' {
			b.WriteString(run)
		} else {
			b.WriteString(d.p.paint(d.color(r.strong[i]), run))
		}
		i = k
	}
	if r.text != "" {
		b.WriteString(strings.Repeat(" ", max(0, r.at-cut)))
		b.WriteString(d.p.paint(d.color(r.loud), r.text))
	}
	return b.String()
}
