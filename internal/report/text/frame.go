package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/source"
)

// label is a span of one file in lines and bytes within its lines.
type label struct {
	line, endLine int // 1-based
	start, end    int // byte offsets within line and endLine
	text          string
	strong        bool
}

// snippet is what a frame shows of one file.
type snippet struct {
	path   string
	file   *source.File // nil where it cannot be read
	place  report.Place
	labels []label
	lines  []int
}

// frame writes one finding with its source.
func (p *printer) frame(f lint.Finding) {
	p.line(p.heading(f))
	snippets := p.snippets(f)
	gutter := 0
	for _, s := range snippets {
		for _, n := range s.lines {
			gutter = max(gutter, len(strconv.Itoa(n)))
		}
	}
	gutter = max(gutter, 1)
	pad := strings.Repeat(" ", gutter)
	bar := p.paint(blue, pad+" |")
	for i, s := range snippets {
		arrow := "-->"
		if i > 0 {
			arrow = ":::"
		}
		p.line(p.paint(blue, pad+arrow) + fmt.Sprintf(" %s:%d:%d", report.Printable(s.path), s.place.Line, s.place.Column))
		if len(s.lines) > 0 {
			p.line(bar)
			p.draw(s, gutter, styleOf(f.Level))
		}
		if len(s.lines) > 0 || i == len(snippets)-1 {
			p.line(bar)
		}
	}
	if also := unseen(f.Probes, snippets); len(also) > 0 {
		p.prose(pad, "also", probeList(also))
	}
	for _, n := range f.Notes {
		p.prose(pad, "note", n)
	}
	if f.Help != "" {
		p.prose(pad, "help", f.Help)
	}
	for _, x := range f.Fixes {
		p.prose(pad, "fix", x.Title)
	}
	if f.Suppressed != nil {
		p.prose(pad, "suppressed", report.SuppressedBy(f.Suppressed))
	}
	p.prose(pad, "docs", "probelint explain "+f.Rule)
}

// prose writes `   = note: ...`, continued under its own first word.
func (p *printer) prose(pad, name, s string) {
	head := pad + " = " + name + ": "
	width := max(min(p.width, proseWidth)-len(head), 20)
	for i, l := range wrap(report.Printable(s), width) {
		if i == 0 {
			p.line(p.paint(blue, pad+" = ") + p.paint(bold, name+":") + " " + l)
			continue
		}
		p.line(strings.Repeat(" ", len(head)) + l)
	}
}

// unseen are the probes of a finding that no frame shows: those of other manifests with the same cause.
func unseen(refs []lint.ProbeRef, snippets []*snippet) []lint.ProbeRef {
	if len(refs) < 2 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r lint.ProbeRef) bool {
		return slices.ContainsFunc(snippets, func(s *snippet) bool { return s.path == r.File && slices.Contains(s.lines, r.Line) })
	})
}

// maxProbes is how many probes a finding names.
const maxProbes = 6

func probeList(refs []lint.ProbeRef) string {
	var parts []string
	for _, r := range refs[:min(len(refs), maxProbes)] {
		parts = append(parts, fmt.Sprintf("%s %s of `%s` (%s:%d)", r.Workload, r.Role, r.Container, r.File, r.Line))
	}
	s := strings.Join(parts, ", ")
	if n := len(refs) - maxProbes; n > 0 {
		s += fmt.Sprintf(", and %d more", n)
	}
	return s
}

// snippets are the files of a finding: that of the primary span first, the others in the order of the labels.
func (p *printer) snippets(f lint.Finding) []*snippet {
	primary := f.Primary
	primary.Strong = true
	var out []*snippet
	strong := map[*snippet]bool{}
	for _, l := range append([]lint.Label{primary}, f.Labels...) {
		if l.Span.IsZero() {
			continue
		}
		i := slices.IndexFunc(out, func(s *snippet) bool { return s.path == l.Span.File })
		if i < 0 {
			s := &snippet{path: l.Span.File, place: report.PlaceOf(p.in.Set, l.Span)}
			if p.in.Set != nil {
				s.file, _ = p.in.Set.Get(s.path) // an unreadable file is named without a frame
			}
			out, i = append(out, s), len(out)
		}
		s := out[i]
		if l.Strong && !strong[s] {
			s.place = report.PlaceOf(p.in.Set, l.Span)
			strong[s] = true
		}
		if s.file != nil {
			s.add(l)
		}
	}
	for _, s := range out {
		s.chooseLines()
	}
	return out
}

// add converts a label. A span that ends at the start of a line ends before the line break.
func (s *snippet) add(l lint.Label) {
	f := s.file
	start := max(0, min(l.Span.Start, len(f.Data)))
	end := max(start, min(l.Span.End, len(f.Data)))
	for end > start && (f.Data[end-1] == '\n' || f.Data[end-1] == '\r' || f.Data[end-1] == ' ') {
		end--
	}
	n := label{line: f.LineNumber(start), text: report.Printable(l.Text), strong: l.Strong}
	n.endLine = f.LineNumber(max(start, end-1))
	n.start = max(0, start-f.Offset(n.line, 1))
	n.end = max(0, end-f.Offset(n.endLine, 1))
	s.labels = append(s.labels, n)
}

// maxInner is how many inner lines of a span over several lines are shown after its first.
const maxInner = 1

func (s *snippet) chooseLines() {
	if s.file == nil {
		return
	}
	want := map[int]bool{}
	for _, l := range s.labels {
		want[l.line], want[l.endLine] = true, true
		for n := l.line + 1; n <= min(l.endLine, l.line+maxInner); n++ {
			want[n] = true
		}
		for _, n := range parents(s.file, l.line) {
			want[n] = true
		}
	}
	for n := range want {
		s.lines = append(s.lines, n)
		if want[n+2] && !want[n+1] { // one line takes no more room than the dots
			s.lines = append(s.lines, n+1)
		}
	}
	slices.Sort(s.lines)
	s.lines = slices.Compact(s.lines)
}
