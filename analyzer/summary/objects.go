package summary

import (
	"go/ast"
	"go/types"
)

// fieldCells are the cells that x.f may mean, embedded structs walked through.
func (it *Interp) fieldCells(e *ast.SelectorExpr) []*Cell {
	if id, ok := e.X.(*ast.Ident); ok {
		if _, ok := it.info().Uses[id].(*types.PkgName); ok {
			if v, ok := it.info().Uses[e.Sel].(*types.Var); ok {
				return []*Cell{it.eng.global(it, v)}
			}
			return nil
		}
	}
	return it.cellsIn(e, it.eval(e.X))
}

// cellsIn are the cells of e in a base that was evaluated.
func (it *Interp) cellsIn(e *ast.SelectorExpr, base Value) []*Cell {
	sel := it.info().Selections[e]
	if sel == nil {
		var out []*Cell
		for _, t := range base.Terms {
			if o, ok := t.(*Object); ok && o.Items == nil {
				out = append(out, it.field(o, e.Sel.Name, nil, it.typeOf(e)))
			}
		}
		return out
	}
	objs := it.objectsIn(base)
	return it.walkFields(objs, sel.Recv(), sel.Index())
}

// walkFields follows a field path through embedded structs.
func (it *Interp) walkFields(objs []*Object, recv types.Type, index []int) []*Cell {
	var cells []*Cell
	t := recv
	for depth, i := range index {
		st := structOf(t)
		if st == nil || i >= st.NumFields() {
			return nil
		}
		f := st.Field(i)
		cells = nil
		for _, o := range objs {
			cells = append(cells, it.field(o, f.Name(), f, f.Type()))
		}
		if depth == len(index)-1 {
			break
		}
		objs = nil
		for _, c := range cells {
			v := it.get(c)
			if len(v.Terms) == 0 && structOf(f.Type()) != nil { // embedded by value, not yet made
				v = it.embedded(c, f.Type())
			}
			objs = append(objs, it.objectsIn(v)...)
		}
		t = f.Type()
	}
	return cells
}

// embedded makes the object of a struct-typed field that nothing was stored to.
func (it *Interp) embedded(c *Cell, t types.Type) Value {
	if _, ptr := types.Unalias(t).(*types.Pointer); ptr {
		return it.get(c)
	}
	v := it.zeroOf(t, c.Pos)
	settle(v, c.Var)
	c.Init = &v
	if !c.stored {
		c.Final, c.Hist = &v, &v
	}
	if it.now(c) != nil {
		it.put(c, v)
	}
	return v
}

// settle notes where an atomic lies.
func settle(v Value, home types.Object) {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Kind == Atomic && home != nil {
			o.home = home
		}
	}
}

func structOf(t types.Type) *types.Struct {
	if t == nil {
		return nil
	}
	t = types.Unalias(t).Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	s, _ := t.(*types.Struct)
	return s
}

// objectsIn are the objects that a value may be; for an unknown value of a type that the program makes, all of them.
func (it *Interp) objectsIn(v Value) []*Object {
	var out []*Object
	for _, t := range v.Terms {
		switch t := t.(type) {
		case *Object:
			out = append(out, t)
		case *Pointer:
			for _, x := range it.get(t.Cell).Terms {
				if o, ok := x.(*Object); ok {
					out = append(out, o)
				}
			}
		}
	}
	if len(out) == 0 {
		if n := namedOf(v.Type); n != nil {
			out = it.eng.objectsOf(it, n)
		}
	}
	return out
}

// fallbackField is a field of a value that is not known: its type is all there is.
func (it *Interp) fallbackField(e *ast.SelectorExpr, base Value) Value {
	return unknown(it.typeOf(e), base.L)
}

// receive takes from a channel: it waits for the goroutines that send to it.
func (it *Interp) receive(v Value, t types.Type) Value {
	var out Value
	found := false
	for _, x := range v.Terms {
		o, ok := x.(*Object)
		if !ok {
			continue
		}
		if o.Kind == Context || o.Lib != nil && o.Lib.Path == "time" {
			if d := it.timerOf(v); d != nil && !it.request {
				it.cur.add(&node{kind: nodeLeaf, sleep: d})
			}
			if !it.request {
				it.serving = it.serving || o.Kind == Context
				it.signaled = it.signaled || o.Signal || o.Ctx != nil && o.Ctx.Signal
			}
			return unknown(t, v.L)
		}
		it.joinAll(o)
		if !it.request && o.Signal {
			it.signaled, it.serving = true, true
		}
		if o.Items != nil && o.Items.Any != nil {
			x := it.get(o.Items.Any)
			if !found {
				out, found = x, true
			} else {
				out = join(out, x)
			}
		}
		if it.request && !it.sentHere(o) {
			out.Open = true
			out.L = out.L.with(Cause{it.anyItem(o, t).source(), 0})
		}
	}
	if !found {
		return unknown(t, v.L.union(out.L))
	}
	return out.withLabel(v.L)
}

