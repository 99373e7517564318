package manifest

import (
	"bytes"
	"slices"
	"strconv"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/source"
)

// Annotate returns the text of a file with one annotation more on each of its objects, everything else left as it is written.
// It is false where that cannot be done by inserting text alone: JSON, lists, metadata in a form that is rare. Schemas are left
// as they are.
func Annotate(f *source.File, key, value string) ([]byte, bool) {
	if f.Recoded || f.Binary() {
		return nil, false
	}
	var edits []insertion
	for _, p := range split(f.Data) {
		if isSchema(f.Data[p.start:p.end]) {
			continue
		}
		docs, err := parse(f, p)
		if err != nil || len(docs) != 1 {
			return nil, false
		}
		at, ok := docs[0].annotation(strconv.Quote(key) + ": " + strconv.Quote(value))
		if !ok {
			return nil, false
		}
		edits = append(edits, at)
	}
	out := make([]byte, 0, len(f.Data)+len(edits)*(len(key)+len(value)+40))
	last := 0
	for _, e := range edits {
		out = append(append(out, f.Data[last:e.at]...), e.text...)
		last = e.at
	}
	return append(out, f.Data[last:]...), true
}

// insertion is a text that goes into another one at an offset.
type insertion struct {
	at   int
	text string
}

// annotation is where an annotation goes, pair being its key and value in YAML.
func (d *document) annotation(pair string) (insertion, bool) {
	none := insertion{}
	n := d.root
	if n == nil || n.Kind != yaml.MappingNode || n.Style&yaml.FlowStyle != 0 || len(d.written) > 0 || d.templated {
		return none, false
	}
	if k, _ := child(n, "items"); k != nil { // kustomize takes a list apart
		return none, false
	}
	_, meta := member(n, "metadata")
	if meta == nil || meta.Kind != yaml.MappingNode {
		return none, false
	}
	key, have := member(meta, "annotations")
	switch {
	case key == nil:
		return d.first(meta, "annotations: {"+pair+"}")
	case have.Kind == yaml.MappingNode:
		return d.first(have, pair)
	case have.Kind == yaml.ScalarNode && have.Value == "" && have.Style == 0 && have.Anchor == "":
		start := d.textStart(key)
		end := d.scalarEnd(key, start, 0)
		if at := d.colon(end); at > end {
			return insertion{at, " {" + pair + "}"}, true
		}
		return none, false
	}
	return none, false
}

// first is where a key goes in front of the others of a mapping that is no other value too.
func (d *document) first(n *yaml.Node, pair string) (insertion, bool) {
	data := d.file.Data
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return insertion{}, false
	}
	if n.Style&yaml.FlowStyle != 0 {
		start := d.textStart(n)
		if start >= len(data) || data[start] != '{' {
			return insertion{}, false
		}
		if len(n.Content) > 0 {
			pair += ", "
		}
		return insertion{start + 1, pair}, true
	}
	if len(n.Content) == 0 {
		return insertion{}, false
	}
	key := n.Content[0]
	if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Style&yaml.TaggedStyle != 0 {
		return insertion{}, false
	}
	start := d.offset(key.Line, key.Column)
	at := bytes.LastIndexAny(data[:start], "\n\r") + 1
	indent := data[at:start]
	if len(indent) == 0 || slices.ContainsFunc(indent, func(c byte) bool { return c != ' ' }) {
		return insertion{}, false
	}
	return insertion{at, string(indent) + pair + "\n"}, true
}

// member is the key and the value at a key of a mapping as they are written: an alias is not followed.
func member(n *yaml.Node, want string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Value == want && k.Kind == yaml.ScalarNode {
			return k, n.Content[i+1]
		}
	}
	return nil, nil
}
