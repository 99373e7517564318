package manifest

import (
	"fmt"

	yaml "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/probelint/probelint/internal/model"
)

// belongs says where a field about probes has its place, "" for any other field.
func belongs(name string) string {
	switch {
	case isRoleKey(name) || name == "lifecycle":
		return "a container"
	case name == "preStop" || name == "postStart":
		return "`lifecycle`"
	case name == graceField:
		return "the pod spec or to a probe"
	case isTiming(name):
		return "a probe"
	}
	for _, h := range handlers {
		if string(h) == name {
			return "a probe"
		}
	}
	return ""
}

// containerProblems records what concerns probes in a container but lies outside a probe: mis-spelled and repeated keys of
// probes, probe fields that stand elsewhere in the container, and everything that is wrong in its hooks.
func (b *builder) containerProblems(c *model.Container, all []problem) {
	doc := b.o.doc
	add := func(i model.Invalid) { c.Invalid = append(c.Invalid, i) }
	for _, p := range all {
		first, name := firstOf(p.path), lastOf2(p.path)
		top := first == p.path
		switch {
		case p.kind == placeholder:
		case p.kind == repeatedKey:
			if top && (isRoleKey(name) || name == "lifecycle") || !top && first == "lifecycle" {
				add(model.Invalid{Path: p.path, Span: doc.keySpan(p.key), Title: "is written twice", Label: "the `" + name + "` below overrides this one"})
			}
		case isRoleKey(first):
			// The probe has recorded it.
		case p.kind == wrongType:
			if first == "lifecycle" {
				add(model.Invalid{Path: p.path, Span: doc.valueSpan(p.key, p.value), Title: mismatch(p), Label: labelRejected, Rejected: true})
			}
		case top:
			if i, ok := b.misspelled(p, name, "a container", []string{"livenessProbe", "readinessProbe", "startupProbe", "lifecycle"}); ok {
				add(i)
			} else if at := belongs(name); at != "" && b.t.known {
				add(model.Invalid{Path: p.path, Span: doc.keySpan(p.key), Title: "belongs to " + at + ", not to a container", Label: labelDropped})
			}
		case first == "lifecycle":
			i, ok := b.misspelled(p, name, "`"+parentOf(p.path)+"`", b.r.types.of(p.typ).names)
			if !ok {
				i = model.Invalid{Path: p.path, Span: doc.keySpan(p.key), Title: "is no field of `" + parentOf(p.path) + "`", Label: labelDropped}
			}
			add(i)
		default:
			if at := belongs(name); at != "" && b.t.known {
				add(model.Invalid{Path: p.path, Span: doc.keySpan(p.key), Title: "belongs to " + at + ", not to `" + clip(parentOf(p.path)) + "`", Label: labelDropped})
			}
		}
	}
}

// misspelled makes the record of a key that is clearly one of names.
func (b *builder) misspelled(p problem, name, place string, names []string) (model.Invalid, bool) {
	near := nearest(name, names)
	if near == "" {
		return model.Invalid{}, false
	}
	i := model.Invalid{
		Path: p.path, Span: b.o.doc.keySpan(p.key), Title: "is no field of " + place, Label: "dropped: the field is `" + near + "`",
	}
	if k, _ := child(p.parent, near); k == nil {
		i.Rename = near
	}
	return i, true
}

// podProblems records what is wrong in a pod spec outside its containers.
func (b *builder) podProblems(all []problem) {
	doc := b.o.doc
	for _, p := range all {
		path := b.t.specPath + "." + p.path
		switch p.kind {
		case wrongType:
			if p.path == graceField {
				b.invalid(model.Invalid{Path: path, Span: doc.valueSpan(p.key, p.value), Title: mismatch(p), Label: labelRejected, Rejected: true})
			}
		case unknownField:
			if i, ok := b.misspelled(p, p.path, "a pod spec", []string{graceField}); ok {
				i.Path = path
				b.invalid(i)
			} else if at := belongs(p.path); at != "" && b.t.known && !b.knative() {
				b.invalid(model.Invalid{Path: path, Span: doc.keySpan(p.key), Title: "belongs to " + at + ", not to the pod spec", Label: labelDropped})
			}
		}
	}
	for _, k := range doc.dropped[b.t.spec] {
		if name := deref(k).Value; name == "containers" || name == graceField {
			b.invalid(model.Invalid{Path: b.t.specPath + "." + name, Span: doc.keySpan(k), Title: "is written twice", Label: "the `" + name + "` below overrides this one"})
		}
	}
}

