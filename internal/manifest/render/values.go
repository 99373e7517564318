package render

import (
	"fmt"
	"reflect"
	"slices"

	yaml "go.yaml.in/yaml/v3"

	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
)

// place is where a value was written.
type place struct {
	at   model.Field
	node *yaml.Node
}

// known leads from the maps and lists of the values to the places of their members. Templates pass them on by reference, so
// that identity tells where a value came from; what a function copies is added when it does.
type known struct {
	maps  map[uintptr]map[string]*place
	lists map[uintptr][]*place
	keep  []any // what the addresses belong to, so that none is used again
}

func newKnown() *known {
	return &known{maps: map[uintptr]map[string]*place{}, lists: map[uintptr][]*place{}}
}

// layer is a part of a values file that is merged into a map of the values.
type layer struct {
	tree *manifest.Tree
	node *yaml.Node
}

func (l layer) child(key string) (layer, *place) {
	k, v := manifest.Child(l.node, key)
	if k == nil {
		return layer{}, nil
	}
	return layer{l.tree, v}, &place{l.tree.Field(k, v), v}
}

// chartLayers are the values files of a chart and of the charts below it by name.
type chartLayers struct {
	own  []layer
	subs map[string]*chartLayers
}

// below is what of a member of the values belongs to a subchart, nil for any other member.
func (c *chartLayers) below(key string) *chartLayers {
	if c == nil {
		return nil
	}
	return c.subs[key]
}

// table records the places of a table of values: layers are those that were merged into it, the first wins. global are the
// layers of the global values of the charts above, which win over a chart's own.
func (k *known) table(v map[string]any, layers []layer, chart *chartLayers, global []layer, depth int) {
	if depth > 100 || len(layers) == 0 && len(global) == 0 && chart == nil {
		return
	}
	if chart != nil {
		layers = append(slices.Clone(layers), chart.own...)
	}
	places := make(map[string]*place, len(v))
	var ownGlobal []layer
	if chart != nil {
		ownGlobal = slices.Clone(global)
		for _, l := range layers {
			if c, p := l.child("global"); p != nil {
				ownGlobal = append(ownGlobal, c)
			}
		}
	}
	for name, member := range v {
		var below []layer
		if name == "global" && chart != nil {
			below = ownGlobal
		}
		for _, l := range layers {
			c, p := l.child(name)
			if p == nil {
				continue
			}
			if places[name] == nil {
				places[name] = p
			}
			if name != "global" || chart == nil {
				below = append(below, c)
			}
		}
		k.member(member, below, chart.below(name), ownGlobal, depth)
	}
	k.add(v, places)
}

func (k *known) member(v any, layers []layer, chart *chartLayers, global []layer, depth int) {
	switch m := asMap(v); {
	case m != nil:
		k.table(m, layers, chart, global, depth+1)
	default:
		list, ok := v.([]any)
		if !ok || len(layers) == 0 || len(list) == 0 { // lists are replaced, not merged
			return
		}
		l := layers[0]
		if l.node == nil || l.node.Kind != yaml.SequenceNode || len(l.node.Content) != len(list) {
			return
		}
		places := make([]*place, len(list))
		for i, item := range list {
			n := manifest.Deref(l.node.Content[i])
			places[i] = &place{l.tree.Field(nil, l.node.Content[i]), n}
			k.member(item, []layer{{l.tree, n}}, nil, nil, depth+1)
		}
		k.lists[address(list)] = places
		k.keep = append(k.keep, list)
	}
}

func (k *known) add(m map[string]any, places map[string]*place) {
	if m == nil || len(places) == 0 {
		return
	}
	k.maps[address(m)] = places
	k.keep = append(k.keep, m)
}

// derive records a map that a function made of others: each member is where it was in the first of them that holds it.
func (k *known) derive(out any, from ...any) {
	m := asMap(out)
	if m == nil {
		return
	}
	places := map[string]*place{}
	for name, v := range m {
		for _, f := range from {
			src := asMap(f)
			if have, ok := src[name]; ok && same(have, v) {
				if p := k.maps[address(src)][name]; p != nil {
					places[name] = p
					break
				}
			}
		}
	}
	k.add(m, places)
}

// copied records a deep copy.
func (k *known) copied(out, from any, depth int) {
	if depth > 100 {
		return
	}
	if m, src := asMap(out), asMap(from); m != nil && src != nil {
		k.add(m, k.maps[address(src)])
		for name, v := range m {
			k.copied(v, src[name], depth+1)
		}
		return
	}
	l, ok := out.([]any)
	src, too := from.([]any)
	if !ok || !too || len(l) != len(src) || len(l) == 0 {
		return
	}
	if places := k.lists[address(src)]; places != nil {
		k.lists[address(l)] = places
		k.keep = append(k.keep, l)
	}
	for i := range l {
		k.copied(l[i], src[i], depth+1)
	}
}

// of is the place of a member of a map, where the member still is what was written there.
func (k *known) of(m map[string]any, name string) *place {
	p := k.maps[address(m)][name]
	if p == nil || !p.is(m[name]) {
		return nil
	}
	return p
}

func (k *known) item(l []any, i int) *place {
	places := k.lists[address(l)]
	if i >= len(places) || !places[i].is(l[i]) {
		return nil
	}
	return places[i]
}

// is reports whether a value is the one that is written at the place.
func (p *place) is(v any) bool {
	switch p.node.Kind {
	case yaml.MappingNode:
		return asMap(v) != nil
	case yaml.SequenceNode:
		_, ok := v.([]any)
		return ok
	}
	if s, ok := v.(string); ok {
		return s == p.node.Value
	}
	var x any
	if p.node.Decode(&x) != nil {
		return false
	}
	return fmt.Sprint(x) == fmt.Sprint(v)
}

// same compares scalars by value and the rest by identity.
func same(a, b any) bool {
	if asMap(a) != nil || asMap(b) != nil {
		return asMap(a) != nil && asMap(b) != nil && address(asMap(a)) == address(asMap(b))
	}
	la, ok := a.([]any)
	lb, too := b.([]any)
	if ok || too {
		return ok && too && len(la) == len(lb) && address(la) == address(lb)
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b) && fmt.Sprint(a) == fmt.Sprint(b)
}

// asMap is a table of values as a plain map, nil for anything else.
func asMap(v any) map[string]any {
	if m, ok := v.(map[string]any); ok {
		return m
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Map && r.Type().ConvertibleTo(mapType) {
		return r.Convert(mapType).Interface().(map[string]any)
	}
	return nil
}

var mapType = reflect.TypeFor[map[string]any]()

func address(v any) uintptr {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Map || r.Kind() == reflect.Slice {
		return r.Pointer()
	}
	return 0
}
