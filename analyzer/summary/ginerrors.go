package summary

import "go/types"

// gin keeps the errors that handlers hand to c.Error in c.Errors, which a middleware behind c.Next looks at
// (https://pkg.go.dev/github.com/gin-gonic/gin#Context.Error). None is there before a handler adds one.

const ginPath = "github.com/gin-gonic/gin"

// ginErrors is the cell of c.Errors.
func (it *Interp) ginErrors(o *Object, t types.Type) *Cell {
	c := it.field(o, "Errors", nil, t)
	if c.Init == nil {
		list := it.object(List, t, o.Pos)
		list.Items = &Items{Exact: true}
		v := termValue(list, t)
		c.Init = &v
	}
	return c
}

// modelGinErrors knows c.Error(err) and the methods of c.Errors.
func (it *Interp) modelGinErrors(s *site) (Value, bool) {
	if s.path != ginPath || !it.request {
		return Value{}, false
	}
	switch s.recvT + "." + s.name {
	case "Context.Error":
		return it.ginError(s), true
	case "errorMsgs.Last":
		return it.lastError(s), true
	case "errorMsgs.String", "errorMsgs.Errors", "errorMsgs.JSON", "errorMsgs.ByType":
		v := unknown(s.result, s.recv.L.blur())
		for _, c := range it.errorsIn(s.recv) {
			e := it.get(c)
			v.L, v.Text = v.L.unionValue(e.L.blur()), v.Text.union(e.Text)
		}
		if s.name == "ByType" {
			v.Terms, v.Open = s.recv.Terms, s.recv.Open
		}
		return v, true
	}
	return Value{}, false
}

func (it *Interp) errorsIn(v Value) []*Cell {
	var out []*Cell
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Items != nil {
			out = append(out, o.Items.List...)
		}
	}
	return out
}

// ginError adds an error to the list.
func (it *Interp) ginError(s *site) Value {
	pos, _ := sitePos(s)
	e := it.object(Library, s.result, pos)
	e.Lib = &Lib{Path: ginPath, Name: "Error", Args: s.args}
	it.set(it.field(e, "Err", nil, nil), s.arg(0))
	v := termValue(e, s.result)
	v.L, v.Text = s.arg(0).L.blur(), s.arg(0).Text
	for _, t := range s.recv.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		c := it.ginErrors(o, nil)
		list := it.object(List, c.Type, pos)
		list.Items = &Items{Exact: true}
		old := it.get(c)
		list.Items.Exact = len(old.Terms) == 1 && !old.Open
		list.Items.List = it.errorsIn(old)
		if len(list.Items.List) >= maxItems {
			continue
		}
		item := &Cell{Name: "element", Pos: pos, born: it.stamp()}
		it.set(item, v)
		list.Items.List = append(list.Items.List[:len(list.Items.List):len(list.Items.List)], item)
		it.set(c, termValue(list, c.Type))
	}
	return v
}

// lastError is c.Errors.Last(): nil where no handler added one.
func (it *Interp) lastError(s *site) Value {
	v := Value{Type: s.result, L: s.recv.L}
	for i, t := range s.recv.Terms {
		x := nilValue(s.result)
		o, ok := t.(*Object)
		switch {
		case !ok || o.Items == nil:
			return unknown(s.result, s.recv.L.blur())
		case len(o.Items.List) > 0:
			x = it.get(o.Items.List[len(o.Items.List)-1])
		}
		if i == 0 {
			x.L = x.L.unionValue(v.L)
			v = x
		} else {
			v = join(v, x)
		}
	}
	if len(s.recv.Terms) == 0 || s.recv.Open {
		return unknown(s.result, s.recv.L.blur())
	}
	v.Type = s.result
	return v
}

// fallsBack reports a route of a gin engine whose context hands on to the request's (Engine.ContextWithFallback).
func (it *Interp) fallsBack() bool {
	if it.req.route == nil {
		return false
	}
	for m, n := it.req.route.Mux, 0; m != nil && n < 32; m, n = m.Parent, n+1 {
		if m.self == nil {
			continue
		}
		if c, ok := m.self.Fields["ContextWithFallback"]; ok {
			v := it.get(c)
			return isBool(v) && v.truthy() > 0
		}
	}
	return false
}
