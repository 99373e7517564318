package manifest

import (
	"fmt"
	"path"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Of a key that is written twice the last one holds for the API server. Inside a container and a pod spec the decoder says
// so; here are the keys above, where a repetition decides which pod template there is.

// level is a mapping on the way from the object to its pod spec, with the keys that matter there.
type level struct {
	path string // "" for the object, else with a dot at its end: "spec.template."
	node *yaml.Node
	keys map[string]bool
}

// levels are the mappings above the pod spec at specPath.
func (o *object) levels(specPath string) []level {
	out := []level{{node: o.node, keys: map[string]bool{"apiVersion": true, "kind": true, "metadata": true}}}
	for _, step := range split2(specPath) {
		at := &out[len(out)-1]
		at.keys[step] = true
		_, n := get(at.node, step)
		if n == nil || n.Kind != yaml.MappingNode {
			break
		}
		out = append(out, level{at.path + step + ".", n, map[string]bool{"metadata": true}})
	}
	return out[:max(1, len(out)-1)] // the pod spec is the decoder's
}

// repeated records the keys above the pod spec that are written twice.
func (b *builder) repeated() {
	doc := b.o.doc
	for _, l := range b.o.levels(b.t.specPath) {
		for _, k := range doc.dropped[l.node] {
			if name := deref(k).Value; l.keys[name] {
				b.invalid(model.Invalid{Path: l.path + name, Span: doc.keySpan(k), Title: "is written twice", Label: overrides(name)})
			}
		}
	}
}

func overrides(name string) string { return "the `" + clip(name) + "` below overrides this one" }

// overridden reports an object whose pod template is lost because a later key of the same name overrides it: the object
// looks as if it had none, and would be passed over.
func (r *reader) overridden(c *contents, o *object) {
	specPath := "spec"
	if p, ok := knownKinds[o.kind][o.group()]; ok && p != "" {
		specPath = p + ".spec.containers" // also the pod spec itself
	}
	for _, l := range o.levels(specPath) {
		for _, k := range o.doc.dropped[l.node] {
			name := deref(k).Value
			s := search{}
			if l.keys[name] {
				s.in(o.doc.overriddenValue(l.node, k), l.path+name, nil, "", 0)
			}
			if len(s.found) == 0 {
				continue
			}
			file, span := path.Base(c.in.rel), o.doc.keySpan(k)
			c.file.Status = StatusUnreadable
			c.note(fmt.Sprintf("line %d: `%s` is written twice, and the last one holds no pod template", span.Line, l.path+name))
			c.findings = append(c.findings, lint.Finding{
				Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
				Title:    lint.Title("%s of %s is written twice, and the last one holds no pod template", lint.Quote(l.path+name), lint.Quote(o.name)),
				Primary:  lint.Label{Span: span, Text: lint.Text("the %s below overrides this one", lint.Quote(name))},
				Notes:    []string{"of two equal keys the API server keeps the last, so that the containers written here do not exist; nothing in the object was checked"},
				Identity: []string{file, o.kind, o.name, "repeated", l.path + name},
			})
			return
		}
	}
}

// overriddenValue is the value of a key that a later one overrides.
func (d *document) overriddenValue(n, key *yaml.Node) *yaml.Node {
	pairs := d.written[n]
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == key {
			return pairs[i+1]
		}
	}
	return nil
}
