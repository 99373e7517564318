package timeline

import (
	"bufio"
	"fmt"
	"html"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
)

// Sizes of the drawing in pixels. All positions along the time are percentages, so that a drawing is as wide as its place
// and its words keep their size.
const (
	laneHeight = 40
	barHeight  = 12
	barTop     = 22
	axisHeight = 26
	headHeight = 26
	noteHeight = 20
)

// style is the sheet of the drawings, for light and dark.
const style = `.tl{font:13px/1.4 system-ui,-apple-system,"Segoe UI",sans-serif;overflow:visible;display:block}
.tl text{fill:var(--tl-ink,#1b1f24)}
.tl .n{font-weight:600}
.tl .t,.tl .a,.tl .m{fill:var(--tl-soft,#57606a)}
.tl .a,.tl .m{font-size:12px}
.tl .h{font-weight:700;font-size:15px}
.tl .g{stroke:var(--tl-grid,#d0d7de)}
.tl .mk{stroke:var(--tl-ink,#1b1f24);stroke-width:2}
.tl .before{fill:var(--tl-before,#a8b3bf)}
.tl .may{fill:var(--tl-may,#d1242f)}
.tl .naive{fill:var(--tl-naive,#d4a72c)}
.tl .takes{fill:var(--tl-takes,#1a7f37)}
.tl .ends{fill:var(--tl-ends,#4ac26b)}
.tl .sent{fill:var(--tl-sent,#0969da)}
@media (prefers-color-scheme:dark){.tl{--tl-ink:#e6edf3;--tl-soft:#9aa5b1;--tl-grid:#3d444d;--tl-before:#59636e;--tl-may:#ff7b72;--tl-naive:#d29922;--tl-takes:#3fb950;--tl-ends:#238636;--tl-sent:#58a6ff}}`

// Style is the sheet that a page with drawings needs.
func Style() template.CSS { return style }

// SVG draws one section for a page that carries Style. id makes the names of its title and description unique in the page.
func SVG(s *Section, id string) template.HTML {
	var b strings.Builder
	height := s.height()
	fmt.Fprintf(&b, `<svg class="tl" width="100%%" height="%d" role="img" aria-labelledby="%s-t %s-d">`, height, id, id)
	fmt.Fprintf(&b, `<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`, id, escape(s.Title), id, escape(s.describe()))
	s.draw(&b, 0)
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // every text is escaped
}

// Legend are the kinds of part that a document uses, each as a class and its words, for a page to show beside the drawings.
func (d *Document) Legend() []struct{ Class, Words string } {
	used := map[Kind]bool{}
	for s := range d.sections {
		for _, l := range s.Lanes {
			for _, p := range l.Parts {
				used[p.Kind] = true
			}
		}
	}
	var out []struct{ Class, Words string }
	for k, kind := range kinds {
		if used[Kind(k)] {
			out = append(out, struct{ Class, Words string }{kind.class, kind.legend})
		}
	}
	return out
}

func (s *Section) height() int {
	h := len(s.Lanes) * laneHeight
	if len(s.Lanes) > 0 {
		h += axisHeight
	}
	return h
}

// describe says the whole drawing in words.
func (s *Section) describe() string {
	var parts []string
	if s.About != "" {
		parts = append(parts, s.About)
	}
	for _, l := range s.Lanes {
		parts = append(parts, l.Name+": "+l.Text)
	}
	return strings.Join(append(parts, s.Notes...), ". ") + "."
}

func (s *Section) draw(b *strings.Builder, y int) {
	limit := s.Max()
	bottom := y + len(s.Lanes)*laneHeight
	if len(s.Lanes) > 0 {
		for i, at := range Ticks(limit, 6) {
			x := percent(at, limit)
			anchor := "middle"
			if i == 0 {
				anchor = "start"
			} else if at > limit*0.95 {
				anchor = "end"
			}
			for lane := range s.Lanes { // behind the bars alone, not through the words
				top := y + lane*laneHeight + barTop
				fmt.Fprintf(b, `<line class="g" x1="%s" x2="%s" y1="%d" y2="%d"/>`, x, x, top-3, top+barHeight+3)
			}
			fmt.Fprintf(b, `<text class="a" x="%s" y="%d" text-anchor="%s">%s</text>`, x, bottom+16, anchor, kubelet.Seconds(at))
		}
	}
	for i, l := range s.Lanes {
		top := y + i*laneHeight
		fmt.Fprintf(b, `<text x="0" y="%d"><tspan class="n">%s</tspan><tspan class="t" dx="8">%s</tspan></text>`, top+14, escape(l.Name), escape(l.Text))
		for _, p := range l.Parts {
			switch {
			case p.To > p.From:
				fmt.Fprintf(b, `<rect class="%s" x="%s" y="%d" width="%s" height="%d" rx="2"/>`, kinds[p.Kind].class, percent(p.From, limit), top+barTop, percent(p.To-p.From, limit), barHeight)
			case p.Kind == May: // a moment without a length
				fmt.Fprintf(b, `<rect class="may" x="%s" y="%d" width="4" height="%d" rx="2"/>`, percent(p.From, limit), top+barTop, barHeight)
			}
		}
		for _, m := range l.Marks {
			x := percent(m.At, limit)
			fmt.Fprintf(b, `<line class="mk" x1="%s" x2="%s" y1="%d" y2="%d"><title>%s</title></line>`, x, x, top+barTop-3, top+barTop+barHeight+3, escape(m.Name+" at "+kubelet.Seconds(rounded(m.At))))
		}
	}
}

func percent(at, limit float64) string {
	return strconv.FormatFloat(float64(int(at/limit*10000+0.5))/100, 'f', -1, 64) + "%"
}

// escape is text for a drawing, where nothing is set as code.
func escape(s string) string {
	return html.EscapeString(strings.ReplaceAll(report.Printable(s), "`", ""))
}

// WriteSVG writes one drawing with all sections, one under the other, as a file of its own.
func WriteSVG(w io.Writer, d *Document) error {
	const width, margin, noteColumns = 760, 16, 105
	var b strings.Builder
	y := margin
	row := func(class, s string, height int) {
		fmt.Fprintf(&b, `<text class="%s" x="0" y="%d">%s</text>`+"\n", class, y+14, escape(s))
		y += height
	}
	section := func(s *Section) {
		head := s.Title
		if s.About != "" {
			head += " (" + s.About + ")"
		}
		row("n", head, headHeight)
		s.draw(&b, y)
		b.WriteString("\n")
		y += s.height()
		for _, n := range s.Notes {
			for _, l := range text.Wrap(n, noteColumns) {
				row("t", l, noteHeight)
			}
		}
		y += 12
	}
	for i := range d.Containers {
		c := &d.Containers[i]
		row("h", fmt.Sprintf("%s, container %s", c.Workload, c.Name), headHeight+4)
		for k := range c.Sections {
			section(&c.Sections[k])
		}
		y += 12
	}
	for i := range d.Fleet {
		section(&d.Fleet[i])
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" class="tl" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="timelines of %s">`+"\n",
		width, y+margin, width, y+margin, count(len(d.Containers), "container"))
	fmt.Fprintf(out, "<style>%s\n.page{fill:#fff}@media (prefers-color-scheme:dark){.page{fill:#0d1117}}</style>\n", style)
	fmt.Fprintf(out, `<rect class="page" width="100%%" height="100%%"/>`+"\n"+`<svg x="%d" width="%d" height="%d" style="overflow:visible">`+"\n", margin, width-2*margin, y+margin)
	_, _ = out.WriteString(b.String() + "</svg>\n</svg>\n") // the writer keeps its error until Flush
	return out.Flush()
}
