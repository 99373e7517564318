package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// decoder fills a document from nodes and keeps what is wrong.
type decoder struct {
	src      *source.File
	at       map[string]model.Span
	problems []Problem
}

func (d *decoder) fail(at model.Span, format string, args ...any) {
	d.problems = append(d.problems, Problem{at, fmt.Sprintf(format, args...)})
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// root parses the text: exactly one document, a mapping.
func (d *decoder) root() *yaml.Node {
	dec := yaml.NewDecoder(strings.NewReader(string(d.src.Data)))
	var doc, second yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		d.fail(d.src.Span(0, 0), "the file is empty; it begins with `version: %d`", Version)
		return nil
	}
	if err == nil {
		if err = dec.Decode(&second); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			d.fail(d.span(&second), "a second document; a configuration is one document")
			return nil
		}
	}
	if err != nil {
		line, msg := 1, err.Error()
		if m := yamlLine.FindStringSubmatch(strings.TrimSpace(msg)); m != nil {
			line, _ = strconv.Atoi(m[1])
			msg = m[2]
		}
		at := d.src.Offset(max(line, 1), 1)
		d.fail(d.src.Span(at, at), "no YAML: %s", msg)
		return nil
	}
	n := deref(doc.Content[0])
	if n.Kind != yaml.MappingNode {
		d.fail(d.span(n), "%s, where keys such as `version: %d` are", kindOf(n), Version)
		return nil
	}
	return n
}

func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// span is the text of a scalar, or where anything else begins.
func (d *decoder) span(n *yaml.Node) model.Span {
	start := d.src.Offset(n.Line, n.Column)
	end := start
	if n.Kind == yaml.ScalarNode {
		switch n.Style {
		case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
			quote := d.src.Data[start]
			for end = start + 1; end < len(d.src.Data) && d.src.Data[end] != quote && d.src.Data[end] != '\n'; end++ {
				if d.src.Data[end] == '\\' {
					end++
				}
			}
			end = min(end+1, len(d.src.Data))
		default:
			if strings.HasPrefix(string(d.src.Data[start:]), n.Value) {
				end = start + len(n.Value)
			}
		}
	}
	return d.src.Span(start, end)
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// fill decodes a node into v; path is that of its keys.
func (d *decoder) fill(n *yaml.Node, v reflect.Value, path string) {
	n = deref(n)
	if v.Kind() == reflect.Pointer {
		p := reflect.New(v.Type().Elem())
		before := len(d.problems)
		d.fill(n, p.Elem(), path)
		if len(d.problems) == before {
			v.Set(p)
		}
		return
	}
	if s, ok := v.Addr().Interface().(scalar); ok {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			d.fail(d.span(n), "`%s` is %s, where a single value is wanted", path, kindOf(n))
			return
		}
		if err := s.parse(n.Value); err != nil {
			d.fail(d.span(n), "`%s`: %s", path, err)
		}
		return
	}
	switch v.Kind() {
	case reflect.String, reflect.Int, reflect.Bool:
		d.plain(n, v, path)
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return // a key whose lines are all comments
	}
	switch v.Kind() {
	case reflect.Struct:
		d.fields(n, v, path)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.fail(d.span(n), "`%s` is %s, where a list is wanted", path, kindOf(n))
			return
		}
		for i, c := range n.Content {
			item := reflect.New(v.Type().Elem()).Elem()
			at := fmt.Sprintf("%s[%d]", path, i)
			d.at[at] = d.span(deref(c))
			d.fill(c, item, at)
			v.Set(reflect.Append(v, item))
		}
	case reflect.Map:
		if n.Kind != yaml.MappingNode {
			d.fail(d.span(n), "`%s` is %s, where names with values are wanted", path, kindOf(n))
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		d.pairs(n, path, func(key, value *yaml.Node, at string) {
			item := reflect.New(v.Type().Elem()).Elem()
			before := len(d.problems)
			d.fill(value, item, at)
			if len(d.problems) == before {
				v.SetMapIndex(reflect.ValueOf(key.Value), item)
			}
		})
	}
}

