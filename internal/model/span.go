package model

import "strings"

// Span is a range of bytes in one file. Bytes are kept inside the program; package source converts them to lines and
// columns at the edge.
type Span struct {
	// File is slash-separated and relative to the root of the run (see DESIGN.md, "JSON").
	File string
	// Start and End are byte offsets into the file as it lies on disk, End exclusive.
	Start, End int
	// Line is the 1-based line of Start.
	Line int
}

// IsZero reports whether the span points nowhere.
func (s Span) IsZero() bool { return s.File == "" }

// Field is where one key of a manifest stands, and its value. For a sequence item Key equals Value.
type Field struct{ Key, Value Span }

// Fields maps a dotted path below an object to its place: "httpGet.path", "periodSeconds", "ports[0].name". Paths use the
// YAML spelling of the Kubernetes API.
type Fields map[string]Field

// Value returns the span of the value at path, or else the nearest parent's, or else fallback.
func (f Fields) Value(path string, fallback Span) Span {
	for p := path; p != ""; p = parentPath(p) {
		if at, ok := f[p]; ok {
			return at.Value
		}
	}
	return fallback
}

// Key returns the span of the key at path, or else the nearest parent's, or else fallback.
func (f Fields) Key(path string, fallback Span) Span {
	for p := path; p != ""; p = parentPath(p) {
		if at, ok := f[p]; ok {
			return at.Key
		}
	}
	return fallback
}

// First is the key of the first field directly below a mapping, zero where it has none.
func (f Fields) First(path string) Span {
	var first Span
	for p, at := range f {
		// a key of a label or annotation has dots of its own
		rest, below := strings.CutPrefix(p, path+".")
		if !below || strings.HasSuffix(p, "]") || at.Key == at.Value {
			continue
		}
		if _, deeper := f[path+"."+parentPath(rest)]; deeper && parentPath(rest) != "" {
			continue
		}
		if first.IsZero() || at.Key.Start < first.Start {
			first = at.Key
		}
	}
	return first
}

func parentPath(p string) string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '.' || p[i] == '[' {
			return p[:i]
		}
	}
	return ""
}
