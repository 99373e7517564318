package timeline

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

const (
	// barWidth is how many columns a bar has where the output is no terminal; minBar the least.
	barWidth = 40
	minBar   = 20
	indent   = "    "
	gap      = "   " // in the legend
)

// WriteText draws with letters. width is that of the terminal, 0 where it is none.
func WriteText(w io.Writer, d *Document, width int) error {
	b := bufio.NewWriter(w)
	p := &printer{w: b, bar: barWidth, width: width}
	for i, c := range d.Containers {
		if i > 0 {
			p.line("")
		}
		p.line(fmt.Sprintf("%s  container %s  %s:%d", c.Workload, c.Name, c.File, c.Line))
		if len(c.Sections) == 0 {
			p.line("  nothing to draw")
		}
		for _, s := range c.Sections {
			p.section(&s)
		}
	}
	if len(d.Fleet) > 0 {
		p.line("")
		p.line("what they share")
		for _, s := range d.Fleet {
			p.section(&s)
		}
	}
	p.legend(d)
	return b.Flush()
}

type printer struct {
	w          *bufio.Writer
	bar, width int
}

// columns is where notes are wrapped: at the width of the terminal, 100 where there is none.
func (p *printer) columns() int {
	if p.width == 0 {
		return 100
	}
	return max(40, p.width)
}

// line writes a line; the writer keeps an error until Flush.
func (p *printer) line(s string) {
	_, _ = p.w.WriteString(strings.TrimRight(report.Printable(s), " ") + "\n")
}

func (p *printer) section(s *Section) {
	p.line("")
	head := "  " + s.Title
	if s.About != "" {
		head += "  (" + s.About + ")"
	}
	p.line(head)
	names, texts := 0, 0
	for _, l := range s.Lanes {
		names, texts = max(names, len([]rune(l.Name))), max(texts, len([]rune(l.Text)))
	}
	bar, under := p.bar, false
	if p.width > 0 && len(indent)+names+2+bar+2+texts > p.width { // then the words stand under the bar
		bar, under = max(minBar, min(p.bar, p.width-len(indent)-names-3)), true
	}
	limit := s.Max()
	for _, l := range s.Lanes {
		row := fmt.Sprintf("%s%-*s  %-*s", indent, names, l.Name, bar, draw(l, limit, bar))
		if !under {
			row += "  " + l.Text
		}
		p.line(row)
		if under {
			for _, words := range text.Wrap(l.Text, max(minBar, p.width-len(indent)-names-2)) {
				p.line(indent + strings.Repeat(" ", names+2) + words)
			}
		}
	}
	if len(s.Lanes) > 0 {
		p.line(fmt.Sprintf("%s%*s  %s", indent, names, "", axis(limit, bar)))
	}
	for _, n := range s.Notes {
		for _, l := range text.Wrap(n, p.columns()-len(indent)) {
			p.line(indent + l)
		}
	}
}

// draw is a lane in n columns, a mark over whatever is there.
func draw(l Lane, limit float64, n int) string {
	cells := []byte(strings.Repeat(" ", n))
	col := func(at float64) int { return min(n, int(at/limit*float64(n)+0.5)) }
	for _, part := range l.Parts {
		from, to := col(part.From), col(part.To)
		if (part.To > part.From || part.Kind == May) && to == from { // what happens is seen
			from = max(0, min(from, n-1))
			to = from + 1
		}
		for i := from; i < to; i++ {
			cells[i] = kinds[part.Kind].glyph
		}
	}
	for _, m := range l.Marks {
		cells[min(n-1, col(m.At))] = '|'
	}
	return strings.TrimRight(string(cells), " ")
}

// axis is the scale under the lanes.
func axis(limit float64, n int) string {
	line := []byte(strings.Repeat(" ", n+8))
	end := 0
	for _, at := range Ticks(limit, n/10) {
		label := kubelet.Seconds(at)
		col := int(at/limit*float64(n) + 0.5)
		if col < end || col+len(label) > len(line) {
			continue
		}
		copy(line[col:], label)
		end = col + len(label) + 1
	}
	return strings.TrimRight(string(line), " ")
}

// Ticks are round numbers of seconds from 0 to at most limit, not more than about n of them.
func Ticks(limit float64, n int) []float64 {
	step := 1.0
	for _, s := range []float64{1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800, 2592000} {
		step = s
		if limit/s <= float64(max(1, n)) {
			break
		}
	}
	for limit/step > float64(max(1, n)) {
		step *= 10
	}
	var out []float64
	for at := 0.0; at <= limit; at += step {
		out = append(out, at)
	}
	return out
}

// legend explains the letters that were used.
func (p *printer) legend(d *Document) {
	used := map[Kind]bool{}
	marks := false
	for s := range d.sections {
		for _, l := range s.Lanes {
			marks = marks || len(l.Marks) > 0
			for _, part := range l.Parts {
				used[part.Kind] = true
			}
		}
	}
	var words []string
	for k, kind := range kinds {
		if used[Kind(k)] {
			words = append(words, string(kind.glyph)+" "+kind.legend)
		}
	}
	if marks {
		words = append(words, "| SIGTERM and SIGKILL, or the first and the last")
	}
	if len(words) == 0 {
		return
	}
	p.line("")
	line := ""
	for _, w := range words {
		if line != "" && len(line)+len(gap)+len(w) > p.columns() {
			p.line(line)
			line = ""
		}
		if line != "" {
			line += gap
		}
		line += w
	}
	p.line(line)
}

// sections are those of the containers and of the fleet.
func (d *Document) sections(yield func(*Section) bool) {
	for i := range d.Containers {
		for k := range d.Containers[i].Sections {
			if !yield(&d.Containers[i].Sections[k]) {
				return
			}
		}
	}
	for i := range d.Fleet {
		if !yield(&d.Fleet[i]) {
			return
		}
	}
}
