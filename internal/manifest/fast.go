package manifest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
)

// Most manifests use a small part of YAML: block mappings and sequences, scalars of one line, flow collections of one line.
// parseFast reads that part several times faster than the general parser, and gives up at anything else: tabs, CR, anchors,
// aliases, tags, block scalars, scalars of several lines, directives, and whatever is not certainly right. Where it does not
// give up, its tree is that of the general parser but for comments and the places of values that are not written; a test
// holds it to that over generated and fuzzed text.
type fast struct {
	s     string
	pos   int // the next byte
	line  int // its line, from 1
	start int // offset of the line
	wide  bool
	nodes []yaml.Node
	arena *arena
}

// arena holds the nodes of the file at hand; those of one file take the place of those of the one before. nil makes new ones.
type arena struct {
	chunks [][]yaml.Node
	used   int
}

// arenaChunk is how many nodes are made at once.
const arenaChunk = 64

func (a *arena) chunk() []yaml.Node {
	if a == nil {
		return make([]yaml.Node, 0, arenaChunk)
	}
	if a.used == len(a.chunks) {
		a.chunks = append(a.chunks, make([]yaml.Node, 0, arenaChunk))
	}
	a.used++
	return a.chunks[a.used-1][:0]
}

// reset begins a file. An arena that a large file has made large is let go.
func (a *arena) reset() {
	const most = 200
	a.used = 0
	if len(a.chunks) > most {
		a.chunks = nil
	}
}

// giveUp is what the fast parser panics with; it leaves parseFast as its second result.
type giveUp struct{}

const fastDepth = 60

// parseFast parses the text of one document. ok is false where the general parser has to read it.
func parseFast(a *arena, text []byte) (root *yaml.Node, ok bool) {
	f := &fast{line: 1, arena: a}
	if !f.plainText(text) {
		return nil, false
	}
	f.s = string(text)
	defer func() {
		if v := recover(); v != nil {
			if _, is := v.(giveUp); !is {
				panic(v)
			}
			root, ok = nil, false
		}
	}()
	if rest, is := strings.CutPrefix(f.s, "---"); is {
		if n := len(rest) - len(strings.TrimLeft(rest, " ")); n == 0 && rest != "" && rest[0] != '\n' {
			return nil, false
		}
		f.pos = 3
		f.endOfLine()
	}
	indent := f.next()
	if indent < 0 {
		return nil, false // nothing: leave the decision what that means to the general parser
	}
	root = f.block(indent, 1)
	if f.next() >= 0 {
		f.fail()
	}
	return root, true
}

func (f *fast) fail() { panic(giveUp{}) }

// plainText reports whether the text has only characters that need no care.
func (f *fast) plainText(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' || c == 0x7f {
			return false
		}
		if c >= utf8.RuneSelf {
			f.wide = true
		}
	}
	if f.wide {
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError || r >= 0x80 && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r > 0xfffd && r < 0x10000 {
				return false
			}
			i += n
		}
	}
	return !bytes.Contains(text, []byte("\n...")) && !bytes.HasPrefix(text, []byte("..."))
}

// next goes to the first character of the next line with content and returns its indentation, -1 at the end. It must be
// called at the start or at the end of a line.
func (f *fast) next() int {
	for f.pos < len(f.s) {
		if f.s[f.pos] == '\n' {
			f.newLine()
			continue
		}
		i := f.pos
		for i < len(f.s) && f.s[i] == ' ' {
			i++
		}
		switch {
		case i == len(f.s):
			f.pos = i
			return -1
		case f.s[i] == '\n':
			f.pos = i
		case f.s[i] == '#':
			f.pos = i
			f.skipLine()
		default:
			if i-f.start == 0 && strings.HasPrefix(f.s[i:], "---") || f.s[i] == '%' && i == f.start {
				f.fail()
			}
			f.pos = i
			return i - f.start
		}
	}
	return -1
}

func (f *fast) newLine() {
	f.pos++
	f.line++
	f.start = f.pos
}

func (f *fast) skipLine() {
	if n := strings.IndexByte(f.s[f.pos:], '\n'); n >= 0 {
		f.pos += n
	} else {
		f.pos = len(f.s)
	}
}

