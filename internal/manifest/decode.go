package manifest

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	yaml "go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// problemKind says what is wrong with a field.
type problemKind uint8

const (
	unknownField problemKind = iota // the type has no such field: the API server drops it
	wrongType                       // the value does not decode: the API server rejects the object
	placeholder                     // the value is to be replaced before it reaches the API server
	repeatedKey                     // a later key of the same name overrides this one
)

// problem is one field that did not decode as written. Everything else of the object decodes nevertheless.
type problem struct {
	kind   problemKind
	path   string // below the decoded value, "httpGet.port"
	parent *yaml.Node
	key    *yaml.Node // nil for an element of a sequence
	value  *yaml.Node
	// typ is the type that was wanted or, for unknownField, the struct without that field.
	typ reflect.Type
}

// decoder turns nodes into the types of k8s.io/api as the API server does, with two differences: it goes on after an
// error, and it knows where everything stands. The rules are those of sigs.k8s.io/yaml followed by the API server's JSON
// decoder: names are case-sensitive, text is no number, YAML 1.1 says what a boolean is.
type decoder struct {
	types    *typeTable
	doc      *document
	problems []problem
	path     []string
}

// typeTable remembers the fields of struct types for one run.
type typeTable struct{ m sync.Map }

func newTypeTable() *typeTable { return &typeTable{} }

type structInfo struct {
	names  []string // in order of declaration
	fields map[string][]int
}

func (t *typeTable) of(typ reflect.Type) *structInfo {
	if s, ok := t.m.Load(typ); ok {
		return s.(*structInfo)
	}
	s := &structInfo{fields: map[string][]int{}}
	s.add(typ, nil)
	t.m.Store(typ, s)
	return s
}

func (s *structInfo) add(typ reflect.Type, index []int) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := append(append([]int{}, index...), i)
		switch {
		case f.Anonymous && (name == "" || strings.Contains(rest, "inline")) && f.Type.Kind() == reflect.Struct:
			s.add(f.Type, at)
		case name != "" && name != "-":
			s.names = append(s.names, name)
			s.fields[name] = at
		}
	}
}

// pathOf is the present path.
func (d *decoder) pathOf() string {
	var b strings.Builder
	for i, p := range d.path {
		if i > 0 && p[0] != '[' {
			b.WriteByte('.')
		}
		b.WriteString(p)
	}
	return b.String()
}

func (d *decoder) report(k problemKind, parent, key, value *yaml.Node, typ reflect.Type) {
	d.problems = append(d.problems, problem{k, d.pathOf(), parent, key, value, typ})
}

var (
	quantityType    = reflect.TypeFor[resource.Quantity]()
	intOrStringType = reflect.TypeFor[intstr.IntOrString]()
)

// value decodes n into v, which is settable. It reports whether v holds something afterwards.
func (d *decoder) value(parent, key, n *yaml.Node, v reflect.Value) bool {
	n = deref(n)
	if isNull(n) {
		return false
	}
	t := v.Type()
	switch t {
	case quantityType:
		if n.Kind == yaml.ScalarNode {
			if q, err := resource.ParseQuantity(n.Value); err == nil {
				v.Set(reflect.ValueOf(q))
				return true
			}
		}
		return d.wrong(parent, key, n, t)
	case intOrStringType:
		return d.intOrString(parent, key, n, v)
	}
	switch t.Kind() {
	case reflect.Pointer:
		e := reflect.New(t.Elem())
		if d.value(parent, key, n, e.Elem()) {
			v.Set(e)
			return true
		}
		return false
	case reflect.Struct:
		return d.structure(parent, key, n, v)
	case reflect.Slice:
		return d.slice(parent, key, n, v)
	case reflect.Map:
		return d.mapping(parent, key, n, v)
	}
	return d.scalar(parent, key, n, v)
}

func (d *decoder) wrong(parent, key, n *yaml.Node, t reflect.Type) bool {
	kind := wrongType
	if n.Kind == yaml.ScalarNode && isPlaceholder(n.Value) || n.Kind == yaml.MappingNode && d.doc.templated && isTemplateNode(n) {
		kind = placeholder
	}
	d.report(kind, parent, key, n, t)
	return false
}

func (d *decoder) structure(parent, key, n *yaml.Node, v reflect.Value) bool {
	t := v.Type()
	if n.Kind != yaml.MappingNode {
		return d.wrong(parent, key, n, t)
	}
	info := d.types.of(t)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := deref(n.Content[i])
		at, ok := info.fields[k.Value]
		d.path = append(d.path, nonEmpty(k.Value))
		if ok && k.Kind == yaml.ScalarNode {
			d.value(n, n.Content[i], n.Content[i+1], v.FieldByIndex(at))
		} else {
			d.report(unknownField, n, n.Content[i], n.Content[i+1], t)
		}
		d.path = d.path[:len(d.path)-1]
	}
	for _, k := range d.doc.dropped[n] {
		d.path = append(d.path, nonEmpty(deref(k).Value))
		d.report(repeatedKey, n, k, k, t)
		d.path = d.path[:len(d.path)-1]
	}
	return true
}

