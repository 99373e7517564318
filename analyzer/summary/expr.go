package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
)

func (it *Interp) typeOf(e ast.Expr) types.Type {
	if t := it.info().TypeOf(e); t != nil {
		return t
	}
	return nil
}

func (it *Interp) eval(e ast.Expr) Value {
	if e == nil || !it.step() {
		return unknown(nil, nil)
	}
	if tv, ok := it.info().Types[e]; ok && tv.Value != nil {
		return constValue(tv.Value, tv.Type, e.Pos())
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return it.eval(e.X)
	case *ast.Ident:
		return it.ident(e)
	case *ast.BasicLit:
		return it.literal(e)
	case *ast.FuncLit:
		for f := it.frame; f != nil; f = f.parent {
			f.escapes = true
		}
		return termValue(&Closure{Lit: e, Env: it.frame, Pkg: it.frame.pkg}, it.typeOf(e))
	case *ast.CompositeLit:
		return it.composite(e)
	case *ast.SelectorExpr:
		return it.selector(e)
	case *ast.StarExpr:
		return it.deref(it.eval(e.X))
	case *ast.UnaryExpr:
		return it.unary(e)
	case *ast.BinaryExpr:
		return it.binaryExpr(e)
	case *ast.CallExpr:
		return it.call(e)
	case *ast.IndexExpr:
		if tv, ok := it.info().Types[e.Index]; ok && tv.IsType() {
			return it.eval(e.X) // instantiation of a generic function
		}
		return it.index(e)
	case *ast.IndexListExpr:
		return it.eval(e.X)
	case *ast.SliceExpr:
		return it.eval(e.X)
	case *ast.TypeAssertExpr:
		return it.assertType(it.eval(e.X), it.typeOf(e))
	case *ast.KeyValueExpr:
		return it.eval(e.Value)
	}
	return unknown(it.typeOf(e), nil)
}

// literal is for code that did not type-check; typed code has constants already.
func (it *Interp) literal(e *ast.BasicLit) Value {
	c := constant.MakeFromLiteral(e.Value, e.Kind, 0)
	if c.Kind() == constant.Unknown {
		return unknown(nil, nil)
	}
	return constValue(c, nil, e.Pos())
}

func (it *Interp) ident(e *ast.Ident) Value {
	o := it.info().ObjectOf(e)
	switch o := o.(type) {
	case *types.Nil:
		return nilValue(nil)
	case *types.Func:
		return termValue(&Func{Fn: o}, o.Type())
	case *types.Var:
		if c := it.cellOf(o); c != nil {
			return it.get(c)
		}
	case nil:
		switch e.Name {
		case "nil":
			return nilValue(nil)
		case "true", "false":
			return boolValue(e.Name == "true")
		}
	}
	return unknown(it.typeOf(e), nil)
}

// cellOf is the cell of a variable: of this activation, captured, or of a package.
func (it *Interp) cellOf(o types.Object) *Cell {
	v, ok := o.(*types.Var)
	if !ok {
		return nil
	}
	if c := it.frame.lookup(v); c != nil {
		return c
	}
	if v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
		return it.eng.global(it, v)
	}
	// a variable of a function that was not entered: a closure reached by another way
	return it.frame.declare(v)
}

func (it *Interp) composite(e *ast.CompositeLit) Value {
	t := it.typeOf(e)
	under := types.Type(nil)
	if t != nil {
		under = t.Underlying()
		if p, ok := under.(*types.Pointer); ok { // elided &T in a list
			under = p.Elem().Underlying()
		}
	}
	switch u := under.(type) {
	case *types.Slice, *types.Array, *types.Map:
		o := it.object(List, t, e.Pos())
		o.Items = &Items{Exact: true}
		if _, ok := u.(*types.Map); ok {
			o.Items.Keys = []Value{}
		}
		for i, el := range e.Elts {
			var key Value
			x := el
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				if o.Items.Keys != nil {
					key = it.eval(kv.Key)
				}
				x = kv.Value
			}
			v := it.eval(x)
			c := &Cell{element: true, Name: "[" + strconv.Itoa(i) + "]", Pos: x.Pos(), Type: v.Type}
			o.Items.List = append(o.Items.List, c)
			if o.Items.Keys != nil {
				o.Items.Keys = append(o.Items.Keys, key)
			}
			it.set(c, v)
		}
		return termValue(o, t)
	}
	kind := Plain
	o := it.object(kind, t, e.Pos())
	o.Lib = it.foreignType(e, t)
	st, _ := under.(*types.Struct)
	for i, el := range e.Elts {
		switch x := el.(type) {
		case *ast.KeyValueExpr:
			id, ok := x.Key.(*ast.Ident)
			if !ok { // a map or list of a type that is not known
				it.setField(o, "["+strconv.Itoa(i)+"]", nil, it.eval(x.Value))
				continue
			}
			v := it.eval(x.Value)
			fv, _ := it.info().ObjectOf(id).(*types.Var)
			it.setField(o, id.Name, fv, v)
		default:
			v := it.eval(x)
			if st != nil && i < st.NumFields() {
				it.setField(o, st.Field(i).Name(), st.Field(i), v)
			}
		}
	}
	it.eng.made(it, o)
	it.hooksIn(o)
	return termValue(o, t)
}

