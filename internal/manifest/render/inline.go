package render

import (
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// inlineOrigin leads from a YAML text that stands as a scalar in a file to its places in the file: line by line for a block
// scalar, to the scalar as a whole for any other.
func inlineOrigin(f *source.File, text string) func(start, end int) model.Span {
	whole := f.Span(0, 0)
	trees, _ := manifest.ParseTrees(f)
	for _, t := range trees {
		key, n := scalarOf(t.Root(), text, 0)
		if n == nil {
			continue
		}
		whole = t.Field(key, n).Value
		if n.Style&yaml.LiteralStyle != 0 {
			if o := blockOrigin(f, whole, text); o != nil {
				return o
			}
		}
	}
	return func(int, int) model.Span { return whole }
}

// scalarOf finds the first scalar with a value.
func scalarOf(n *yaml.Node, text string, depth int) (key, value *yaml.Node) {
	if n = manifest.Deref(n); n == nil || depth > 100 {
		return nil, nil
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		c = manifest.Deref(c)
		if c.Kind == yaml.ScalarNode {
			if c.Value == text {
				if n.Kind == yaml.MappingNode {
					return n.Content[i-1], c
				}
				return nil, c
			}
			continue
		}
		if k, v := scalarOf(c, text, depth+1); v != nil {
			return k, v
		}
	}
	return nil, nil
}

// blockOrigin matches the lines of a literal block scalar with those of its text.
func blockOrigin(f *source.File, block model.Span, text string) func(start, end int) model.Span {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	starts := make([]int, len(lines)) // of each line in the text
	at := make([]int, len(lines))     // of its first character in the file
	off := 0
	line := f.LineNumber(block.Start)
	for i, l := range lines {
		starts[i] = off
		off += len(l) + 1
		have := string(f.Line(line + 1 + i))
		if !strings.HasSuffix(have, l) || strings.Trim(have[:len(have)-len(l)], " ") != "" {
			return nil
		}
		at[i] = f.Offset(line+1+i, 1) + len(have) - len(l)
	}
	place := func(off int) int {
		i := len(starts) - 1
		for i > 0 && starts[i] > off {
			i--
		}
		return at[i] + min(off-starts[i], len(lines[i]))
	}
	return func(start, end int) model.Span {
		from := place(start)
		return f.Span(from, max(from, place(max(start, end))))
	}
}
