package manifest

import (
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// isKey reports whether a key and its colon begin at pos.
func (f *fast) isKey() bool {
	switch c := f.s[f.pos]; c {
	case '"', '\'':
		line, start, pos := f.line, f.start, f.pos
		f.quoted(c)
		is := f.pos < len(f.s) && f.s[f.pos] == ':'
		f.line, f.start, f.pos = line, start, pos
		return is
	case '[', '{':
		return false
	}
	i := f.pos
	for i < len(f.s) && isWordByte(f.s[i]) {
		i++
	}
	return i > f.pos && i < len(f.s) && f.s[i] == ':' && (i+1 == len(f.s) || f.s[i+1] == ' ' || f.s[i+1] == '\n')
}

// isWordByte are the characters of keys that need no thought.
func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == '/' || c == '$'
}

// key reads a key up to its colon.
func (f *fast) key() *yaml.Node {
	const longest = 256
	if !f.isKey() {
		f.fail()
	}
	at := f.pos
	var n *yaml.Node
	switch c := f.s[f.pos]; c {
	case '"', '\'':
		n = f.node(yaml.ScalarNode, "!!str", "", quoteStyle(c), at)
		n.Value = f.quoted(c)
		if f.pos+1 < len(f.s) && f.s[f.pos+1] != ' ' && f.s[f.pos+1] != '\n' {
			f.fail()
		}
	default:
		for isWordByte(f.s[f.pos]) {
			f.pos++
		}
		word := f.s[at:f.pos]
		if word[0] == '-' || word[0] == '.' {
			f.fail()
		}
		n = f.node(yaml.ScalarNode, f.tag(word), word, 0, at)
	}
	if f.pos-at > longest {
		f.fail()
	}
	return n
}

func quoteStyle(c byte) yaml.Style {
	if c == '"' {
		return yaml.DoubleQuotedStyle
	}
	return yaml.SingleQuotedStyle
}

// quoted reads a quoted scalar of one line.
func (f *fast) quoted(c byte) string {
	f.pos++
	from := f.pos
	if c == '\'' {
		for {
			i := strings.IndexByte(f.s[f.pos:], '\'')
			if i < 0 {
				f.fail()
			}
			f.pos += i + 1
			if f.pos < len(f.s) && f.s[f.pos] == '\'' {
				f.pos++
				continue
			}
			v := f.s[from : f.pos-1]
			if strings.IndexByte(v, '\n') >= 0 {
				f.fail()
			}
			if strings.Contains(v, "''") {
				v = strings.ReplaceAll(v, "''", "'")
			}
			return v
		}
	}
	i := strings.IndexAny(f.s[f.pos:], "\"\\\n")
	if i < 0 || f.s[f.pos+i] != '"' {
		f.fail()
	}
	f.pos += i + 1
	return f.s[from : f.pos-1]
}

// value reads a scalar or a flow collection that begins at pos, up to its end.
func (f *fast) value() *yaml.Node {
	at := f.pos
	switch c := f.s[at]; c {
	case '"', '\'':
		n := f.node(yaml.ScalarNode, "!!str", "", quoteStyle(c), at)
		n.Value = f.quoted(c)
		return n
	case '[', '{':
		return f.flow(1)
	case '&', '*', '!', '|', '>', '%', '@', '`', '?', ':', ',', ']', '}', '#':
		f.fail()
	}
	end := at
	for end < len(f.s) && f.s[end] != '\n' {
		switch f.s[end] {
		case ':':
			if end+1 == len(f.s) || f.s[end+1] == ' ' || f.s[end+1] == '\n' {
				f.fail()
			}
		case '#':
			if f.s[end-1] == ' ' {
				f.pos = end
				return f.plain(at, end)
			}
		}
		end++
	}
	return f.plain(at, end)
}

func (f *fast) plain(at, end int) *yaml.Node {
	for end > at && f.s[end-1] == ' ' {
		end--
	}
	if end == at {
		f.fail()
	}
	f.pos = end
	v := f.s[at:end]
	return f.node(yaml.ScalarNode, f.tag(v), v, 0, at)
}

// flow reads a flow collection of one line.
func (f *fast) flow(depth int) *yaml.Node {
	if depth > fastDepth {
		f.fail()
	}
	open := f.s[f.pos]
	kind, tag, closing := yaml.MappingNode, "!!map", byte('}')
	if open == '[' {
		kind, tag, closing = yaml.SequenceNode, "!!seq", ']'
	}
	n := f.node(kind, tag, "", yaml.FlowStyle, f.pos)
	f.pos++
	f.blanks()
	if f.peek() == closing {
		f.pos++
		return n
	}
	for {
		if kind == yaml.MappingNode {
			k := f.flowScalar()
			if f.peek() != ':' || f.pos+1 >= len(f.s) || f.s[f.pos+1] != ' ' {
				f.fail()
			}
			f.pos++
			f.blanks()
			n.Content = append(n.Content, k)
		}
		switch f.peek() {
		case '[', '{':
			n.Content = append(n.Content, f.flow(depth+1))
		default:
			n.Content = append(n.Content, f.flowScalar())
		}
		f.blanks()
		switch f.peek() {
		case closing:
			f.pos++
			return n
		case ',':
			f.pos++
			if f.peek() != ' ' {
				f.fail()
			}
			f.blanks()
		default:
			f.fail()
		}
	}
}

// peek is the character at pos; the end of the line is given up.
func (f *fast) peek() byte {
	if f.pos >= len(f.s) || f.s[f.pos] == '\n' {
		f.fail()
	}
	return f.s[f.pos]
}

// flowScalar reads a quoted scalar, or a plain one of characters that mean nothing in flow context.
func (f *fast) flowScalar() *yaml.Node {
	at := f.pos
	switch c := f.peek(); {
	case c == '"' || c == '\'':
		n := f.node(yaml.ScalarNode, "!!str", "", quoteStyle(c), at)
		n.Value = f.quoted(c)
		return n
	case !isWordByte(c) || c == '-' || c == '.':
		f.fail()
	}
	for f.pos < len(f.s) && (isWordByte(f.s[f.pos]) || f.s[f.pos] == ':' && f.pos+1 < len(f.s) && isWordByte(f.s[f.pos+1])) {
		f.pos++
	}
	v := f.s[at:f.pos]
	return f.node(yaml.ScalarNode, f.tag(v), v, 0, at)
}

// tag is the tag of a plain scalar. What is not plain to see is asked of the general parser.
func (f *fast) tag(v string) string {
	c := v[0]
	switch {
	case c >= '0' && c <= '9':
		i := 1
		for i < len(v) && v[i] >= '0' && v[i] <= '9' {
			i++
		}
		switch rest := v[i:]; rest {
		case "":
			if i <= 18 && (c != '0' || i == 1) {
				return "!!int"
			}
		case "m", "Ki", "Mi", "Gi", "Ti", "s":
			return "!!str"
		}
	case c == '-' || c == '+' || c == '.' || c == '~' || c == '<' || c == '=':
	default:
		switch v {
		case "true", "True", "TRUE", "false", "False", "FALSE":
			return "!!bool"
		case "null", "Null", "NULL":
			return "!!null"
		}
		return "!!str"
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(v), &n); err != nil || n.Kind != yaml.DocumentNode || n.Content[0].Kind != yaml.ScalarNode || n.Content[0].Value != v {
		f.fail()
	}
	return n.Content[0].Tag
}