// endOfLine goes over blanks and a comment to the end of the line; anything else is given up.
func (f *fast) endOfLine() {
	from := f.pos
	f.blanks()
	switch {
	case f.pos == len(f.s) || f.s[f.pos] == '\n':
	case f.s[f.pos] == '#' && f.pos > from:
		f.skipLine()
	default:
		f.fail()
	}
}

func (f *fast) blanks() {
	for f.pos < len(f.s) && f.s[f.pos] == ' ' {
		f.pos++
	}
}

func (f *fast) node(kind yaml.Kind, tag, value string, style yaml.Style, at int) *yaml.Node {
	if len(f.nodes) == cap(f.nodes) {
		f.nodes = f.arena.chunk()
	}
	column := at - f.start + 1
	if f.wide {
		column = utf8.RuneCountInString(f.s[f.start:at]) + 1
	}
	f.nodes = append(f.nodes, yaml.Node{Kind: kind, Tag: tag, Value: value, Style: style, Line: f.line, Column: column})
	return &f.nodes[len(f.nodes)-1]
}

// block reads the collection whose first entry stands at pos, with the given indentation.
func (f *fast) block(indent, depth int) *yaml.Node {
	if depth > fastDepth {
		f.fail()
	}
	if f.dash() {
		return f.sequence(indent, depth)
	}
	return f.mapping(indent, depth)
}

// dash reports whether a `-` entry begins at pos.
func (f *fast) dash() bool {
	return f.s[f.pos] == '-' && (f.pos+1 == len(f.s) || f.s[f.pos+1] == ' ' || f.s[f.pos+1] == '\n')
}

func (f *fast) mapping(indent, depth int) *yaml.Node {
	n := f.node(yaml.MappingNode, "!!map", "", 0, f.pos)
	n.Content = make([]*yaml.Node, 0, 8)
	for {
		n.Content = append(n.Content, f.key())
		f.pos++ // the colon
		from := f.pos
		f.blanks()
		if f.pos == len(f.s) || f.s[f.pos] == '\n' || f.s[f.pos] == '#' && f.pos > from {
			f.skipLine()
			at := f.next()
			switch {
			case at > indent, at == indent && f.dash():
				n.Content = append(n.Content, f.block(at, depth+1))
				at = f.here(indent)
			default:
				n.Content = append(n.Content, f.node(yaml.ScalarNode, "!!null", "", 0, f.pos))
			}
			if at != indent {
				return n
			}
		} else {
			if f.dash() {
				f.fail()
			}
			n.Content = append(n.Content, f.value())
			if at := f.after(indent); at != indent {
				return n
			}
		}
		if f.dash() {
			f.fail()
		}
	}
}

// here is the indentation of the line at pos, which a nested block has left off at.
func (f *fast) here(indent int) int {
	if f.pos >= len(f.s) {
		return -1
	}
	at := f.pos - f.start
	if at > indent {
		f.fail()
	}
	return at
}

// after ends the line of a value and returns the indentation of the next line with content. A deeper one would continue the
// value.
func (f *fast) after(indent int) int {
	f.endOfLine()
	at := f.next()
	if at > indent {
		f.fail()
	}
	return at
}

func (f *fast) sequence(indent, depth int) *yaml.Node {
	n := f.node(yaml.SequenceNode, "!!seq", "", 0, f.pos)
	n.Content = make([]*yaml.Node, 0, 4)
	for {
		if !f.dash() {
			// A sequence at the indentation of its key ends at the next key.
			return n
		}
		f.pos++
		f.blanks()
		at := 0
		switch {
		case f.pos == len(f.s) || f.s[f.pos] == '\n' || f.s[f.pos] == '#':
			f.skipLine()
			if at = f.next(); at > indent {
				n.Content = append(n.Content, f.block(at, depth+1))
				at = f.here(indent)
			} else {
				n.Content = append(n.Content, f.node(yaml.ScalarNode, "!!null", "", 0, f.pos))
			}
		case f.dash() || f.isKey():
			n.Content = append(n.Content, f.block(f.pos-f.start, depth+1))
			at = f.here(indent)
		default:
			n.Content = append(n.Content, f.value())
			at = f.after(indent)
		}
		if at != indent {
			return n
		}
	}
}
