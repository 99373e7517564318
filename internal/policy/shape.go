package policy

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/model"
)

// kind is what a value is.
type kind uint8

const (
	isObject  kind = iota // an object of the model
	isMapping             // names to values, such as labels
	isList
	isSet
	isText
	isNumber
	isBool
	isLiteral // an object that a policy writes
)

// shape is what is known of a value before the policy runs: an object of the model with its fields, or something simpler.
type shape struct {
	kind kind
	// name is what people call it: "probe", "dependency".
	name string
	// fields and order are those of an object; terms are the keys and values of a literal as they are written.
	fields map[string]union
	order  []string
	terms  map[string]*ast.Term
	// open: a literal with keys that are not constant.
	open bool
	elem union // of a list, set or mapping
	// enum are the only words that it can be; of a constant the one that it is.
	enum     []string
	constant bool
	// examples are words that it is most often, where others are allowed.
	examples []string
}

// union is what a value can be. The zero value is what is not known yet; any is what will not be known.
type union struct {
	any bool
	of  []*shape
}

var unknown = union{any: true}

func one(s *shape) union { return union{of: []*shape{s}} }

func (u union) known() bool { return !u.any && len(u.of) > 0 }
func (u union) empty() bool { return !u.any && len(u.of) == 0 }

// maxAlternatives bounds what a value can be; beyond it the value is not known.
const maxAlternatives = 64

func (u union) or(v union) union {
	if u.any || v.any {
		return unknown
	}
	out := slices.Clip(u.of)
	for _, s := range v.of {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) > maxAlternatives {
		return unknown
	}
	return union{of: out}
}

// all reports whether the value is known to be of one of these kinds.
func (u union) all(ks ...kind) bool {
	return u.known() && !slices.ContainsFunc(u.of, func(s *shape) bool { return !slices.Contains(ks, s.kind) })
}

// names is what people call the value: "a probe".
func (u union) names() string {
	var out []string
	for _, s := range u.of {
		n := s.what()
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return strings.Join(out, " or ")
}

func (s *shape) what() string {
	switch s.kind {
	case isObject:
		if s.name == "input" {
			return "the input"
		}
		return article(s.name)
	case isMapping:
		return "a map of names"
	case isList:
		return "a list"
	case isSet:
		return "a set"
	case isText:
		return "text"
	case isNumber:
		return "a number"
	case isBool:
		return "a boolean"
	}
	return "this object"
}

var (
	text1   = &shape{kind: isText}
	number1 = &shape{kind: isNumber}
	bool1   = &shape{kind: isBool}
)

// inputShape is the document that a policy sees, made of the types that are marshalled.
var inputShape = sync.OnceValue(func() *shape {
	b := &shapes{known: map[reflect.Type]*shape{}}
	return b.of(reflect.TypeFor[Input](), "").of[0]
})

type shapes struct{ known map[reflect.Type]*shape }

func (b *shapes) of(t reflect.Type, tag string) union {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		if words := wordsIn(tag, "enum="); len(words) > 0 {
			return one(&shape{kind: isText, enum: words})
		}
		if words := wordsIn(tag, "example="); len(words) > 0 {
			return one(&shape{kind: isText, examples: words})
		}
		return one(text1)
	case reflect.Bool:
		return one(bool1)
	case reflect.Slice:
		return one(&shape{kind: isList, elem: b.of(t.Elem(), "")})
	case reflect.Map:
		return one(&shape{kind: isMapping, elem: b.of(t.Elem(), "")})
	case reflect.Struct:
		if s := b.known[t]; s != nil {
			return one(s)
		}
		s := &shape{kind: isObject, name: wordsOf(t.Name()), fields: map[string]union{}}
		b.known[t] = s
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" || name == "" {
				continue
			}
			s.fields[name] = b.of(f.Type, f.Tag.Get("jsonschema"))
			s.order = append(s.order, name)
		}
		return one(s)
	}
	return one(number1)
}

// wordsIn are the words of a tag such as `enum=http,enum=grpc`.
func wordsIn(tag, before string) []string {
	var out []string
	for _, part := range strings.Split(tag, ",") {
		if w, ok := strings.CutPrefix(part, before); ok {
			out = append(out, w)
		}
	}
	return out
}

// wordsOf is the name of a type in words: ContainerPort is "container port".
func wordsOf(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(runes[i-1]) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// field is a field of every alternative that has it. missing: none has, and all are known.
func (u union) field(name string) (out union, missing bool) {
	if !u.known() {
		return unknown, false
	}
	found := false
	for _, s := range u.of {
		switch s.kind {
		case isObject, isLiteral:
			f, ok := s.fields[name]
			if !ok && s.open {
				f, ok = unknown, true
			}
			if ok {
				out, found = out.or(f), true
			}
		case isMapping, isSet:
			out, found = out.or(s.elem), true
		}
	}
	if !found {
		return unknown, true
	}
	return out, false
}

// element is what iteration yields, and the keys that go with it.
func (u union) element() (key, value union) {
	if !u.known() {
		return unknown, unknown
	}
	for _, s := range u.of {
		switch s.kind {
		case isList:
			key, value = key.or(one(number1)), value.or(s.elem)
		case isSet:
			key, value = key.or(s.elem), value.or(s.elem)
		case isMapping:
			key, value = key.or(one(text1)), value.or(s.elem)
		case isObject, isLiteral:
			key = key.or(one(text1))
			for _, f := range s.order {
				value = value.or(s.fields[f])
			}
			if s.open {
				value = unknown
			}
		}
	}
	if key.empty() {
		return unknown, unknown
	}
	if value.empty() {
		value = unknown
	}
	return key, value
}

// fieldNames are the fields of all alternatives.
func (u union) fieldNames() []string {
	var out []string
	for _, s := range u.of {
		for _, f := range s.order {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// path follows a field path of a result ("target.path", "ports[0].name"). bad is the part that leads nowhere, within at.
func (u union) path(path string) (at union, bad string) {
	at = u
	for rest := path; rest != ""; {
		if at.any || at.all(isMapping) { // a name such as app.kubernetes.io/name has dots of its own
			return unknown, ""
		}
		part := rest
		if i := strings.IndexAny(rest, ".["); i > 0 {
			part = rest[:i]
		}
		rest = strings.TrimPrefix(rest[len(part):], ".")
		next, missing := at.field(part)
		if missing {
			return at, part
		}
		at = next
		for strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if end < 0 || !at.any && !at.all(isList) {
				return at, rest
			}
			_, at = at.element()
			rest = strings.TrimPrefix(rest[end+1:], ".")
		}
	}
	return at, ""
}

// Input is the document that a policy sees, one for each workload, and one for each program that no manifest runs. It is the
// model of `inspect -f json`.
type Input struct {
	Version int `json:"version"`
	// Workload is absent where no manifest runs the program.
	Workload *model.Workload `json:"workload,omitempty"`
	// Programs are the Go programs that the workload's containers run, as far as they are known.
	Programs []*model.Program `json:"programs"`
	// Endpoints are the handlers that the workload's probes reach, or the health endpoints that no probe asks.
	Endpoints []*model.Endpoint `json:"endpoints"`
}
