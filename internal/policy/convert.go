package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// newInput is the document of one unit.
func newInput(u *lint.Unit) *Input {
	in := &Input{Version: InputVersion, Workload: u.Workload, Programs: u.Programs}
	if in.Programs == nil {
		in.Programs = []*model.Program{}
	}
	in.Endpoints = []*model.Endpoint{}
	add := func(p *model.Probe) {
		if p.Endpoint != nil && !slices.Contains(in.Endpoints, p.Endpoint) {
			in.Endpoints = append(in.Endpoints, p.Endpoint)
		}
	}
	for _, p := range u.Probes {
		add(p)
	}
	if u.Workload != nil {
		for _, c := range u.Workload.Containers {
			for _, p := range c.Probes {
				add(p)
			}
		}
	}
	return in
}

// Documents are the units as a policy sees them.
func Documents(units []*lint.Unit) []*Input {
	out := make([]*Input, 0, len(units))
	for _, u := range units {
		out = append(out, newInput(u))
	}
	return out
}

// Generic is the document as plain JSON values, for the data of tests.
func (in *Input) Generic() (any, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("writing a policy's input: %w", err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("reading a policy's input: %w", err)
	}
	return v, nil
}

// converter turns the model into Rego values by its json tags, without JSON in between: marshalling and parsing a document
// costs as much as a dozen rules do. A test compares it with encoding/json.
type converter struct {
	plans sync.Map // reflect.Type -> *plan
	// programs are shared by many workloads and large.
	programs sync.Map // *model.Program -> *ast.Term
	// texts are short texts that were seen, such as the words of enums; the same ones come up in every workload.
	texts  sync.Map // string -> *ast.Term
	number atomic.Int64
}

// maxTexts and maxTextLength bound what is kept of texts.
const (
	maxTexts      = 4096
	maxTextLength = 64
)

func (c *converter) text(s string) *ast.Term {
	if len(s) > maxTextLength {
		return ast.StringTerm(s)
	}
	if t, ok := c.texts.Load(s); ok {
		return t.(*ast.Term)
	}
	t := ast.StringTerm(s)
	if c.number.Load() < maxTexts {
		c.number.Add(1)
		c.texts.Store(s, t)
	}
	return t
}

type plan struct{ fields []planned }

type planned struct {
	name      string
	key       *ast.Term
	index     int
	omitEmpty bool
}

func (c *converter) plan(t reflect.Type) *plan {
	if p, ok := c.plans.Load(t); ok {
		return p.(*plan)
	}
	p := &plan{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == "" {
			continue
		}
		p.fields = append(p.fields, planned{name, ast.StringTerm(name), i, strings.Contains(opts, "omitempty")})
	}
	c.plans.Store(t, p)
	return p
}

// document is a unit as a Rego value. Endpoints are converted once and stand at both their places.
func (c *converter) document(in *Input) *ast.Term {
	w := &conversion{converter: c, endpoints: map[*model.Endpoint]*ast.Term{}}
	return w.value(reflect.ValueOf(in))
}

type conversion struct {
	*converter
	pairs     [][2]*ast.Term // a stack: an object takes its pairs off it
	endpoints map[*model.Endpoint]*ast.Term
}

func (w *conversion) value(v reflect.Value) *ast.Term {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ast.NullTerm()
		}
		switch p := v.Interface().(type) {
		case *model.Endpoint:
			t := w.endpoints[p]
			if t == nil {
				t = w.object(v.Elem())
				w.endpoints[p] = t
			}
			return t
		case *model.Program:
			if t, ok := w.programs.Load(p); ok {
				return t.(*ast.Term)
			}
			t := w.object(v.Elem())
			w.programs.Store(p, t)
			return t
		}
		return w.value(v.Elem())
	case reflect.Struct:
		return w.object(v)
	case reflect.Slice:
		terms := make([]*ast.Term, v.Len())
		for i := range terms {
			terms[i] = w.value(v.Index(i))
		}
		return ast.ArrayTerm(terms...)
	case reflect.Map:
		pairs := make([][2]*ast.Term, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			pairs = append(pairs, [2]*ast.Term{ast.StringTerm(it.Key().String()), w.value(it.Value())})
		}
		return ast.ObjectTerm(pairs...)
	case reflect.String:
		return w.text(v.String())
	case reflect.Bool:
		return ast.InternedTerm(v.Bool())
	case reflect.Int, reflect.Int64:
		return ast.InternedTerm(int(v.Int()))
	case reflect.Float64:
		if f := v.Float(); f == float64(int(f)) {
			return ast.InternedTerm(int(f))
		}
		return ast.FloatNumberTerm(v.Float())
	}
	return ast.NullTerm()
}

func (w *conversion) object(v reflect.Value) *ast.Term {
	p := w.plan(v.Type())
	probe, _ := addr(v).(*model.Probe)
	base := len(w.pairs)
	for i := range p.fields {
		f := &p.fields[i]
		x := v.Field(f.index)
		if f.omitEmpty && empty(x) || probe != nil && probe.Omits(f.name) {
			continue
		}
		t := w.value(x)
		w.pairs = append(w.pairs, [2]*ast.Term{f.key, t})
	}
	t := ast.ObjectTerm(w.pairs[base:]...)
	w.pairs = w.pairs[:base]
	return t
}

func addr(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	return nil
}

// empty is encoding/json's omitempty.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Pointer:
		return v.IsNil()
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
