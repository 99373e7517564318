package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"
	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// pass is one rendering of a chart's templates.
type pass struct {
	*guard
	// lenient: a required value that is missing is empty, and fail does not.
	lenient bool
	// marks: the templates are instrumented. of are the places of the marks, by their numbers, and values those of the
	// values.
	marks  bool
	of     *[]mark
	values *known
}

// functions are those that Helm's engine is given in place of its own: the same with bounds, and with marks where it marks.
func (p *pass) functions() template.FuncMap {
	f := p.guard.functions()
	f["toYaml"] = p.toYAML
	f["mustToYaml"] = func(v any) (string, error) { return p.yaml(v, sigsyaml.Marshal) }
	f["toYamlPretty"] = func(v any) string { s, _ := p.yaml(v, pretty); return s }
	f["toJson"] = func(v any) string { s, _ := p.toJSON(v); return s }
	f["mustToJson"] = p.toJSON
	f["required"] = p.required
	f["fail"] = func(message string) (string, error) {
		p.step(0)
		if p.lenient {
			return "", nil
		}
		return "", errors.New("HELM_ERR_START" + message + "HELM_ERR_END")
	}
	if p.marks {
		f[fnMark], f[fnPlain], f[fnStep], f[fnNone] = p.mark, p.plain, p.counted, func() any { return nil }
		p.derived(f)
	}
	return f
}

func (p *pass) required(message string, v any) (any, error) {
	p.step(0)
	if s, ok := v.(string); v != nil && !(ok && s == "") {
		return v, nil
	}
	if p.lenient {
		return "", nil
	}
	return v, errors.New("HELM_ERR_START" + message + "HELM_ERR_END")
}

// mark is what an action prints, with the action's mark before its first character.
func (p *pass) mark(id int, v any) (string, error) {
	p.count(v)
	s, err := printed(v)
	if err != nil {
		return "", err
	}
	p.text(len(s))
	p.printed(len(s))
	if i := indent(s); i >= 0 && id >= 0 {
		return s[:i] + markOf(id) + s[i:], nil
	}
	return s, nil
}

// printed writes a value as text/template prints it.
func printed(v any) (string, error) {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && !r.IsNil() {
		_, isError := v.(error)
		_, isStringer := v.(fmt.Stringer)
		if !isError && !isStringer {
			r = r.Elem()
		}
	}
	switch r.Kind() {
	case reflect.Invalid:
		return "<no value>", nil
	case reflect.Chan, reflect.Func:
		return "", fmt.Errorf("can't print %s", r.Type())
	}
	if r.Kind() == reflect.Struct && !implements(r.Type()) && implements(reflect.PointerTo(r.Type())) {
		// A field of a struct behind a pointer: text/template finds the method of its address, which an argument has lost.
		at := reflect.New(r.Type())
		at.Elem().Set(r)
		r = at
	}
	return fmt.Sprint(r.Interface()), nil
}

func implements(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[error]()) || t.Implements(reflect.TypeFor[fmt.Stringer]())
}

func (p *pass) counted(v any) any {
	n := 0
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Map, reflect.Slice, reflect.Array, reflect.String:
		n = r.Len()
	case reflect.Int, reflect.Int64, reflect.Int32:
		p.items(int(min(r.Int(), mostItems+1)))
		n = int(max(r.Int(), 0))
	}
	p.step(n)
	return v
}

// plain is a value without marks: itself where there are none in it.
func (p *pass) plain(v any) any {
	p.step(0)
	switch x := v.(type) {
	case string:
		return withoutMarks(x)
	case map[string]any, []any, []string:
		left := mostNodes
		if !p.marked(reflect.ValueOf(x), &left, 0) {
			return v
		}
		return p.without(x)
	}
	return v
}

func (p *pass) marked(v reflect.Value, left *int, depth int) bool {
	if *left--; *left < 0 || depth > 1000 {
		p.exceed()
	}
	switch v.Kind() {
	case reflect.Interface:
		return !v.IsNil() && p.marked(v.Elem(), left, depth+1)
	case reflect.String:
		return strings.Contains(v.String(), markLead)
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if p.marked(it.Key(), left, depth+1) || p.marked(it.Value(), left, depth+1) {
				return true
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return false
		}
		for i := range v.Len() {
			if p.marked(v.Index(i), left, depth+1) {
				return true
			}
		}
	}
	return false
}

// without copies a value without its marks. Its size was counted by marked.
func (p *pass) without(v any) any {
	switch x := v.(type) {
	case string:
		return withoutMarks(x)
	case []string:
		out := make([]string, len(x))
		for i, s := range x {
			out[i] = withoutMarks(s)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = p.without(e)
		}
		return out
	}
	if m := asMap(v); m != nil {
		out := make(map[string]any, len(m))
		for k, e := range m {
			out[withoutMarks(k)] = p.without(e)
		}
		return out
	}
	return v
}

func (p *pass) toJSON(v any) (string, error) {
	p.count(v)
	data, err := json.Marshal(p.plain(v))
	return string(data), err
}