func (b *builder) invalid(i model.Invalid) { b.w.Invalid = append(b.w.Invalid, i) }

// misplaced records fields about probes that stand above the pod spec: in the object, its spec, the template.
func (b *builder) misplaced() {
	if b.knative() {
		return
	}
	prefix := ""
	at := b.o.node
	look := func(n *yaml.Node, place string) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := deref(n.Content[i]).Value
			where := belongs(name)
			if where == "" || name == "exec" {
				continue
			}
			if name == graceField {
				where = "the pod spec"
			}
			b.invalid(model.Invalid{Path: prefix + name, Span: b.o.doc.keySpan(n.Content[i]), Title: "belongs to " + where + ", not to " + place, Label: labelDropped})
		}
	}
	look(at, "the object")
	for _, step := range split2(b.t.path) {
		_, at = get(at, step)
		if at == nil || at.Kind != yaml.MappingNode {
			return
		}
		prefix += step + "."
		look(at, "`"+prefix[:len(prefix)-1]+"`")
	}
}

// lifecycle reads the hooks of a container and checks them.
func (b *builder) lifecycle(c *model.Container, typed *corev1.Container, n *yaml.Node) {
	key, value := get(n, "lifecycle")
	if key == nil || isNull(value) {
		return
	}
	at := c.Fields.Key("lifecycle", c.Span)
	reject := func(path string, span model.Span, title, label string) {
		c.Invalid = append(c.Invalid, model.Invalid{Path: path, Span: span, Title: title, Label: label, Rejected: true})
	}
	switch c.Kind {
	case model.Init:
		reject("lifecycle", at, "is not allowed in an init container without `restartPolicy: Always`", labelRejected)
	case model.Ephemeral:
		reject("lifecycle", at, "is not allowed in an ephemeral container", labelRejected)
	}
	if typed.Lifecycle == nil {
		return
	}
	for _, hook := range []struct {
		name string
		h    *corev1.LifecycleHandler
	}{{"postStart", typed.Lifecycle.PostStart}, {"preStop", typed.Lifecycle.PreStop}} {
		path := "lifecycle." + hook.name
		if hook.h == nil {
			continue
		}
		_, hn := get(value, hook.name)
		var have []string
		for i := 0; i+1 < len(hn.Content); i += 2 {
			switch name := deref(hn.Content[i]).Value; name {
			case "exec", "httpGet", "tcpSocket", "sleep":
				if written(hn, name) {
					have = append(have, name)
				}
			}
		}
		switch {
		case len(have) == 0:
			reject(path, c.Fields.Key(path, at), "has no handler", "no exec, httpGet, tcpSocket or sleep")
		case len(have) > 1:
			second := path + "." + have[1]
			reject(second, c.Fields.Key(second, at), "is a second handler beside `"+have[0]+"`", "a hook takes one handler")
		}
		if s := hook.h.Sleep; s != nil && (s.Seconds < 0 || s.Seconds > b.grace) {
			where := path + ".sleep.seconds"
			title := fmt.Sprintf("is %d, above `terminationGracePeriodSeconds` of %d", s.Seconds, b.grace)
			if s.Seconds < 0 {
				title = fmt.Sprintf("is %d, and the least value is 0", s.Seconds)
			}
			reject(where, c.Fields.Value(where, at), title, labelRejected)
		}
		if hook.name == "preStop" && len(have) > 0 {
			c.PreStop = preStop(have[0], hook.h, c.Fields.Value(path+"."+have[0], at))
		}
	}
}

func firstOf(path string) string {
	for i := range len(path) {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return path
}
