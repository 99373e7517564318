package render

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// mapper leads from the objects of one build to the bases and patches that they came from.
type mapper struct {
	ks  *kustomizations
	top *kustomization
}

// candidate is a part of a base or of a patch that says something about a part of a rendered object. ahead are the steps that a
// JSON patch still is away from its value, step the place of its path.
type candidate struct {
	tree  *manifest.Tree
	node  *yaml.Node
	ahead []string
	step  model.Span
	base  bool
}

// file is the text of one rendered object, with places that lead to the file that it came from, "" for a generated one.
func (m *mapper) file(text []byte, from string) *made {
	rel := m.top.file.Path
	if from != "" {
		rel = from
	}
	trees, _ := manifest.ParseTrees(source.New(rel, text))
	p := &places{}
	if len(trees) == 1 {
		root := trees[0].Root()
		cands, whole := m.candidates(root, rel, from != "")
		p.whole = whole
		p.tree = trees[0]
		p.walk(root, cands, whole, 0)
	} else {
		p.whole = m.top.file.Span(0, 0)
	}
	p.sort()
	p.tree = nil
	return &made{rel, text, p}
}

// made is the text of an object that kustomize printed, and where its parts come from.
type made struct {
	path   string
	text   []byte
	places *places
}

func (p *made) source() *source.File {
	f := source.New(p.path, p.text)
	f.Origin = p.places.span
	return f
}

// candidates are the patches that are about an object, the last one first, and then the object in its base.
func (m *mapper) candidates(root *yaml.Node, rel string, hasBase bool) ([]candidate, model.Span) {
	kind, name := textOf(root, "kind"), textOf(root, "metadata", "name")
	whole := m.top.file.Span(0, 0)
	var base candidate
	if hasBase {
		if f, err := m.ks.set.Get(rel); err == nil {
			whole = f.Span(0, 0)
			trees := m.ks.parse(f)
			base = baseObject(trees, kind, name)
			if base.node != nil && len(base.node.Content) > 1 {
				whole = base.tree.Field(base.node.Content[0], base.node.Content[1]).Key
			}
		}
	}
	baseName := textOf(base.node, "metadata", "name")
	var out []candidate
	m.patches(m.top, rel, map[string]bool{}, func(p patch) {
		for _, t := range p.trees {
			out = append(out, patchOf(t, p, kind, name, baseName)...)
		}
	})
	slices.Reverse(out)
	if base.node != nil {
		out = append(out, base)
	}
	return out, whole
}

// patches calls use for the patches on the way from a file to a kustomization, in the order in which they are applied.
func (m *mapper) patches(k *kustomization, rel string, seen map[string]bool, use func(patch)) {
	if k == nil || seen[k.dir] {
		return
	}
	seen[k.dir] = true
	for _, b := range k.bases {
		if m.holds(m.ks.of(b), rel, map[string]bool{}) {
			m.patches(m.ks.of(b), rel, seen, use)
		}
	}
	for _, c := range k.components {
		m.patches(m.ks.of(c), rel, seen, use)
	}
	for _, p := range k.patches {
		use(p)
	}
}

// holds reports whether a kustomization includes a file.
func (m *mapper) holds(k *kustomization, rel string, seen map[string]bool) bool {
	if k == nil || seen[k.dir] {
		return false
	}
	seen[k.dir] = true
	if slices.Contains(k.files, rel) {
		return true
	}
	for _, b := range slices.Concat(k.bases, k.components) {
		if m.holds(m.ks.of(b), rel, seen) {
			return true
		}
	}
	return false
}

