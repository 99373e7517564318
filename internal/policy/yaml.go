package policy

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// manifest is one document of a file, as a value for policies that judge it as it is written, and as nodes with places.
type manifest struct {
	file  *source.File
	node  *yaml.Node
	value *ast.Term
}

// manifestsOf are the documents of a file that say their kind, up to the first that does not parse: the reader of manifests
// has reported that one.
func manifestsOf(f *source.File) []manifest {
	if tooDeep(f.Data) >= 0 {
		return nil
	}
	var out []manifest
	d := yaml.NewDecoder(bytes.NewReader(f.Data))
	for {
		var n yaml.Node
		err := d.Decode(&n)
		if errors.Is(err, io.EOF) || err != nil {
			return out
		}
		if len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode {
			continue
		}
		v := &values{left: maxNodes}
		t := v.of(n.Content[0], 0)
		o, ok := t.Value.(ast.Object)
		if !ok || v.left <= 0 || o.Get(ast.StringTerm("kind")) == nil {
			continue
		}
		out = append(out, manifest{f, n.Content[0], t})
	}
}

// maxNodes bounds what the aliases of a document can grow to, maxDepth how deep.
const (
	maxNodes = 1 << 20
	maxDepth = 500
)

type values struct{ left int }

// of is a node as a value, as conftest reads it: YAML 1.1 with its booleans, and times as text.
func (v *values) of(n *yaml.Node, depth int) *ast.Term {
	if v.left--; v.left <= 0 || depth > maxDepth {
		v.left = 0
		return ast.NullTerm()
	}
	switch n.Kind {
	case yaml.AliasNode:
		return v.of(n.Alias, depth+1)
	case yaml.SequenceNode:
		terms := make([]*ast.Term, len(n.Content))
		for i, c := range n.Content {
			terms[i] = v.of(c, depth+1)
		}
		return ast.ArrayTerm(terms...)
	case yaml.MappingNode:
		o := ast.NewObject()
		v.mapping(o, n, depth)
		return ast.NewTerm(o)
	case yaml.ScalarNode:
		return scalarTerm(n)
	}
	return ast.NullTerm()
}

func (v *values) mapping(o ast.Object, n *yaml.Node, depth int) {
	for i := 0; i+1 < len(n.Content); i += 2 { // what is merged is overridden by what is written
		if k := n.Content[i]; k.Tag == "!!merge" || k.Value == "<<" && k.Style == 0 {
			from := n.Content[i+1]
			if from.Kind == yaml.AliasNode {
				from = from.Alias
			}
			list := []*yaml.Node{from}
			if from.Kind == yaml.SequenceNode {
				list = from.Content
			}
			for k := len(list) - 1; k >= 0; k-- {
				m := list[k]
				if m.Kind == yaml.AliasNode {
					m = m.Alias
				}
				if m.Kind == yaml.MappingNode && depth < maxDepth {
					v.mapping(o, m, depth+1)
				}
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Tag == "!!merge" || k.Value == "<<" && k.Style == 0 {
			continue
		}
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		o.Insert(ast.StringTerm(k.Value), v.of(n.Content[i+1], depth+1))
	}
}

func scalarTerm(n *yaml.Node) *ast.Term {
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return ast.StringTerm(n.Value)
	}
	switch n.ShortTag() {
	case "!!null":
		return ast.NullTerm()
	case "!!bool":
		return ast.BooleanTerm(strings.EqualFold(n.Value, "true"))
	case "!!int":
		if i, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			return ast.IntNumberTerm(int(i))
		}
	case "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && f-f == 0 {
			return ast.FloatNumberTerm(f)
		}
	case "!!str":
		if n.Style&yaml.TaggedStyle == 0 {
			switch strings.ToLower(n.Value) {
			case "y", "yes", "on":
				return ast.BooleanTerm(true)
			case "n", "no", "off":
				return ast.BooleanTerm(false)
			}
		}
	}
	return ast.StringTerm(n.Value)
}

// place is the bytes at a path of keys and indices: a value, or the key of what is no single value. Of a path that leads to
// nothing it is the nearest that is there.
func (m manifest) place(path []ast.Value) model.Span {
	key, n := (*yaml.Node)(nil), m.node
	missing := false
walk:
	for _, p := range path {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		switch p := p.(type) {
		case ast.String:
			if n.Kind != yaml.MappingNode {
				missing = true
				break walk
			}
			found := false
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == string(p) {
					key, n, found = n.Content[i], n.Content[i+1], true
				}
			}
			if !found {
				missing = true
				break walk
			}
		case ast.Number:
			i, ok := p.Int()
			if n.Kind != yaml.SequenceNode || !ok || i < 0 || i >= len(n.Content) {
				missing = true
				break walk
			}
			key, n = nil, n.Content[i]
			if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
				key = n.Content[0]
			}
		}
	}
	switch {
	case key != nil && (missing || n.Kind != yaml.ScalarNode):
		return m.span(key)
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		return m.span(n.Content[0])
	}
	return m.span(n)
}

// span is the bytes of a key or of a scalar; of anything else its first letter.
func (m manifest) span(n *yaml.Node) model.Span {
	f := m.file
	start := f.Offset(n.Line, n.Column)
	rest := f.Data[start:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = bytes.TrimRight(rest[:i], "\r ")
	}
	size := min(1, len(rest))
	switch {
	case n.Kind != yaml.ScalarNode:
	case bytes.HasPrefix(rest, []byte(n.Value)):
		size = len(n.Value)
	case len(rest) > 1 && (rest[0] == '"' || rest[0] == '\''):
		if i := bytes.IndexByte(rest[1:], rest[0]); i >= 0 {
			size = i + 2
		}
	}
	return f.Span(start, start+max(size, 1))
}

// line is the text of a line without the space around it.
func (m manifest) line(n int) model.Span {
	f := m.file
	text := f.Line(n)
	start := f.Offset(n, 1) + len(text) - len(bytes.TrimLeft(text, " \t-"))
	return f.Span(start, f.Offset(n, 1)+len(bytes.TrimRight(text, " \t")))
}
