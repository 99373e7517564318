package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/source"
)

// Limits of one document. Real objects have some thirty levels and a few thousand nodes; the API server refuses more than
// 3 MiB.
const (
	maxDepth    = 1000
	maxExpanded = 2_000_000 // nodes once aliases and merge keys are written out
)

// document is one parsed document.
type document struct {
	file  *source.File
	start int // offset of the text that was parsed
	line  int // number of its first line in the file
	text  []byte
	root  *yaml.Node
	// breaks are the offsets of the lines as the YAML parser counts them, where that differs from the file's lines.
	breaks []int
	// dropped are the keys that a later key of the same name overrides, by mapping.
	dropped map[*yaml.Node][]*yaml.Node
	// written is the content as it stands in the text of the mappings that were changed by prepare.
	written map[*yaml.Node][]*yaml.Node
	// templated: a mapping stands where a key is expected, which is what `{{ }}` parses as.
	templated bool
}

// syntaxError is a fault of a document with its place.
type syntaxError struct {
	off int // byte offset in the file
	msg string
}

func (e *syntaxError) Error() string { return e.msg }

// parse reads the documents of a piece: one, but for the line ends that only YAML knows.
func parse(file *source.File, p piece) ([]*document, *syntaxError) { return parseIn(nil, file, p) }

// parseIn is parse with nodes that hold until the arena is reset.
func parseIn(a *arena, file *source.File, p piece) ([]*document, *syntaxError) {
	text := file.Data[p.start:p.end]
	base := document{file: file, start: p.start, line: file.LineNumber(p.start), text: text}
	if bytes.Contains(text, []byte("\u0085")) || bytes.Contains(text, []byte("\u2028")) || bytes.Contains(text, []byte("\u2029")) {
		base.breaks = yamlLines(text)
	}
	var docs []*document
	for _, v := range jsonValues(text) {
		d := base
		d.breaks = nil
		root, err := parseJSON(file, piece{p.start + v.start, p.start + v.end}, d.line)
		if err != nil {
			return docs, err
		}
		d.root = root
		docs = append(docs, &d)
	}
	if docs != nil {
		return finish(docs)
	}
	if root, ok := parseFast(a, text); ok {
		d := base
		d.root = root
		return finish([]*document{&d})
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		d := base
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return docs, base.locate(err)
		}
		if n.Kind == yaml.DocumentNode && len(n.Content) == 1 {
			d.root = n.Content[0]
			docs = append(docs, &d)
		}
	}
	return finish(docs)
}

func finish(docs []*document) ([]*document, *syntaxError) {
	for i, d := range docs {
		if err := d.prepare(); err != nil {
			return docs[:i], err
		}
	}
	return docs, nil
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// locate gives a parser's error its place. The parser names the line at best, and often that where the enclosing block
// began; the true place is the end of the shortest beginning of the text that fails with the same words.
func (d *document) locate(err error) *syntaxError {
	if i := badUTF8(d.text); i >= 0 {
		return &syntaxError{d.start + i, fmt.Sprintf("byte 0x%02x is no UTF-8", d.text[i])}
	}
	m := yamlLine.FindStringSubmatch(strings.TrimSpace(err.Error()))
	if m == nil {
		return &syntaxError{d.start, err.Error()}
	}
	line, _ := strconv.Atoi(m[1])
	at := &syntaxError{d.offset(max(line, 1), 1), m[2]}
	const most = 1 << 18 // a search in more text would cost too long
	if len(d.text) <= most {
		// Invariant: text[:hi] fails alike.
		lo, hi := 0, len(d.text)
		for hi-lo > 1 {
			mid := (lo + hi) / 2
			if failsLike(d.text[:mid], err) {
				hi = mid
			} else {
				lo = mid
			}
		}
		at.off = d.start + max(0, hi-1)
		if hi == len(d.text) { // found missing at the end
			at.off = d.start + len(bytes.TrimRight(d.text, " \t\r\n"))
		}
	}
	return at
}

func failsLike(text []byte, want error) bool {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return false
		}
		if err != nil {
			return err.Error() == want.Error()
		}
	}
}