// plain fills a text, a whole number, or a yes or no.
func (d *decoder) plain(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fail(d.span(n), "`%s` is %s, where a single value is wanted", path, kindOf(n))
		return
	}
	switch v.Kind() {
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if err != nil {
			d.fail(d.span(n), "`%s`: %q is no whole number", path, n.Value)
		}
		v.SetInt(int64(i))
	case reflect.Bool:
		b, err := strconv.ParseBool(n.Value)
		if err != nil {
			d.fail(d.span(n), "`%s`: %q is neither true nor false", path, n.Value)
		}
		v.SetBool(b)
	default:
		v.SetString(n.Value)
	}
}

// keyOf is how a field is written: its yaml tag, or that of its JSON.
func keyOf(f reflect.StructField) string {
	if name := f.Tag.Get("yaml"); name != "" {
		return name
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// pairs calls use for each key of a mapping that occurs for the first time.
func (d *decoder) pairs(n *yaml.Node, path string, use func(key, value *yaml.Node, at string)) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := deref(n.Content[i])
		if key.Kind != yaml.ScalarNode {
			d.fail(d.span(key), "%s, where a key is wanted", kindOf(key))
			continue
		}
		at := key.Value
		if path != "" {
			at = path + "." + at
		}
		if line, ok := first[key.Value]; ok {
			d.fail(d.span(key), "`%s` stands in line %d already", key.Value, line)
			continue
		}
		first[key.Value] = key.Line
		d.at[at] = d.span(key)
		use(key, n.Content[i+1], at)
	}
}

// fields fills a struct; a key that it does not have is an error with the nearest one.
func (d *decoder) fields(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.fail(d.span(n), "`%s` is %s, where keys with values are wanted", path, kindOf(n))
		return
	}
	byName := map[string]int{}
	var names []string
	for i := range v.NumField() {
		name := keyOf(v.Type().Field(i))
		byName[name] = i
		names = append(names, name)
	}
	have := map[string]bool{}
	d.pairs(n, path, func(key, value *yaml.Node, at string) {
		i, ok := byName[key.Value]
		if !ok {
			where := ""
			if path != "" {
				where = " of `" + path + "`"
			}
			if near := lint.Nearest(key.Value, names); near != "" {
				d.fail(d.span(key), "unknown key `%s`%s; did you mean `%s`?", key.Value, where, near)
			} else {
				d.fail(d.span(key), "unknown key `%s`%s; there are %s", key.Value, where, lint.And(names))
			}
			return
		}
		have[key.Value] = true
		d.fill(value, v.Field(i), at)
	})
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if name := keyOf(f); f.Tag.Get("jsonschema") == "required" && !have[name] {
			where := d.span(n)
			if path == "" {
				d.fail(where, "`%s` is missing; the file begins with `version: %d`", name, Version)
			} else {
				d.fail(where, "`%s` has no `%s`", path, name)
			}
		}
	}
}

// frame draws the line of a place, cut where it is long.
func frame(f *source.File, at model.Span) string {
	line, column := f.Position(at.Start)
	text := []rune(strings.ReplaceAll(string(f.Line(line)), "\t", " "))
	const most = 100
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	for i, r := range text {
		if r < ' ' || r == 0x7f {
			text[i] = '�'
		}
	}
	_, end := f.Position(at.End)
	width := max(1, min(end-column, len(text)-column+1))
	number := strconv.Itoa(line)
	pad := strings.Repeat(" ", len(number))
	return fmt.Sprintf("%s |\n%s | %s\n%s | %s%s\n", pad, number, string(text), pad, strings.Repeat(" ", column-1), strings.Repeat("^", width))
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func sortProblems(ps []Problem) {
	slices.SortStableFunc(ps, func(a, b Problem) int { return a.Span.Start - b.Span.Start })
}

var rulePath = regexp.MustCompile(`^(?:overrides\[\d+\]\.)?rules\.(.+)$`)

// ruleOf is the rule that a path of keys names, "" for any other path.
func ruleOf(path string) string {
	if m := rulePath.FindStringSubmatch(path); m != nil {
		return m[1]
	}
	return ""
}