func (it *Interp) setField(o *Object, name string, fv *types.Var, v Value) {
	var t types.Type
	if fv != nil {
		t = fv.Type()
	}
	if t != nil && isInvalid(t) {
		t = v.Type
	}
	c := it.field(o, name, nil, t)
	if fv != nil {
		c.Var, c.Pos = fv, fv.Pos()
	}
	late := c.Late
	it.set(c, v)
	c.Late = late // filling a literal is no change of state
}

func isInvalid(t types.Type) bool {
	return t == nil || types.Unalias(t) == types.Typ[types.Invalid]
}

// selector is x.f: a package's object, a field, or a method value.
func (it *Interp) selector(e *ast.SelectorExpr) Value {
	if id, ok := e.X.(*ast.Ident); ok {
		if pn, ok := it.info().Uses[id].(*types.PkgName); ok {
			return it.qualified(pn, e)
		}
	}
	if sel := it.info().Selections[e]; sel != nil && sel.Kind() != types.FieldVal {
		fn, _ := sel.Obj().(*types.Func)
		if sel.Kind() == types.MethodExpr {
			return termValue(&Func{Fn: fn}, it.typeOf(e))
		}
		recv := it.eval(e.X)
		if it.request && isClosing(e.Sel.Name) {
			it.closes(recv) // handed on as a function
		}
		return termValue(&Func{Fn: fn, Recv: &recv}, it.typeOf(e))
	}
	base := it.eval(e.X) // once: a call in it is made once
	if v, ok := it.knownField(e, base); ok {
		return v
	}
	it.unsent(e, base)
	if e.Sel.Name == "C" && (isLib(base, "time", "NewTimer") || isLib(base, "time", "NewTicker")) {
		base.Type = it.typeOf(e) // the channel stands for its timer
		return base
	}
	cells := it.cellsIn(e, base)
	var v Value
	for i, c := range cells {
		x := it.get(c)
		if len(x.Terms) == 0 && it.ownStruct(c) {
			x = it.embedded(c, c.Type)
		}
		if i == 0 {
			v = x
		} else {
			v = join(v, x)
		}
	}
	if len(cells) == 0 {
		v = it.fallbackField(e, base)
	} else if base.Open {
		v.Open = true
	}
	if v.Type == nil || isInvalid(v.Type) {
		v.Type = it.typeOf(e)
	}
	return v.withLabel(base.L)
}

// ownStruct reports a field that holds a struct by value, of the program or of package sync/atomic, which is there from the
// start.
func (it *Interp) ownStruct(c *Cell) bool {
	if c.Type == nil || isPointerLike(c.Type) || structOf(c.Type) == nil {
		return false
	}
	n := namedOf(c.Type)
	if n == nil || n.Obj().Pkg() == nil {
		return true
	}
	return isAtomic(n) || n.Obj().Pkg().Path() == "sync" || it.eng.firstParty(n.Obj().Pkg().Path())
}

// evalCached evaluates an operand again without its effects; it is only asked for labels.
func (it *Interp) evalCached(e ast.Expr) Value {
	switch ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return it.eval(e)
	}
	return it.quiet(e)
}

// qualified is pkg.Name.
func (it *Interp) qualified(pn *types.PkgName, e *ast.SelectorExpr) Value {
	path := pn.Imported().Path()
	switch o := it.info().Uses[e.Sel].(type) {
	case *types.Func:
		return termValue(&Func{Fn: o}, o.Type())
	case *types.Var:
		if v, ok := it.knownVar(path, o.Name()); ok {
			return v
		}
		return it.get(it.eng.global(it, o))
	}
	if v, ok := it.knownVar(path, e.Sel.Name); ok {
		return v
	}
	return unknown(it.typeOf(e), nil)
}

func (it *Interp) deref(v Value) Value {
	var out Value
	for _, t := range v.Terms {
		if p, ok := t.(*Pointer); ok {
			x := it.get(p.Cell)
			if isZero(out) {
				out = x
			} else {
				out = join(out, x)
			}
		} else {
			out.Terms = addTerm(out.Terms, t)
		}
	}
	if isZero(out) {
		return unknown(nil, v.L)
	}
	if len(out.Terms) > 0 {
		out.Nil = mayNonNil
	}
	return out.withLabel(v.L)
}