// prepare makes the tree safe and plain: it bounds depth and expansion, writes merge keys out and keeps the last of
// several equal keys, as the API server does. Aliases stay in the tree and are followed by deref.
func (d *document) prepare() *syntaxError {
	p := preparer{document: d, anchors: map[*yaml.Node]extent{}}
	_, err := p.visit(d.root, 1)
	return err
}

// extent is the size of a subtree with its aliases expanded.
type extent struct {
	nodes, depth int
	open         bool // being visited: an alias to it is a cycle
}

type preparer struct {
	*document
	anchors map[*yaml.Node]extent
}

func (p *preparer) visit(n *yaml.Node, depth int) (extent, *syntaxError) {
	e := extent{nodes: 1, depth: 1}
	if depth > maxDepth {
		return e, &syntaxError{p.offset(n.Line, n.Column), fmt.Sprintf("nested more than %d levels deep", maxDepth)}
	}
	if n.Kind == yaml.AliasNode {
		t := p.anchors[n.Alias]
		switch {
		case t.open:
			return e, &syntaxError{p.offset(n.Line, n.Column), "alias `" + clip(n.Value) + "` stands inside its own anchor"}
		case depth+t.depth > maxDepth:
			return e, &syntaxError{p.offset(n.Line, n.Column), fmt.Sprintf("nested more than %d levels deep", maxDepth)}
		}
		return t, nil
	}
	if len(n.Content) > 0 {
		if n.Anchor != "" {
			p.anchors[n] = extent{open: true}
		}
		merges := false
		for i, c := range n.Content {
			ce, err := p.visit(c, depth+1)
			if err != nil {
				return e, err
			}
			e.nodes += ce.nodes
			e.depth = max(e.depth, ce.depth+1)
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				k := deref(c)
				merges = merges || k.Tag == "!!merge"
				p.templated = p.templated || k.Kind == yaml.MappingNode
			}
		}
		if n.Kind == yaml.MappingNode {
			added := p.plain(n, merges)
			e.nodes += added.nodes
			e.depth = max(e.depth, added.depth)
		}
		if e.nodes > maxExpanded {
			return e, &syntaxError{p.offset(n.Line, n.Column), fmt.Sprintf("aliases expand to more than %d values", maxExpanded)}
		}
	}
	if n.Anchor != "" {
		p.anchors[n] = e
	}
	return e, nil
}

// plain removes overridden keys and writes merge keys out. It returns how much the merges added.
func (p *preparer) plain(n *yaml.Node, merges bool) extent {
	var added extent
	pairs := n.Content
	last := lastOf(pairs)
	if last == nil && !merges {
		return added
	}
	if p.written == nil {
		p.written, p.dropped = map[*yaml.Node][]*yaml.Node{}, map[*yaml.Node][]*yaml.Node{}
	}
	p.written[n] = pairs
	out := make([]*yaml.Node, 0, len(pairs))
	have := map[string]bool{}
	var from []*yaml.Node
	for i := 0; i+1 < len(pairs); i += 2 {
		k := deref(pairs[i])
		switch {
		case k.Tag == "!!merge":
			from = append(from, mergeSources(pairs[i+1])...)
			continue
		case last != nil && k.Kind == yaml.ScalarNode && last[k.Value] != i:
			p.dropped[n] = append(p.dropped[n], pairs[i])
			continue
		}
		have[k.Value] = true
		out = append(out, pairs[i], pairs[i+1])
	}
	for _, m := range from {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if k := deref(m.Content[i]); !have[k.Value] {
				have[k.Value] = true
				out = append(out, m.Content[i], m.Content[i+1])
			}
		}
		e := p.anchors[m]
		added.nodes += len(m.Content) + e.nodes
		added.depth = max(added.depth, e.depth)
	}
	n.Content = out
	return added
}

