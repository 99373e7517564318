package snippet

import (
	"bytes"
	"path"
	"slices"

	"github.com/probelint/probelint/internal/source"
)

// maxParents is how many parent keys of a YAML line are shown.
const maxParents = 4

// parents are the lines of the keys that a line of YAML lies under, nearest first, up to the list of containers: without
// them `path: /healthz` does not say whose path it is. Indentation is enough here; a frame is drawn of broken files too.
func parents(f *source.File, line int) []int {
	if !slices.Contains([]string{".yaml", ".yml", ".json", ".tpl"}, path.Ext(f.Path)) && f.Path != "<stdin>" {
		return nil
	}
	var out []int
	col, item, ok := indent(f.Line(line))
	if !ok {
		return nil
	}
	for n := line - 1; n >= 1 && len(out) < maxParents; n-- {
		text := f.Line(n)
		if bytes.HasPrefix(text, []byte("---")) {
			break
		}
		c, isItem, ok := indent(text)
		if !ok {
			continue
		}
		switch {
		case c < col && isItem && !item && innerColumn(text, c) == col:
			col, item = c, true // the first key of the list item that this line belongs to: a sibling
		case c < col, c == col && item && !isItem: // a list may stand at the column of its key
			col, item = c, isItem
			if key := bytes.TrimLeft(text[c:], "- \"'"); bytes.Contains(key, []byte(":")) {
				out = append(out, n)
				if isContainerList(key) {
					return out
				}
			}
		}
	}
	return out
}

// indent is the column of a line's first character and whether that is the dash of a list item; not ok for blank lines and
// comments.
func indent(line []byte) (col int, item, ok bool) {
	rest := bytes.TrimLeft(line, " ")
	if len(rest) == 0 || rest[0] == '#' || rest[0] == '\t' || rest[0] == '\r' {
		return 0, false, false
	}
	return len(line) - len(rest), rest[0] == '-' && (len(rest) == 1 || rest[1] == ' '), true
}

func innerColumn(line []byte, dash int) int {
	rest := line[dash+1:]
	return dash + 1 + len(rest) - len(bytes.TrimLeft(rest, " "))
}

func isContainerList(key []byte) bool {
	for _, name := range []string{"containers", "initContainers", "ephemeralContainers"} {
		if rest, ok := bytes.CutPrefix(key, []byte(name)); ok && bytes.HasPrefix(bytes.TrimLeft(rest, "\"'"), []byte(":")) {
			return true
		}
	}
	return false
}
