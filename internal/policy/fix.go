package policy

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// fix turns {"periodSeconds": 10} into byte edits of the manifest. It is nil where the manifest cannot be edited there: a
// rendered one, one in UTF-16, or a mapping in which no line shows how it is indented.
func (r *reader) fix(at object, t *ast.Term) (*lint.Fix, error) {
	o, ok := t.Value.(ast.Object)
	if !ok {
		return nil, &badResult{"`fix` is " + kindName(t.Value) + " and no object", "fields and their values"}
	}
	var edits []lint.Edit
	var set []string
	var err error
	whole := true
	o.Foreach(func(k, v *ast.Term) {
		name, ok := k.Value.(ast.String)
		value, isScalar := scalar(v.Value)
		switch {
		case err != nil:
		case !ok || !at.fixable(string(name)):
			err = &badResult{k.String() + " cannot be set by a fix", ""}
		case !isScalar:
			err = &badResult{"the fix sets " + k.String() + " to " + kindName(v.Value), "a text, a number or a boolean"}
		default:
			e, ok := r.edit(at, string(name), value)
			if !ok {
				whole = false
			}
			edits = append(edits, e)
			set = append(set, lint.Quote(string(name))+" to "+lint.Quote(value))
		}
	})
	if err != nil || !whole || len(edits) == 0 {
		return nil, err
	}
	slices.SortFunc(edits, func(a, b lint.Edit) int { return a.Span.Start - b.Span.Start })
	slices.Sort(set)
	return &lint.Fix{Title: "Set " + lint.And(set), Edits: edits}, nil
}

func (o object) fixable(field string) bool {
	switch o.what {
	case "probe":
		return slices.Contains(probeFields, field)
	case "container":
		return field == "image"
	case "workload":
		_, ok := workloadPaths[field]
		return ok
	}
	return false
}

var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./@:-]*$`)

// scalar is a value as YAML writes it.
func scalar(v ast.Value) (string, bool) {
	switch v := v.(type) {
	case ast.Number:
		return string(v), true
	case ast.Boolean:
		return strconv.FormatBool(bool(v)), true
	case ast.String:
		s := string(v)
		switch strings.ToLower(s) {
		case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
			return strconv.Quote(s), true
		}
		if !plain.MatchString(s) || strings.HasSuffix(s, ":") {
			return strconv.Quote(s), true
		}
		return s, true
	}
	return "", false
}

// edit sets one field: over the value that is written, else as a line in front of the first field beside it.
func (r *reader) edit(at object, field, value string) (lint.Edit, bool) {
	fields, path, beside := at.written(field)
	if f, ok := fields[path]; ok {
		return lint.Edit{Span: f.Value, Text: value}, r.editable(f.Value) != nil
	}
	first := model.Span{}
	for p, f := range fields {
		if parent(p) == beside && !strings.HasSuffix(p, "]") && f.Key != f.Value && (first.IsZero() || f.Key.Start < first.Start) {
			first = f.Key
		}
	}
	data := r.editable(first)
	if data == nil {
		return lint.Edit{}, false
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	line := bytes.LastIndexByte(data[:first.Start], '\n') + 1
	indent := data[line:first.Start]
	span := model.Span{File: first.File, Start: first.Start, End: first.Start, Line: first.Line}
	if len(bytes.Trim(indent, " ")) == 0 {
		end := "\n"
		if i := bytes.IndexByte(data[first.Start:], '\n'); i > 0 && data[first.Start+i-1] == '\r' {
			end = "\r\n"
		}
		return lint.Edit{Span: span, Text: name + ": " + value + end + string(indent)}, true
	}
	before := bytes.TrimRight(indent, " ")
	if bytes.HasSuffix(before, []byte("{")) {
		return lint.Edit{Span: span, Text: name + ": " + value + ", "}, true
	}
	if bytes.HasSuffix(before, []byte("-")) && len(bytes.Trim(before, " -")) == 0 { // the first field of a list item
		return lint.Edit{Span: span, Text: name + ": " + value + "\n" + strings.Repeat(" ", len(indent))}, true
	}
	return lint.Edit{}, false
}

// written is where a field is written: the fields, its path among them, and the path of the mapping that holds it.
func (o object) written(field string) (fields model.Fields, path, beside string) {
	switch o.what {
	case "probe":
		return o.probe.Fields, field, ""
	case "container":
		return o.container.Fields, field, ""
	}
	path = workloadPaths[field]
	if strings.HasPrefix(path, ".") {
		path = o.workload.PodSpecPath + path
	}
	return o.workload.Fields, path, parent(path)
}

func parent(path string) string {
	if i := strings.LastIndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return ""
}

// editable are the bytes of a file that edits count in, nil where there are none.
func (r *reader) editable(s model.Span) []byte {
	if s.IsZero() {
		return nil
	}
	f, err := r.set.set.Get(s.File)
	if err != nil || f.Recoded || f.Origin != nil || s.End > len(f.Data) {
		return nil
	}
	return f.Data
}