// lastOf maps each key to the index of its last occurrence, or is nil where no key occurs twice.
func lastOf(pairs []*yaml.Node) map[string]int {
	twice := false
	if len(pairs) <= 32 {
	search:
		for i := 0; i+1 < len(pairs); i += 2 {
			a := deref(pairs[i])
			for j := i + 2; j+1 < len(pairs); j += 2 {
				if b := deref(pairs[j]); a.Value == b.Value && a.Kind == yaml.ScalarNode && b.Kind == yaml.ScalarNode && a.Tag != "!!merge" {
					twice = true
					break search
				}
			}
		}
		if !twice {
			return nil
		}
	}
	last := make(map[string]int, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		k := deref(pairs[i])
		if k.Kind != yaml.ScalarNode || k.Tag == "!!merge" {
			continue
		}
		if _, ok := last[k.Value]; ok {
			twice = true
		}
		last[k.Value] = i
	}
	if !twice {
		return nil
	}
	return last
}

func mergeSources(n *yaml.Node) []*yaml.Node {
	n = deref(n)
	switch n.Kind {
	case yaml.MappingNode:
		return []*yaml.Node{n}
	case yaml.SequenceNode:
		var out []*yaml.Node
		for _, c := range n.Content {
			if c = deref(c); c.Kind == yaml.MappingNode {
				out = append(out, c)
			}
		}
		return out
	}
	return nil
}

// deref is the node that an alias stands for, or the node itself.
func deref(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// get returns the key and the value at a path of keys below a mapping; the value is followed through aliases. Both are nil
// where there is nothing.
func get(n *yaml.Node, keys ...string) (key, value *yaml.Node) {
	value = deref(n)
	for _, want := range keys {
		if value == nil || value.Kind != yaml.MappingNode {
			return nil, nil
		}
		key, value = child(value, want)
	}
	return key, value
}

func child(n *yaml.Node, want string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := deref(n.Content[i]); k.Value == want && k.Kind == yaml.ScalarNode {
			return n.Content[i], deref(n.Content[i+1])
		}
	}
	return nil, nil
}

// text is the scalar at a path, "" where there is none or it is null.
func text(n *yaml.Node, keys ...string) string {
	if _, v := get(n, keys...); v != nil && v.Kind == yaml.ScalarNode && !isNull(v) {
		return v.Value
	}
	return ""
}

// items are the elements of the sequence at a path.
func items(n *yaml.Node, keys ...string) []*yaml.Node {
	if _, v := get(n, keys...); v != nil && v.Kind == yaml.SequenceNode {
		return v.Content
	}
	return nil
}

// stringMap is the mapping at a path as strings, nil where there is none.
func stringMap(n *yaml.Node, keys ...string) map[string]string {
	_, v := get(n, keys...)
	if v == nil || v.Kind != yaml.MappingNode || len(v.Content) == 0 {
		return nil
	}
	m := make(map[string]string, len(v.Content)/2)
	for i := 0; i+1 < len(v.Content); i += 2 {
		if e := deref(v.Content[i+1]); e.Kind == yaml.ScalarNode {
			m[deref(v.Content[i]).Value] = e.Value
		}
	}
	return m
}

// integer is the whole number at a path.
func integer(n *yaml.Node, keys ...string) (int64, bool) {
	if _, v := get(n, keys...); v != nil && v.Kind == yaml.ScalarNode && (v.Tag == "!!int" || v.Tag == "!!float") {
		return wholeNumber(v.Value)
	}
	return 0, false
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// clip bounds a text from the input for use in a message.
func clip(s string) string {
	const most = 40
	r := []rune(strings.ToValidUTF8(s, "?"))
	for i, c := range r {
		if c < ' ' || c == 0x7f {
			r[i] = ' '
		}
	}
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
