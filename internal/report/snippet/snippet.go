// Package snippet chooses what a finding shows of the source: which files, which lines of them, and where its labels stand, for
// every format that draws frames.
package snippet

import (
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/source"
)

// Label is a span of one file in lines and bytes within its lines.
type Label struct {
	Line, EndLine int // 1-based
	Start, End    int // byte offsets within Line and EndLine
	Text          string
	Strong        bool
}

// Snippet is what a frame shows of one file.
type Snippet struct {
	Path   string
	File   *source.File // nil where it cannot be read
	Place  report.Place
	Labels []Label
	Lines  []int
}

// Of are the files of a finding: that of the primary span first, the others in the order of the labels.
func Of(set *source.Set, f lint.Finding) []*Snippet {
	primary := f.Primary
	primary.Strong = true
	var out []*Snippet
	strong := map[*Snippet]bool{}
	for _, l := range append([]lint.Label{primary}, f.Labels...) {
		if l.Span.IsZero() {
			continue
		}
		i := slices.IndexFunc(out, func(s *Snippet) bool { return s.Path == l.Span.File })
		if i < 0 {
			s := &Snippet{Path: l.Span.File, Place: report.PlaceOf(set, l.Span)}
			if set != nil {
				s.File, _ = set.Get(s.Path) // an unreadable file is named without a frame
			}
			out, i = append(out, s), len(out)
		}
		s := out[i]
		if l.Strong && !strong[s] {
			s.Place = report.PlaceOf(set, l.Span)
			strong[s] = true
		}
		if s.File != nil {
			s.add(l)
		}
	}
	for _, s := range out {
		s.chooseLines()
	}
	return out
}

// add converts a label. A span that ends at the start of a line ends before the line break.
func (s *Snippet) add(l lint.Label) {
	f := s.File
	start := max(0, min(l.Span.Start, len(f.Data)))
	end := max(start, min(l.Span.End, len(f.Data)))
	for end > start && (f.Data[end-1] == '\n' || f.Data[end-1] == '\r' || f.Data[end-1] == ' ') {
		end--
	}
	n := Label{Line: f.LineNumber(start), Text: report.Printable(l.Text), Strong: l.Strong}
	n.EndLine = f.LineNumber(max(start, end-1))
	n.Start = max(0, start-f.Offset(n.Line, 1))
	n.End = max(0, end-f.Offset(n.EndLine, 1))
	s.Labels = append(s.Labels, n)
}

// maxInner is how many inner lines of a span over several lines are shown after its first.
const maxInner = 1

func (s *Snippet) chooseLines() {
	if s.File == nil {
		return
	}
	want := map[int]bool{}
	for _, l := range s.Labels {
		want[l.Line], want[l.EndLine] = true, true
		for n := l.Line + 1; n <= min(l.EndLine, l.Line+maxInner); n++ {
			want[n] = true
		}
		for _, n := range parents(s.File, l.Line) {
			want[n] = true
		}
	}
	for n := range want {
		s.Lines = append(s.Lines, n)
		if want[n+2] && !want[n+1] { // one line takes no more room than the dots
			s.Lines = append(s.Lines, n+1)
		}
	}
	slices.Sort(s.Lines)
	s.Lines = slices.Compact(s.Lines)
}