func (p *pass) toYAML(v any) string {
	s, err := p.yaml(v, sigsyaml.Marshal)
	if err != nil {
		return "" // as Helm does
	}
	return s
}

func pretty(v any) ([]byte, error) {
	var b bytes.Buffer
	e := goyaml.NewEncoder(&b)
	e.SetIndent(2)
	err := e.Encode(v)
	return b.Bytes(), err
}

// yaml writes a value as Helm does, and marks each key whose place is known.
func (p *pass) yaml(v any, marshal func(any) ([]byte, error)) (string, error) {
	p.count(v)
	data, err := marshal(p.plain(v))
	if err != nil {
		return "", err
	}
	s := strings.TrimSuffix(string(data), "\n")
	p.text(len(s))
	const most = 1 << 20 // more text is no probe
	if p.marks && p.values != nil && len(s) < most {
		s = p.annotate(s, v)
	}
	return s, nil
}

// annotate puts marks into a text that v was written as.
func (p *pass) annotate(s string, v any) string {
	var n yaml.Node
	if asMap(v) == nil && reflect.ValueOf(v).Kind() != reflect.Slice || yaml.Unmarshal([]byte(s), &n) != nil || len(n.Content) != 1 {
		return s
	}
	a := annotator{pass: p, text: s, lines: []int{0}}
	for i := range len(s) {
		if s[i] == '\n' {
			a.lines = append(a.lines, i+1)
		}
	}
	a.node(n.Content[0], v, 0)
	slices.SortStableFunc(a.found, func(x, y placed) int { return x.off - y.off })
	var b strings.Builder
	last := 0
	for _, f := range a.found {
		b.WriteString(s[last:f.off])
		b.WriteString(markOf(f.id))
		last = f.off
	}
	b.WriteString(s[last:])
	return b.String()
}

type annotator struct {
	*pass
	text  string
	lines []int
	found []placed
}

func (a *annotator) node(n *yaml.Node, v any, depth int) {
	if depth > 100 {
		return
	}
	if m := asMap(v); m != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if pl := a.values.of(m, key.Value); pl != nil {
				a.add(key, mark{kind: valueMark, keyLength: len(key.Value), key: pl.at.Key, value: pl.at.Value})
			}
			a.node(n.Content[i+1], m[key.Value], depth+1)
		}
		return
	}
	l, ok := v.([]any)
	if !ok || n.Kind != yaml.SequenceNode || len(l) != len(n.Content) {
		return
	}
	for i, c := range n.Content {
		if pl := a.values.item(l, i); pl != nil && c.Kind == yaml.ScalarNode {
			a.add(c, mark{kind: valueMark, value: pl.at.Value})
		}
		a.node(c, l[i], depth+1)
	}
}

func (a *annotator) add(n *yaml.Node, m mark) {
	if n.Line < 1 || n.Line > len(a.lines) {
		return
	}
	off := a.lines[n.Line-1]
	for i := 1; i < n.Column && off < len(a.text); i++ {
		_, size := utf8.DecodeRuneInString(a.text[off:])
		off += size
	}
	*a.of = append(*a.of, m)
	a.found = append(a.found, placed{off, len(*a.of) - 1})
}

// derived makes the functions that copy values record where the copies came from.
func (p *pass) derived(f template.FuncMap) {
	if p.values == nil {
		return
	}
	for _, name := range []string{"pick", "omit"} {
		fn := f[name].(func(map[string]any, ...string) map[string]any)
		f[name] = func(m map[string]any, keys ...string) map[string]any {
			out := fn(m, keys...)
			p.values.derive(out, m)
			return out
		}
	}
	for name, overwrites := range map[string]bool{"merge": false, "mergeOverwrite": true} {
		fn := f[name].(func(map[string]any, ...map[string]any) any)
		f[name] = func(m map[string]any, more ...map[string]any) any {
			out := fn(m, more...)
			p.values.derive(out, sources(m, more, overwrites)...)
			return out
		}
	}
	for name, overwrites := range map[string]bool{"mustMerge": false, "mustMergeOverwrite": true} {
		fn := f[name].(func(map[string]any, ...map[string]any) (any, error))
		f[name] = func(m map[string]any, more ...map[string]any) (any, error) {
			out, err := fn(m, more...)
			p.values.derive(out, sources(m, more, overwrites)...)
			return out, err
		}
	}
	deepCopy := f["deepCopy"].(func(any) any)
	f["deepCopy"] = func(v any) any {
		out := deepCopy(v)
		p.values.copied(out, v, 0)
		return out
	}
	mustDeepCopy := f["mustDeepCopy"].(func(any) (any, error))
	f["mustDeepCopy"] = func(v any) (any, error) {
		out, err := mustDeepCopy(v)
		p.values.copied(out, v, 0)
		return out, err
	}
}

// sources are the maps of a merge, the one that wins first.
func sources(m map[string]any, more []map[string]any, overwrites bool) []any {
	out := []any{m}
	for _, x := range more {
		out = append(out, x)
	}
	if overwrites {
		slices.Reverse(out)
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