func (it *Interp) unary(e *ast.UnaryExpr) Value {
	switch e.Op {
	case token.AND:
		if _, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			v := it.eval(e.X)
			v.Type = it.typeOf(e)
			return v
		}
		v := it.eval(e.X)
		if len(v.Terms) > 0 && !isPointerLike(it.typeOf(e.X)) {
			v.Nil, v.Type = mayNonNil, it.typeOf(e)
			return v
		}
		if c := it.addressed(e.X); c != nil {
			if st := structOf(it.typeOf(e.X)); st != nil && !isPointerLike(it.typeOf(e.X)) {
				v := it.embedded(c, it.typeOf(e.X))
				v.Type = it.typeOf(e)
				return v
			}
			if isAtomic(namedOf(it.typeOf(e.X))) {
				v := it.embedded(c, it.typeOf(e.X))
				v.Type = it.typeOf(e)
				return v
			}
			if c.owner != nil {
				c.owner.escapes = true
			}
			return termValue(&Pointer{c}, it.typeOf(e))
		}
		return Value{Open: true, Nil: mayNonNil, Type: it.typeOf(e), L: v.L}
	case token.NOT:
		v := it.eval(e.X)
		return negated(v)
	case token.ARROW:
		v := it.eval(e.X)
		it.awaits(v, e.Pos(), e.End())
		return it.receive(v, it.typeOf(e))
	case token.SUB, token.ADD, token.XOR:
		v := it.eval(e.X)
		if c, ok := v.isConst(); ok && (c.Kind() == constant.Int || c.Kind() == constant.Float) {
			return constValue(constant.UnaryOp(e.Op, c, 0), v.Type, e.Pos()).withLabel(v.L)
		}
		return unknown(it.typeOf(e), v.L.blur())
	}
	return unknown(it.typeOf(e), nil)
}

func isPointerLike(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Interface, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return true
	}
	return false
}

func negated(v Value) Value {
	out := Value{Open: v.Open, L: v.L.negate(), Type: v.Type}
	for _, s := range v.Scalars {
		if s.C != nil && s.C.Kind() == constant.Bool {
			out.Scalars = append(out.Scalars, Scalar{C: constant.MakeBool(!constant.BoolVal(s.C)), L: s.L, Pos: s.Pos})
		} else if s.Sym != nil && !heavy(s) {
			out.Scalars = append(out.Scalars, Scalar{Sym: &Sym{Op: opTest, Name: "!", Args: []Scalar{s}, Pos: s.Pos}, L: s.L, Pos: s.Pos})
		} else {
			out.Open = true
		}
	}
	if len(v.Scalars) == 0 {
		out.Open = true
	}
	return out
}

func (it *Interp) index(e *ast.IndexExpr) Value {
	base := it.eval(e.X)
	idx := it.eval(e.Index)
	if v, ok := it.knownIndex(base, idx); ok {
		return v
	}
	var out Value
	found, exact := false, !base.Open && len(base.Terms) == 1
	add := func(v Value) {
		if !found {
			out, found = v, true
		} else {
			out = join(out, v)
		}
	}
	for _, t := range base.Terms {
		o, ok := t.(*Object)
		if !ok || o.Items == nil {
			exact = false
			continue
		}
		k, isConst := idx.isConst()
		for i, c := range o.Items.List {
			if isConst && exact {
				if o.Items.Keys != nil {
					if kk, ok := o.Items.Keys[i].isConst(); ok && kk.ExactString() != k.ExactString() {
						continue
					}
				} else if n, ok := constant.Int64Val(k); ok && int(n) != i {
					continue
				}
			}
			v := it.get(c)
			if !isConst && exact && o.Items.Keys != nil {
				v = it.picked(v, o.Items.Keys[i], idx, e.Pos())
			}
			add(v)
		}
		if o.Items.Any != nil {
			add(it.get(o.Items.Any))
		}
	}
	if !found {
		if has, known := it.holds(base, idx); known && !has {
			return it.zeroOf(it.typeOf(e), e.Pos()).withLabel(base.L.union(idx.L.blur()))
		}
		return unknown(it.typeOf(e), base.L.union(idx.L.blur()))
	}
	if base.Open {
		out.Open = true
	}
	if _, ok := idx.isConst(); !ok && len(idx.L) > 0 && len(out.Scalars) > 1 { // codes[err == nil]: the index decides
		scalars := make([]Scalar, len(out.Scalars))
		for i, x := range out.Scalars {
			x.L = x.L.union(idx.L.blur())
			scalars[i] = x
		}
		out.Scalars = scalars
	}
	return out.withLabel(base.L.union(idx.L.blur()))
}
