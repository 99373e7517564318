package render

import (
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// mark is where what follows a mark came from.
type mark struct {
	file *source.File
	kind markKind
	// text: offset and length of the text that is copied as it stands. action: the action, from `{{` to `}}`.
	start, end int
	// value: the length of the key as rendered, and the places of key and value; key is zero for an item of a list.
	keyLength  int
	key, value model.Span
}

type markKind uint8

const (
	textMark markKind = iota
	actionMark
	valueMark
)

// origins leads from a rendered text back to where it came from.
type origins struct {
	text  string
	marks []placed // in the order of the text; several at one offset from the outermost to the innermost
	of    []mark
	file  *source.File // the template, for what no mark leads to
	// whole is the place of what no mark leads to.
	whole model.Span
}

// piece is the range of an input file that one offset of the rendered text leads to. exact: the offset is start itself and what
// follows up to end is the same text.
type piece struct {
	file       *source.File
	start, end int
	exact      bool
	span       model.Span // of a value; the rest is then unset
}

// at finds the piece for an offset.
func (o *origins) at(off int) (piece, bool) {
	i := before(o.marks, off)
	if i == 0 {
		return piece{}, false
	}
	at := o.marks[i-1].off
	first := i - 1
	for first > 0 && o.marks[first-1].off == at {
		first--
	}
	chosen := o.marks[i-1].id
	if first < i-1 && !o.startsLine(at) {
		// A value in the middle of a line belongs to the action on that line, not to the helper that printed it.
		chosen = o.marks[first].id
	}
	m := o.of[chosen]
	d := off - at
	switch m.kind {
	case textMark:
		if d < m.end-m.start && off < len(o.text) && m.file.Data[m.start+d] == o.text[off] {
			return piece{file: m.file, start: m.start + d, end: m.end, exact: true}, true
		}
		// Line ends and blanks behind the text, or what a function did to it.
		return piece{file: m.file, start: m.end - 1, end: m.end}, true
	case valueMark:
		if d < m.keyLength {
			return piece{span: m.key}, true
		}
		return piece{span: m.value}, true
	}
	return piece{file: m.file, start: m.start, end: m.end}, true
}

// startsLine reports whether only blanks and list dashes stand before off on its line.
func (o *origins) startsLine(off int) bool {
	for i := off - 1; i >= 0; i-- {
		switch o.text[i] {
		case ' ', '\t', '-':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// span is the place that a range came from.
func (o *origins) span(start, end int) model.Span {
	start = max(0, min(start, len(o.text)))
	end = max(start, min(end, len(o.text)))
	from, ok := o.at(start)
	if !ok {
		return o.nearest(start)
	}
	if from.file == nil {
		return from.span
	}
	if end > start {
		to, ok := o.at(end - 1)
		if ok && to.file == from.file && from.file != nil {
			last := to.end
			if to.exact {
				last = to.start + 1
			}
			if last > from.start && (!from.exact || to.exact || to.start >= from.start) {
				return from.file.Span(from.start, last)
			}
		}
	}
	last := from.end
	if from.exact {
		last = min(from.end, from.start+end-start)
	}
	return from.file.Span(from.start, max(last, from.start))
}