func (it *Interp) sentHere(o *Object) bool {
	if o.Items == nil || o.Items.Any == nil {
		return false
	}
	return it.now(o.Items.Any) != nil
}

// addressed is the cell that &x points to.
func (it *Interp) addressed(e ast.Expr) *Cell {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return it.cellOf(it.info().ObjectOf(e))
	case *ast.SelectorExpr:
		if cs := it.fieldCells(e); len(cs) == 1 {
			return cs[0]
		}
	case *ast.IndexExpr:
		v := it.eval(e.X)
		for _, t := range v.Terms {
			if o, ok := t.(*Object); ok && o.Items != nil {
				return it.anyItem(o, it.typeOf(e))
			}
		}
	}
	return nil
}

// assertType keeps what can be of the type.
func (it *Interp) assertType(v Value, t types.Type) Value {
	if tup, ok := t.(*types.Tuple); ok && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	out := v
	out.Type = t
	if t == nil {
		return out
	}
	var keep []Term
	for _, x := range v.Terms {
		o, ok := x.(*Object)
		if !ok || o.Type == nil || types.IsInterface(o.Type) || couldBe(o.Type, t) {
			keep = append(keep, x)
		}
	}
	out.Terms = keep
	return out
}

// assertOK is the ok of a type assertion.
func (it *Interp) assertOK(v Value, t types.Type) Value {
	if v.Open || len(v.Terms) == 0 || t == nil {
		return unknown(types.Typ[types.Bool], v.L.blur())
	}
	yes, no := false, v.Nil&mayNil != 0
	for _, x := range v.Terms {
		o, ok := x.(*Object)
		if !ok || o.Type == nil {
			return unknown(types.Typ[types.Bool], v.L.blur())
		}
		if o.Kind != Writer && types.IsInterface(o.Type) {
			return unknown(types.Typ[types.Bool], v.L.blur())
		}
		if o.Kind == Writer || couldBe(o.Type, t) {
			yes = true
		} else {
			no = true
		}
	}
	if yes != no {
		return boolValue(yes).withLabel(v.L)
	}
	return unknown(types.Typ[types.Bool], v.L.blur())
}

func couldBe(have, want types.Type) bool {
	if i, ok := want.Underlying().(*types.Interface); ok {
		if types.Implements(have, i) {
			return true
		}
		if _, ptr := have.(*types.Pointer); !ptr {
			return types.Implements(types.NewPointer(have), i)
		}
		return false
	}
	a, b := namedOf(have), namedOf(want)
	return a == nil || b == nil || a.Origin().Obj() == b.Origin().Obj()
}

// foreignType is the library and the name of a literal's type, nil where it is the program's own.
func (it *Interp) foreignType(e *ast.CompositeLit, t types.Type) *Lib {
	if path, name := typeName(t); path != "" {
		if it.eng.firstParty(path) {
			return nil
		}
		return &Lib{Path: path, Name: name}
	}
	sel, ok := e.Type.(*ast.SelectorExpr)
	if !ok || !isInvalid(t) {
		return nil
	}
	if id, ok := sel.X.(*ast.Ident); ok && it.pkgName(id) != nil { // of a module that is not there
		return &Lib{Path: it.pkgName(id).Imported().Path(), Name: sel.Sel.Name}
	}
	return nil
}

// embeddedForeign are the library types that a program's own struct embeds, by what is written: their modules need not be there.
func (it *Interp) embeddedForeign(t types.Type) []Lib {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return nil
	}
	p := it.eng.load.ByPath[n.Obj().Pkg().Path()]
	if p == nil {
		return nil
	}
	var out []Lib
	for _, f := range p.Files {
		if n.Obj().Pos() < f.FileStart || n.Obj().Pos() > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(x ast.Node) bool {
			spec, ok := x.(*ast.TypeSpec)
			if !ok || spec.Name.Pos() != n.Obj().Pos() {
				return len(out) == 0
			}
			st, _ := spec.Type.(*ast.StructType)
			if st == nil {
				return false
			}
			for _, field := range st.Fields.List {
				e := field.Type
				if star, ok := e.(*ast.StarExpr); ok {
					e = star.X
				}
				sel, ok := e.(*ast.SelectorExpr)
				if !ok || len(field.Names) > 0 {
					continue
				}
				if id, ok := sel.X.(*ast.Ident); ok {
					if pn, ok := p.Info.Uses[id].(*types.PkgName); ok {
						out = append(out, Lib{Path: pn.Imported().Path(), Name: sel.Sel.Name})
					}
				}
			}
			return false
		})
	}
	return out
}
