package manifest

import (
	"bytes"
	"sort"
	"strconv"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
)

// offset turns a position of the parser into a byte offset of the file. The parser counts lines within the piece and
// columns in code points.
func (d *document) offset(line, column int) int {
	if d.breaks == nil {
		return d.file.Offset(d.line+line-1, column)
	}
	line = max(1, min(line, len(d.breaks)))
	off := d.breaks[line-1]
	for i := 1; i < column && off < len(d.text); i++ {
		_, n := utf8.DecodeRune(d.text[off:])
		off += n
	}
	return d.start + off
}

// yamlLines are the offsets of the lines of a text as YAML 1.1 counts them: next line, line separator and paragraph
// separator end a line too.
func yamlLines(text []byte) []int {
	lines := []int{0}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		i += n
		switch r {
		case '\r':
			if i < len(text) && text[i] == '\n' {
				i++
			}
			lines = append(lines, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			lines = append(lines, i)
		}
	}
	return lines
}

// lineOf is the number in the file of a byte offset's line.
func (d *document) span(start, end int) model.Span {
	return d.file.Span(start, end)
}

// keySpan is the text of a key.
func (d *document) keySpan(key *yaml.Node) model.Span {
	start := d.textStart(key)
	return d.span(start, d.scalarEnd(key, start, 0))
}

// valueSpan is the text of a value: a scalar with its quotes, a block scalar with its indicator, a collection from its
// first to its last character, an alias as written. A value that is not written has its key's span.
func (d *document) valueSpan(key, value *yaml.Node) model.Span {
	if value.Kind == yaml.ScalarNode && value.Value == "" && value.Style&^yaml.TaggedStyle == 0 {
		if key != nil {
			return d.keySpan(key)
		}
		start := d.offset(value.Line, value.Column)
		return d.span(start, start)
	}
	start := d.textStart(value)
	indent := 0
	if key != nil {
		indent = key.Column
	}
	return d.span(start, d.end(value, start, indent))
}

func (d *document) field(key, value *yaml.Node) model.Field {
	return model.Field{Key: d.keySpan(key), Value: d.valueSpan(key, value)}
}

// textStart is where the text of a node begins, behind its anchor and tag.
func (d *document) textStart(n *yaml.Node) int {
	off := d.offset(n.Line, n.Column)
	data := d.file.Data
	// No text begins with these two. The parser does not say of the tag `!` alone that it is there.
	if off >= len(data) || data[off] != '&' && data[off] != '!' {
		return off
	}
	for off < len(data) {
		switch data[off] {
		case '&', '!':
			for off < len(data) && !isBlank(data[off]) {
				off++
			}
		case ' ', '\t', '\n', '\r':
			off++
		case '#':
			for off < len(data) && data[off] != '\n' && data[off] != '\r' {
				off++
			}
		default:
			return off
		}
	}
	return off
}

// end is where the text of a node ends that begins at start. indent is the column of the key, for block scalars that
// state their indentation.
func (d *document) end(n *yaml.Node, start, indent int) int {
	switch n.Kind {
	case yaml.AliasNode:
		return min(len(d.file.Data), start+1+len(n.Value))
	case yaml.MappingNode, yaml.SequenceNode:
		content := n.Content
		if w, ok := d.written[n]; ok {
			content = w
		}
		end := start
		if len(content) > 0 {
			last := content[len(content)-1]
			key := 0
			if n.Kind == yaml.MappingNode {
				k := content[len(content)-2]
				key = k.Column
				at := d.textStart(k)
				end = max(end, d.scalarEnd(k, at, 0))
				if last.Kind == yaml.ScalarNode && last.Value == "" && last.Style&^yaml.TaggedStyle == 0 {
					end = d.colon(end)
					last = nil
				}
			}
			if last != nil {
				end = max(end, d.end(last, d.textStart(last), key))
			}
		}
		if n.Style&yaml.FlowStyle != 0 {
			return d.closing(n, start, end)
		}
		return end
	}
	return d.scalarEnd(n, start, indent)
}

// colon is the offset behind the colon that follows a key's end.
func (d *document) colon(off int) int {
	data := d.file.Data
	for i := off; i < len(data); i++ {
		switch data[i] {
		case ' ', '\t':
		case ':':
			return i + 1
		default:
			return off
		}
	}
	return off
}