// baseObject finds the object of a kind whose name a rendered object has, with what was put before and behind it.
func baseObject(trees []*manifest.Tree, kind, name string) candidate {
	var best candidate
	at := -1
	var look func(t *manifest.Tree, n *yaml.Node, depth int)
	look = func(t *manifest.Tree, n *yaml.Node, depth int) {
		if n = manifest.Deref(n); n == nil || depth > 4 {
			return
		}
		if _, items := manifest.Child(n, "items"); items != nil && items.Kind == yaml.SequenceNode {
			for _, c := range items.Content {
				look(t, c, depth+1)
			}
			return
		}
		have := textOf(n, "metadata", "name")
		if textOf(n, "kind") != kind || !strings.Contains(name, have) || len(have) <= at {
			return
		}
		best, at = candidate{tree: t, node: n, base: true}, len(have)
	}
	for _, t := range trees {
		look(t, t.Root(), 0)
	}
	return best
}

// patchOf are the parts of a document of a patch that are about an object: the document itself, or the operations of a JSON
// patch.
func patchOf(t *manifest.Tree, p patch, kind, name, baseName string) []candidate {
	root := t.Root()
	if root == nil {
		return nil
	}
	if root.Kind == yaml.SequenceNode {
		if p.target == nil || !matches(p.target.Kind, kind) || !matches(p.target.Name, name) && !matches(p.target.Name, baseName) {
			return nil
		}
		var out []candidate
		for _, op := range root.Content {
			pathKey, at := manifest.Child(op, "path")
			_, value := manifest.Child(op, "value")
			if at == nil || value == nil || !strings.HasPrefix(at.Value, "/") {
				continue
			}
			steps := strings.Split(at.Value[1:], "/")
			for i, s := range steps {
				steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
			}
			out = append(out, candidate{tree: t, node: value, ahead: steps, step: t.Field(pathKey, at).Value})
		}
		return out
	}
	switch have := textOf(root, "metadata", "name"); {
	case p.target != nil:
		if !matches(p.target.Kind, kind) || !matches(p.target.Name, name) && !matches(p.target.Name, baseName) {
			return nil
		}
	case textOf(root, "kind") != kind, have != name && have != baseName && (have == "" || !strings.Contains(name, have)):
		return nil
	}
	return []candidate{{tree: t, node: root}}
}

// matches applies a selector's pattern, which has to match the whole text; "" matches everything.
func matches(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	re, err := regexp.Compile("^(?:" + pattern + ")$")
	return err == nil && re.MatchString(text)
}

// textOf is the scalar at a path, "" where there is none.
func textOf(n *yaml.Node, keys ...string) string {
	for _, k := range keys {
		if _, n = manifest.Child(n, k); n == nil {
			return ""
		}
	}
	if n == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// places leads from the places of a rendered object to those of what it was made of.
type places struct {
	tree  *manifest.Tree
	whole model.Span
	spots []spot
}

type spot struct {
	start, end int
	to         model.Span
}

func (p *places) add(at, to model.Span) { p.spots = append(p.spots, spot{at.Start, at.End, to}) }

func (p *places) sort() {
	slices.SortStableFunc(p.spots, func(a, b spot) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
}

// span is the place of a range: of the key or value that it is, else of the last one that begins before it.
func (p *places) span(start, end int) model.Span {
	i, _ := slices.BinarySearchFunc(p.spots, start, func(s spot, off int) int {
		if s.start <= off {
			return -1
		}
		return 1
	})
	best := -1
	for j := i - 1; j >= 0 && (best < 0 || p.spots[j].start == p.spots[best].start); j-- {
		if best < 0 || p.spots[j].start == start && (p.spots[j].end == end || p.spots[best].end != end && p.spots[j].end >= end) {
			best = j
		}
	}
	if best < 0 {
		return p.whole
	}
	return p.spots[best].to
}

// walk goes over a rendered value with what is known to say something about it. parent is the place of what encloses it.
func (p *places) walk(n *yaml.Node, cands []candidate, parent model.Span, depth int) {
	if depth > 100 {
		return
	}
	n = manifest.Deref(n)
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], manifest.Deref(n.Content[i+1])
			at := p.tree.Field(key, value)
			below, keyAt, valueAt := p.child(value, cands, parent, func(c candidate) (candidate, model.Field, bool) { return c.member(key.Value) })
			p.add(at.Key, keyAt)
			p.add(at.Value, valueAt)
			p.walk(value, below, keyAt, depth+1)
		}
	case yaml.SequenceNode:
		for i, c := range n.Content {
			item := manifest.Deref(c)
			at := p.tree.Field(nil, c)
			below, keyAt, valueAt := p.child(item, cands, parent, func(c candidate) (candidate, model.Field, bool) { return c.item(item, i, len(n.Content)) })
			p.add(at.Value, valueAt)
			p.walk(item, below, keyAt, depth+1)
		}
	}
}