func nonEmpty(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

func (d *decoder) slice(parent, key, n *yaml.Node, v reflect.Value) bool {
	t := v.Type()
	if n.Kind != yaml.SequenceNode || t.Elem().Kind() == reflect.Uint8 {
		return d.wrong(parent, key, n, t)
	}
	s := reflect.MakeSlice(t, len(n.Content), len(n.Content))
	for i, c := range n.Content {
		d.path = append(d.path, index(i))
		d.value(n, nil, c, s.Index(i))
		d.path = d.path[:len(d.path)-1]
	}
	v.Set(s)
	return true
}

func index(i int) string { return "[" + strconv.Itoa(i) + "]" }

func (d *decoder) mapping(parent, key, n *yaml.Node, v reflect.Value) bool {
	t := v.Type()
	if n.Kind != yaml.MappingNode || t.Key().Kind() != reflect.String {
		return d.wrong(parent, key, n, t)
	}
	m := reflect.MakeMapWithSize(t, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := deref(n.Content[i])
		e := reflect.New(t.Elem()).Elem()
		d.path = append(d.path, nonEmpty(k.Value))
		d.value(n, n.Content[i], n.Content[i+1], e)
		d.path = d.path[:len(d.path)-1]
		m.SetMapIndex(reflect.ValueOf(k.Value).Convert(t.Key()), e)
	}
	v.Set(m)
	return true
}

func (d *decoder) scalar(parent, key, n *yaml.Node, v reflect.Value) bool {
	t := v.Type()
	if n.Kind != yaml.ScalarNode {
		return d.wrong(parent, key, n, t)
	}
	switch t.Kind() {
	case reflect.String:
		v.SetString(n.Value) // kept also where it is no text: the intention is plain
		if !isText(n) {
			return d.wrong(parent, key, n, t) || true
		}
		return true
	case reflect.Bool:
		if b, ok := boolean(n); ok {
			v.SetBool(b)
			return true
		}
		return d.wrong(parent, key, n, t)
	case reflect.Int, reflect.Int32, reflect.Int64:
		i, ok := wholeNumber(n.Value)
		ok = ok && !v.OverflowInt(i)
		if ok {
			v.SetInt(i)
		}
		if ok && (n.Tag == "!!int" || n.Tag == "!!float") {
			return true
		}
		return d.wrong(parent, key, n, t) || ok
	case reflect.Float64, reflect.Float32:
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && (n.Tag == "!!int" || n.Tag == "!!float") {
			v.SetFloat(f)
			return true
		}
		return d.wrong(parent, key, n, t)
	}
	return false
}

// intOrString decodes a port: a number is a number, and text is a name even where it is made of digits.
func (d *decoder) intOrString(parent, key, n *yaml.Node, v reflect.Value) bool {
	if n.Kind != yaml.ScalarNode {
		return d.wrong(parent, key, n, v.Type())
	}
	if isText(n) {
		if isPlaceholder(n.Value) {
			return d.wrong(parent, key, n, v.Type())
		}
		v.Set(reflect.ValueOf(intstr.FromString(n.Value)))
		return true
	}
	if i, ok := wholeNumber(n.Value); ok && i >= math.MinInt32 && i <= math.MaxInt32 && n.Tag != "!!bool" {
		v.Set(reflect.ValueOf(intstr.FromInt32(int32(i))))
		return true
	}
	return d.wrong(parent, key, n, v.Type())
}

// isText reports whether a scalar is text for the API server. YAML 1.1, which sigs.k8s.io/yaml reads, takes more words for
// booleans than YAML 1.2.
func isText(n *yaml.Node) bool {
	switch n.Tag {
	case "!!int", "!!float", "!!bool":
		return false
	}
	_, isBool := boolean(n)
	return !isBool
}

// boolean is the value of a plain scalar that YAML 1.1 takes for a boolean.
func boolean(n *yaml.Node) (value, ok bool) {
	if n.Tag == "!!bool" {
		return strings.EqualFold(n.Value, "true"), true
	}
	if n.Style&^yaml.TaggedStyle != 0 || n.Style&yaml.TaggedStyle != 0 && n.Tag == "!!str" {
		return false, false
	}
	switch n.Value {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// wholeNumber reads a YAML number that has no fraction: 10, 0x1f, 1_000, 1e1, 10.0.
func wholeNumber(s string) (int64, bool) {
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return i, true
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// isPlaceholder recognises text that another tool replaces before the API server sees it: ${PERIOD}, $PORT, {{ .Values.x }},
// __PORT__, @PORT@, %PORT%, <port>.
func isPlaceholder(s string) bool {
	if strings.Contains(s, "${") || strings.Contains(s, "{{") || strings.Contains(s, "$(") || strings.Contains(s, "<%") {
		return true
	}
	if len(s) < 2 {
		return false
	}
	first, last := s[0], s[len(s)-1]
	switch {
	case first == '$':
		return strings.Trim(s[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
	case first == '<' && last == '>', first == '@' && last == '@', first == '%' && last == '%':
		return len(s) > 2
	}
	return len(s) > 4 && strings.HasPrefix(s, "__") && strings.HasSuffix(s, "__")
}

// isTemplateNode recognises `{{ .Values.x }}` where YAML takes it for a mapping.
func isTemplateNode(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle != 0 && len(n.Content) == 2 && deref(n.Content[0]).Kind == yaml.MappingNode
}
