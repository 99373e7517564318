package manifest

import (
	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Tree is one YAML or JSON document with the places of its nodes, for the renderers, which look up values files, bases and
// patches.
type Tree struct{ d *document }

// ParseTrees parses the documents of a file up to the first one that does not parse. Merge keys are written out and of
// several equal keys the last one is kept; aliases stay and are followed by Deref.
func ParseTrees(f *source.File) ([]*Tree, error) {
	var out []*Tree
	for _, p := range split(f.Data) {
		docs, err := parse(f, p)
		for _, d := range docs {
			out = append(out, &Tree{d})
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Root is the document's value, nil where it has none.
func (t *Tree) Root() *yaml.Node { return deref(t.d.root) }

// File is the file that the document stands in.
func (t *Tree) File() *source.File { return t.d.file }

// Field is the place of a key with its value; for an item of a list key is nil and both places are the item's.
func (t *Tree) Field(key, value *yaml.Node) model.Field {
	if key == nil {
		at := t.d.valueSpan(nil, value)
		return model.Field{Key: at, Value: at}
	}
	return t.d.field(key, value)
}

// Useful reports whether a text can hold an object that is read: a workload, or one that is joined to workloads.
func Useful(text []byte) bool { return gate(text) != 0 && !isSchema(text) }

// Child is the key and the value at a key of a mapping, the value followed through aliases; nil where there is none.
func Child(n *yaml.Node, key string) (k, v *yaml.Node) {
	if n = deref(n); n == nil || n.Kind != yaml.MappingNode {
		return nil, nil
	}
	return child(n, key)
}

// Deref is the node that an alias stands for, or the node itself.
func Deref(n *yaml.Node) *yaml.Node { return deref(n) }
