package summary

import (
	"strings"
)

// A program's own router keeps its routes in structs that hold a path and a handler. They are found by walking what the
// server's handler holds after start-up, since how that router compares paths (regular expressions, tries) is not folded.

const (
	maxOwnRoutes = 64
	maxOwnWalk   = 4000
)

// ownRoutes are the routes of an own router behind a handler.
func (g *Engine) ownRoutes(s *Server) []Flat {
	it := g.newInterp()
	it.request = true
	w := &ownWalk{it: it, seen: map[any]bool{}}
	w.value(s.Handler, 0)
	if len(w.found) > maxOwnRoutes {
		return nil
	}
	var out []Flat
	for _, x := range w.found {
		r := &Route{Pattern: stringValue(x.path, nil), Handlers: []Value{x.handler}, Pos: x.obj.Pos, End: x.obj.Pos, CallPos: x.obj.Pos}
		if x.at.Pos.IsValid() {
			r.Pos, r.End = x.at.Pos, x.at.Pos
		}
		out = append(out, Flat{Route: r, Server: s, Pattern: x.path, Handler: x.handler, Direct: true})
	}
	return out
}

type ownRoute struct {
	obj     *Object
	path    string
	at      Scalar
	handler Value
}

type ownWalk struct {
	it    *Interp
	seen  map[any]bool
	found []ownRoute
	steps int
}

func (w *ownWalk) value(v Value, depth int) {
	if depth > 14 {
		return
	}
	for _, t := range v.Terms {
		w.steps++
		if w.steps > maxOwnWalk {
			return
		}
		switch x := t.(type) {
		case *Object:
			w.object(x, depth)
		case *Pointer:
			if !w.seen[x.Cell] {
				w.seen[x.Cell] = true
				w.value(w.it.get(x.Cell), depth+1)
			}
		case *Func:
			if x.Recv != nil {
				w.value(*x.Recv, depth+1)
			}
		case *Closure:
			for f := x.Env; f != nil && !w.seen[f]; f = f.parent {
				w.seen[f] = true
				for _, c := range sortedVars(f) {
					w.value(w.it.get(c), depth+1)
				}
			}
		}
	}
}

func (w *ownWalk) object(o *Object, depth int) {
	if w.seen[o] || o.Mux != nil {
		return
	}
	w.seen[o] = true
	var path Scalar
	var handler Value
	handlers := 0
	for _, name := range sortedFields(o.Fields) {
		v := w.it.get(o.Fields[name])
		if t, ok := v.str(); ok && strings.HasPrefix(t, "/") && path.C == nil {
			path = v.Scalars[0]
		}
		if len(v.Terms) == 1 && !v.Open && w.it.eng.isHandlerValue(v) {
			handler = v
			handlers++
		}
	}
	if p, _ := typeName(o.Type); path.C != nil && handlers == 1 && o.Kind == Plain && w.it.eng.firstParty(p) {
		t, _ := Value{Scalars: []Scalar{path}}.str()
		w.found = append(w.found, ownRoute{o, t, path, handler})
	}
	for _, name := range sortedFields(o.Fields) {
		w.value(w.it.get(o.Fields[name]), depth+1)
	}
	if o.Items != nil {
		for _, c := range o.Items.List {
			w.value(w.it.get(c), depth+1)
		}
		if o.Items.Any != nil {
			w.value(w.it.get(o.Items.Any), depth+1)
		}
	}
	if o.Kind == HandlerOf {
		w.value(o.Wrap.Inner, depth+1)
	}
}

// sortedVars are the variables of a frame in the order of the source.
func sortedVars(f *Frame) []*Cell {
	out := make([]*Cell, 0, len(f.vars))
	for _, c := range f.vars {
		out = append(out, c)
	}
	sortCells(out)
	return out
}
