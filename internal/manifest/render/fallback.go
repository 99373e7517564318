package render

import (
	"bytes"
	"regexp"

	"github.com/probelint/probelint/internal/model"
)

var keyOfLine = regexp.MustCompile(`^[ \t]*(?:- +)*"?([A-Za-z0-9_][A-Za-z0-9_./-]*)"?:(?:[ \t\r]|$)`)

// nearest is the place of a range of a text that has no marks: the key of its line where the template holds that key once,
// else the nearest key that encloses it and stands there once, else the start of the file.
func (o *origins) nearest(off int) model.Span {
	off = max(0, min(off, len(o.text)))
	text := []byte(o.text)
	start := bytes.LastIndexByte(text[:off], '\n') + 1
	depth := -1
	for start >= 0 {
		end := len(text)
		if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := text[start:end]
		if m := keyOfLine.FindSubmatchIndex(line); m != nil && (depth < 0 || m[2] < depth) {
			depth = m[2]
			if at, ok := o.once(line[m[2]:m[3]]); ok {
				return at
			}
		}
		if start == 0 || bytes.HasPrefix(line, []byte("---")) {
			break
		}
		start = bytes.LastIndexByte(text[:start-1], '\n') + 1
	}
	return o.whole
}

// once finds a key that stands on one line of the template alone.
func (o *origins) once(key []byte) (model.Span, bool) {
	found := -1
	data := o.file.Data
	for at := 0; at < len(data); {
		next := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		if m := keyOfLine.FindSubmatchIndex(bytes.TrimRight(data[at:next], "\r\n")); m != nil && bytes.Equal(data[at+m[2]:at+m[3]], key) {
			if found >= 0 {
				return model.Span{}, false
			}
			found = at + m[2]
		}
		at = next
	}
	if found < 0 {
		return model.Span{}, false
	}
	return o.file.Span(found, found+len(key)), true
}
