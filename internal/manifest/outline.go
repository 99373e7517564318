package manifest

import (
	"bytes"
	"regexp"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/source"
)

// Range is a range of bytes of a file, End exclusive.
type Range struct{ Start, End int }

// Outline is what a comment in a YAML file can stand for.
type Outline struct {
	// Documents are the documents, from their marker on, Roots their values. Nodes are each entry of a mapping, from its key to
	// the end of its value, and each item of a list from its dash on; outer ones come before the ones that they hold.
	Documents, Roots, Nodes []Range
	// Text are the scalars, in which a # begins no comment.
	Text []Range
}

// OutlineOf reads the structure of a file. A document that does not parse, a template above all, has the structure that its
// indentation shows.
func OutlineOf(f *source.File) *Outline {
	out := &Outline{}
	pieces := split(f.Data)
	for i, p := range pieces {
		whole := Range{p.start, p.end}
		if i == 0 {
			whole.Start = 0
		}
		out.Documents = append(out.Documents, whole)
		docs, err := parse(f, p)
		templated := err != nil
		for _, d := range docs {
			templated = templated || d.templated
		}
		if templated {
			out.indented(f.Data, p)
			continue
		}
		for _, d := range docs {
			start := d.start0(d.root)
			out.Roots = append(out.Roots, Range{start, max(start, d.end(d.root, d.textStart(d.root), 0))})
			out.tree(d, d.root, 0)
		}
	}
	return out
}

// start0 is where a node begins, its anchor and tag included.
func (d *document) start0(n *yaml.Node) int { return d.offset(n.Line, n.Column) }

func (o *Outline) tree(d *document, n *yaml.Node, depth int) {
	content := n.Content
	if w, ok := d.written[n]; ok {
		content = w
	}
	switch {
	case n.Kind == yaml.ScalarNode:
		o.scalar(d, n, 0)
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(content); i += 2 {
			key, value := content[i], content[i+1]
			start := d.start0(key)
			keyEnd := d.scalarEnd(key, d.textStart(key), 0)
			end := keyEnd
			if key.Kind == yaml.MappingNode || key.Kind == yaml.SequenceNode {
				end = d.end(key, d.textStart(key), 0)
			}
			if !unwritten(value) {
				end = max(end, d.end(value, d.textStart(value), key.Column))
			}
			o.Nodes = append(o.Nodes, Range{start, end})
			if key.Kind == yaml.ScalarNode {
				o.Text = append(o.Text, Range{start, keyEnd})
			}
			if value.Kind == yaml.ScalarNode {
				o.scalar(d, value, key.Column)
				continue
			}
			o.tree(d, value, depth+1)
		}
	case n.Kind == yaml.SequenceNode:
		for _, c := range content {
			start := d.start0(c)
			if n.Style&yaml.FlowStyle == 0 {
				start = dash(d.file.Data, start)
			}
			end := min(start+1, len(d.file.Data)) // a null behind the last dash stands at the end
			if !unwritten(c) {
				end = max(end, d.end(c, d.textStart(c), 0))
			}
			o.Nodes = append(o.Nodes, Range{start, end})
			o.tree(d, c, depth+1)
		}
	}
}

// unwritten reports whether a null stands there without a text.
func unwritten(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0
}

func (o *Outline) scalar(d *document, n *yaml.Node, indent int) {
	if unwritten(n) {
		return
	}
	start := d.textStart(n)
	end := d.scalarEnd(n, start, indent)
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 { // behind the indicator a comment can stand
		_, start = lineAt(d.file.Data, start)
	}
	if end > start {
		o.Text = append(o.Text, Range{start, end})
	}
}

// dash is the place of the dash in front of an item of a block list, on the item's line or an earlier one.
func dash(data []byte, start int) int {
	for i := start - 1; i >= 0; i-- {
		switch data[i] {
		case ' ', '\t', '\r', '\n':
		case '-':
			return i
		default:
			return start
		}
	}
	return start
}

// blockHead is the end of a line that begins a block scalar.
var blockHead = regexp.MustCompile(`(?:^|[\s:-])[|>][+-]?[0-9]?[+-]?[ \t]*(?:#.*)?$`)

// control is a line that holds template actions alone.
var control = regexp.MustCompile(`^(?:\{\{.*?\}\}\s*|\{%.*?%\}\s*)+(?:#.*)?$`)

// open is an entry or item whose end is not known yet.
type open struct {
	at     int // index in Nodes
	indent int
	dash   bool
}

// indented reads the structure that the indentation of block style shows.
func (o *Outline) indented(data []byte, p piece) {
	root := len(o.Roots)
	o.Roots = append(o.Roots, Range{-1, p.start})
	var stack []open
	block := -1 // indentation of the entry whose block scalar this is
	for at := p.start; at < p.end; {
		line, next := lineAt(data, at)
		body := bytes.TrimLeft(line, " \t")
		indent, start, end := len(line)-len(body), at+len(line)-len(body), at+len(bytes.TrimRight(line, " \t"))
		at = next
		switch {
		case len(body) == 0:
			continue
		case block >= 0 && indent > block:
			o.Text = append(o.Text, Range{start, end})
			o.extend(root, stack, end)
			continue
		}
		block = -1
		if body[0] == '#' || control.Match(body) || isMarker(line) {
			continue
		}
		if o.Roots[root].Start < 0 {
			o.Roots[root].Start = start
		}
		code := commentAt(body)
		o.Text = append(o.Text, Range{start, start + code})
		text := bytes.TrimRight(body[:code], " \t")
		for {
			item := len(text) > 0 && text[0] == '-' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
			for len(stack) > 0 {
				if top := stack[len(stack)-1]; top.indent < indent || item && top.indent == indent && !top.dash {
					break
				}
				stack = stack[:len(stack)-1]
			}
			stack = append(stack, open{len(o.Nodes), indent, item})
			o.Nodes = append(o.Nodes, Range{start, start + len(text)})
			if !item {
				break
			}
			rest := bytes.TrimLeft(text[1:], " \t")
			if len(rest) == 0 || rest[0] == '{' || rest[0] == '[' {
				break
			}
			moved := len(text) - len(rest)
			text, start, indent = rest, start+moved, indent+moved
		}
		o.extend(root, stack, start+len(text))
		if blockHead.Match(line) {
			block = indent
		}
	}
	o.Roots[root].Start = max(o.Roots[root].Start, p.start)
}

// extend lets the root and what is open reach to end.
func (o *Outline) extend(root int, stack []open, end int) {
	o.Roots[root].End = max(o.Roots[root].End, end)
	for _, s := range stack {
		o.Nodes[s.at].End = max(o.Nodes[s.at].End, end)
	}
}

func isMarker(line []byte) bool {
	return (bytes.HasPrefix(line, []byte("---")) || bytes.HasPrefix(line, []byte("..."))) &&
		(len(line) == 3 || line[3] == ' ' || line[3] == '\t')
}

// commentAt is where the comment of a line begins, outside of quotes and template actions, or the line's length.
func commentAt(line []byte) int {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case (c == '"' || c == '\'') && (i == 0 || bytes.IndexByte([]byte(" \t[{,:"), line[i-1]) >= 0):
			quote = c
		case c == '{' && i+1 < len(line) && line[i+1] == '{':
			if n := bytes.Index(line[i:], []byte("}}")); n > 0 {
				i += n + 1
			}
		case c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return i
		}
	}
	return len(line)
}