// closing finds the bracket that closes a flow collection, from the end of its last member.
func (d *document) closing(n *yaml.Node, start, end int) int {
	want := byte('}')
	if n.Kind == yaml.SequenceNode {
		want = ']'
	}
	data := d.file.Data
	i := end
	if i == start {
		i++
	}
	for ; i < len(data); i++ {
		switch data[i] {
		case want:
			return i + 1
		case '#':
			if isBlank(data[i-1]) {
				for i+1 < len(data) && data[i+1] != '\n' && data[i+1] != '\r' {
					i++
				}
			}
		}
	}
	return end
}

// scalarEnd is where the text of a scalar ends that begins at start.
func (d *document) scalarEnd(n *yaml.Node, start, indent int) int {
	data := d.file.Data
	if start >= len(data) {
		return len(data)
	}
	if n.Kind == yaml.AliasNode {
		return min(len(data), start+1+len(n.Value))
	}
	switch n.Style &^ (yaml.TaggedStyle | yaml.FlowStyle) {
	case yaml.DoubleQuotedStyle:
		for i := start + 1; i < len(data); i++ {
			if data[i] == '\\' {
				i++
			} else if data[i] == '"' {
				return i + 1
			}
		}
		return len(data)
	case yaml.SingleQuotedStyle:
		for i := start + 1; i < len(data); i++ {
			if data[i] != '\'' {
				continue
			}
			if i+1 < len(data) && data[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
		return len(data)
	case yaml.LiteralStyle, yaml.FoldedStyle:
		return d.blockEnd(start, indent)
	}
	return plainEnd(data, start, n.Value)
}

// plainEnd matches the value of a plain scalar against the text: the same characters, but for line folding.
func plainEnd(data []byte, start int, value string) int {
	if bytes.HasPrefix(data[start:], []byte(value)) {
		return start + len(value)
	}
	i := start
	for v := 0; v < len(value); {
		if i >= len(data) {
			return len(data)
		}
		if value[v] == ' ' || value[v] == '\n' || value[v] == '\t' {
			for v < len(value) && (value[v] == ' ' || value[v] == '\n' || value[v] == '\t') {
				v++
			}
			for n := blankAt(data[i:]); n > 0; n = blankAt(data[i:]) {
				i += n
			}
			continue
		}
		if data[i] != value[v] {
			return i
		}
		i++
		v++
	}
	return i
}

// blankAt is the length of the white space that a text begins with: one blank, or a line break of YAML 1.1.
func blankAt(text []byte) int {
	if len(text) == 0 {
		return 0
	}
	switch {
	case isBlank(text[0]):
		return 1
	case bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	}
	return 0
}

// blockEnd is the end of the last line of a block scalar whose indicator stands at start.
func (d *document) blockEnd(start, keyColumn int) int {
	data := d.file.Data
	head, next := lineAt(data, start)
	end := start + len(bytes.TrimRight(cutComment(head), " \t"))
	indent := -1
	for _, c := range cutComment(head) {
		if c >= '1' && c <= '9' {
			n, _ := strconv.Atoi(string(c))
			indent = max(0, keyColumn-1) + n
		}
	}
	limit := d.start + len(d.text)
	for next < min(len(data), limit) {
		line, after := lineAt(data, next)
		body := bytes.TrimLeft(line, " ")
		if len(bytes.TrimLeft(body, "\t")) > 0 {
			have := len(line) - len(body)
			if indent < 0 {
				if have < 1 || have < keyColumn-1 {
					return end
				}
				indent = have
			}
			if have < indent {
				return end
			}
			end = next + len(line)
		}
		next = after
	}
	return end
}

func cutComment(head []byte) []byte {
	if i := bytes.IndexByte(head, '#'); i >= 0 {
		return head[:i]
	}
	return head
}

// lineAt is the rest of the line from off, without its end, and the offset of the next line.
func lineAt(data []byte, off int) (line []byte, next int) {
	n := bytes.IndexAny(data[off:], "\n\r")
	if n < 0 {
		return data[off:], len(data)
	}
	next = off + n + 1
	if data[off+n] == '\r' && next < len(data) && data[next] == '\n' {
		next++
	}
	return data[off : off+n], next
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// byStart sorts spans by their place.
func byStart(s []model.Invalid) {
	sort.SliceStable(s, func(i, j int) bool {
		if s[i].Rejected != s[j].Rejected {
			return s[i].Rejected
		}
		return s[i].Span.Start < s[j].Span.Start
	})
}
