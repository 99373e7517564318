package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/snippet"
)

// frame is the source of one file that a finding shows.
type frame struct {
	Place string
	Lines []line
}

// line is one line of source. Gap stands before it where lines are left out.
type line struct {
	Number int
	Gap    bool
	Pieces []piece
	Labels []label
}

// piece is text of a line; Class is "strong" or "weak" for what a span covers.
type piece struct{ Text, Class string }

// label is what a span says, under its place: behind the text Before, which is there to take its room.
type label struct {
	Before, Text, Class string
}

func framesOf(in *report.Input, f lint.Finding) []frame {
	var out []frame
	for _, s := range snippet.Of(in.Set, f) {
		fr := frame{Place: report.Printable(fmt.Sprintf("%s:%d:%d", s.Path, s.Place.Line, s.Place.Column))}
		for i, n := range s.Lines {
			l := lineOf(s, n)
			l.Gap = i > 0 && n > s.Lines[i-1]+1
			fr.Lines = append(fr.Lines, l)
		}
		out = append(out, fr)
	}
	return out
}

// stretch is the part of a line that a span covers, in bytes.
type stretch struct {
	from, to int
	label    snippet.Label
}

// lineOf is a line with the spans on it, and the labels of those that end on it.
func lineOf(s *snippet.Snippet, n int) line {
	raw := string(s.File.Line(n))
	var covers []stretch
	for _, l := range s.Labels {
		if n < l.Line || n > l.EndLine {
			continue
		}
		c := stretch{0, len(raw), l}
		if n == l.Line {
			c.from = min(l.Start, len(raw))
		} else { // a span over several lines covers no indentation
			c.from = len(raw) - len(strings.TrimLeft(raw, " \t"))
		}
		if n == l.EndLine {
			c.to = min(max(l.End, c.from), len(raw))
		}
		covers = append(covers, c)
	}
	from, to := window(raw, covers)
	out := line{Number: n, Pieces: pieces(raw, from, to, covers)}
	ends := slices.DeleteFunc(slices.Clone(covers), func(c stretch) bool { return c.label.EndLine != n || c.label.Text == "" })
	slices.SortStableFunc(ends, func(a, b stretch) int { return cmp.Compare(b.from, a.from) })
	for _, c := range ends {
		out.Labels = append(out.Labels, label{Before: clean(raw[from:max(from, min(c.from, to))]), Text: c.label.Text, Class: class(c.label.Strong)})
	}
	return out
}

const (
	// maxLine is how many bytes of a line are shown whole; of a longer one, such as minified JSON, what lies around its spans.
	maxLine = 300
	around  = 80
)

// window is which bytes of a line are shown, cut between characters.
func window(raw string, covers []stretch) (from, to int) {
	if len(raw) <= maxLine {
		return 0, len(raw)
	}
	lo, hi := len(raw), 0
	for _, c := range covers {
		lo, hi = min(lo, c.from), max(hi, c.to)
	}
	if len(covers) == 0 {
		lo, hi = 0, 0
	}
	from, to = max(0, lo-around), min(len(raw), max(hi+around, lo-around+maxLine))
	to = min(to, from+3*maxLine)
	for from > 0 && from < len(raw) && !utf8.RuneStart(raw[from]) {
		from--
	}
	for to < len(raw) && !utf8.RuneStart(raw[to]) {
		to++
	}
	return from, to
}

// pieces cuts a line at the ends of its spans. Where spans lie upon one another a strong one wins.
func pieces(raw string, from, to int, covers []stretch) []piece {
	cuts := []int{from, to}
	for _, c := range covers {
		for _, at := range []int{c.from, c.to} {
			if at > from && at < to {
				cuts = append(cuts, at)
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var out []piece
	if from > 0 {
		out = append(out, piece{Text: "…"})
	}
	for i := 1; i < len(cuts); i++ {
		p := piece{Text: clean(raw[cuts[i-1]:cuts[i]])}
		for _, c := range covers {
			if c.from <= cuts[i-1] && cuts[i] <= c.to && p.Class != "strong" {
				p.Class = class(c.label.Strong)
			}
		}
		out = append(out, p)
	}
	if to < len(raw) {
		out = append(out, piece{Text: "…"})
	}
	return out
}

func class(strong bool) string {
	if strong {
		return "strong"
	}
	return "weak"
}

// clean is source text without what moves a cursor; tabs stay, the page sets them.
func clean(s string) string {
	parts := strings.Split(strings.ToValidUTF8(s, "\ufffd"), "\t")
	for i, p := range parts {
		parts[i] = report.Printable(p)
	}
	return strings.Join(parts, "\t")
}