// child finds the places of one member: a scalar in the base where it says the same (patches repeat kinds and names to say
// what they are about), else in the last patch that set it to this value; anything else where it was first written.
func (p *places) child(value *yaml.Node, cands []candidate, parent model.Span, step func(candidate) (candidate, model.Field, bool)) (below []candidate, key, val model.Span) {
	key, val = parent, parent
	set := false
	for _, c := range cands {
		next, at, ok := step(c)
		if !ok {
			continue
		}
		below = append(below, next)
		if len(next.ahead) > 0 {
			continue
		}
		if value.Kind == yaml.ScalarNode {
			if !set {
				key, val = at.Key, at.Value
			}
			if next.node.Kind == yaml.ScalarNode && next.node.Value == value.Value {
				set = true
				if c.base {
					key, val = at.Key, at.Value
				}
			}
			continue
		}
		key, val = at.Key, at.Value
	}
	return below, key, val
}

// member is the part of a candidate at a key.
func (c candidate) member(key string) (candidate, model.Field, bool) {
	if len(c.ahead) > 0 {
		return c.forward(c.ahead[0] == key)
	}
	k, v := manifest.Child(c.node, key)
	if k == nil {
		return candidate{}, model.Field{}, false
	}
	return candidate{tree: c.tree, node: v, base: c.base}, c.tree.Field(k, v), true
}

// forward goes one step along the path of a JSON patch.
func (c candidate) forward(ok bool) (candidate, model.Field, bool) {
	if !ok {
		return candidate{}, model.Field{}, false
	}
	next := candidate{tree: c.tree, node: manifest.Deref(c.node), ahead: c.ahead[1:], step: c.step}
	return next, model.Field{Key: c.step, Value: c.tree.Field(nil, c.node).Value}, true
}

// mergeKeys are the keys by which kustomize merges lists of objects (the API's x-kubernetes-patch-merge-key), in the order of
// trying.
var mergeKeys = []string{"name", "containerPort", "port", "mountPath", "devicePath", "topologyKey", "ip", "key", "type"}

// item is the part of a candidate for an element of a list: of equal merge key, or equal value, or else at its index in a JSON
// patch.
func (c candidate) item(item *yaml.Node, i, of int) (candidate, model.Field, bool) {
	if len(c.ahead) > 0 {
		return c.forward(c.ahead[0] == strconv.Itoa(i) || c.ahead[0] == "-" && i == of-1)
	}
	if c.node.Kind != yaml.SequenceNode {
		return candidate{}, model.Field{}, false
	}
	for j, have := range c.node.Content {
		v := manifest.Deref(have)
		if v.Kind != item.Kind {
			continue
		}
		same := false
		switch v.Kind {
		case yaml.ScalarNode:
			same = v.Value == item.Value && (j == i || len(c.node.Content) != of)
		case yaml.MappingNode:
			for _, k := range mergeKeys {
				want, got := textOf(item, k), textOf(v, k)
				if want != "" || got != "" {
					same = want == got
					break
				}
			}
		}
		if same {
			return candidate{tree: c.tree, node: v, base: c.base}, c.tree.Field(nil, have), true
		}
	}
	return candidate{}, model.Field{}, false
}
