package summary

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// flow is a set of ways a statement can end.
type flow uint8

const (
	flowNext flow = 1 << iota
	flowReturn
	flowBreak
	flowContinue
	flowExit // panic, os.Exit, endless
)

func (it *Interp) block(list []ast.Stmt) flow {
	out := flow(0)
	for _, s := range list {
		if !it.step() {
			return out | flowNext
		}
		f := it.stmt(s)
		out |= f &^ flowNext
		if f&flowNext == 0 {
			return out
		}
	}
	return out | flowNext
}

func (it *Interp) stmt(s ast.Stmt) flow {
	it.exited = false
	f := it.statement(s)
	if it.exited {
		// a call in it does not come back
		it.exited = false
		switch s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt, *ast.SendStmt:
			return flowExit
		}
	}
	return f
}

func (it *Interp) statement(s ast.Stmt) flow {
	switch s := s.(type) {
	case *ast.ExprStmt:
		it.eval(s.X)
	case *ast.AssignStmt:
		it.assign(s)
	case *ast.DeclStmt:
		it.declare(s)
	case *ast.IncDecStmt:
		v := it.eval(s.X)
		it.assignTo(s.X, unknown(v.Type, v.L))
	case *ast.BlockStmt:
		return it.block(s.List)
	case *ast.IfStmt:
		return it.ifStmt(s)
	case *ast.ForStmt:
		return it.forStmt(s, "")
	case *ast.RangeStmt:
		return it.rangeStmt(s, "")
	case *ast.LabeledStmt:
		switch x := s.Stmt.(type) {
		case *ast.ForStmt:
			return it.forStmt(x, s.Label.Name)
		case *ast.RangeStmt:
			return it.rangeStmt(x, s.Label.Name)
		case *ast.SelectStmt:
			return it.selectStmt(x, s.Label.Name)
		case *ast.SwitchStmt:
			return it.switchStmt(x, s.Label.Name)
		}
		return it.stmt(s.Stmt)
	case *ast.SwitchStmt:
		return it.switchStmt(s, "")
	case *ast.TypeSwitchStmt:
		return it.typeSwitch(s)
	case *ast.SelectStmt:
		return it.selectStmt(s, "")
	case *ast.ReturnStmt:
		if !it.returnStmt(s) {
			return flowExit
		}
		return flowReturn
	case *ast.BranchStmt:
		return it.branch(s)
	case *ast.GoStmt:
		it.goStmt(s.Call)
	case *ast.DeferStmt:
		it.deferStmt(s.Call)
	case *ast.SendStmt:
		ch := it.eval(s.Chan)
		v := it.eval(s.Value)
		for _, t := range ch.Terms {
			if o, ok := t.(*Object); ok && o.Items != nil {
				it.weakly(func() { it.set(it.anyItem(o, v.Type), v.under(it.frame.pc)) })
			}
		}
	}
	return flowNext
}

func (it *Interp) weakly(f func()) {
	from := it.weakFrom
	it.weak, it.weakFrom = it.weak+1, it.eng.nextID
	f()
	it.weak, it.weakFrom = it.weak-1, from
}

func (it *Interp) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return
	}
	for _, sp := range d.Specs {
		vs, ok := sp.(*ast.ValueSpec)
		if !ok {
			continue
		}
		it.valueSpec(vs, func(id *ast.Ident) *Cell {
			o := it.info().Defs[id]
			if o == nil {
				return nil
			}
			return it.newVar(it.frame, o)
		})
	}
}

// valueSpec stores the values of a var declaration.
func (it *Interp) valueSpec(vs *ast.ValueSpec, cell func(*ast.Ident) *Cell) {
	var vals []Value
	switch {
	case len(vs.Values) == 1 && len(vs.Names) > 1:
		vals = it.tuple(it.eval(vs.Values[0]), len(vs.Names))
	default:
		for _, x := range vs.Values {
			vals = append(vals, it.eval(x))
		}
	}
	for i, id := range vs.Names {
		c := cell(id)
		if c == nil {
			continue
		}
		switch {
		case i < len(vals):
			it.set(c, vals[i])
		default:
			z := it.zeroOf(c.Type, id.Pos())
			settle(z, c.Var)
			it.set(c, z)
		}
	}
}

// zeroOf is a fresh zero value: a struct variable is an object of its own.
func (it *Interp) zeroOf(t types.Type, pos token.Pos) Value {
	if t == nil {
		return unknown(nil, nil)
	}
	if n := namedOf(t); n != nil {
		if _, ptr := types.Unalias(t).(*types.Pointer); !ptr {
			if isAtomic(n) {
				return termValue(it.object(Atomic, t, pos), t)
			}
			if _, ok := n.Underlying().(*types.Struct); ok {
				return termValue(it.object(Plain, t, pos), t)
			}
			if n.Underlying() == nil || types.Unalias(n.Underlying()) == types.Typ[types.Invalid] {
				return unknown(t, nil)
			}
		}
	}
	switch t.Underlying().(type) {
	case *types.Struct:
		return termValue(it.object(Plain, t, pos), t)
	case *types.Array:
		o := it.object(List, t, pos)
		o.Items = &Items{}
		return termValue(o, t)
	}
	return zeroValue(t)
}

func isAtomic(n *types.Named) bool {
	return n != nil && n.Obj().Pkg() != nil && (n.Obj().Pkg().Path() == "sync/atomic" || n.Obj().Pkg().Path() == "go.uber.org/atomic")
}

func (it *Interp) tuple(v Value, n int) []Value {
	out := make([]Value, n)
	for i := range n {
		if i < len(v.Tuple) {
			out[i] = v.Tuple[i]
		} else {
			out[i] = unknown(nil, v.L)
			out[i].Text = v.Text
			if i == 0 && len(v.Tuple) == 0 {
				out[i] = v
			}
		}
	}
	return out
}

func (it *Interp) assign(s *ast.AssignStmt) {
	var vals []Value
	if len(s.Rhs) == 1 && len(s.Lhs) > 1 {
		vals = it.multi(s.Rhs[0], len(s.Lhs))
	} else {
		for _, r := range s.Rhs {
			vals = append(vals, it.eval(r))
		}
	}
	for i, l := range s.Lhs {
		if i >= len(vals) {
			break
		}
		v := vals[i]
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			old := it.eval(l)
			v = it.binary(assignOp(s.Tok), old, v, s.Pos())
		}
		if s.Tok == token.DEFINE {
			if id, ok := l.(*ast.Ident); ok {
				if id.Name == "_" {
					continue
				}
				if o := it.info().Defs[id]; o != nil {
					it.set(it.newVar(it.frame, o), v)
					continue
				}
			}
		}
		it.assignTo(l, v)
	}
}

func assignOp(t token.Token) token.Token {
	switch t {
	case token.ADD_ASSIGN:
		return token.ADD
	case token.SUB_ASSIGN:
		return token.SUB
	case token.MUL_ASSIGN:
		return token.MUL
	case token.QUO_ASSIGN:
		return token.QUO
	case token.OR_ASSIGN:
		return token.OR
	case token.AND_ASSIGN:
		return token.AND
	}
	return token.ILLEGAL
}

// multi evaluates an expression in a context of n values: a call, or the comma-ok forms.
func (it *Interp) multi(e ast.Expr, n int) []Value {
	switch x := ast.Unparen(e).(type) {
	case *ast.TypeAssertExpr:
		v := it.eval(x.X)
		return []Value{it.assertType(v, it.typeOf(x)), it.assertOK(v, it.typeOf(x.Type))}
	case *ast.IndexExpr:
		v := it.eval(x)
		ok := unknown(types.Typ[types.Bool], v.L)
		if base := it.evalCached(x.X); isLib(base, "net/url", "query") || isLib(base, "net/http", "requestHeader") {
			switch {
			case isNilOnly(v):
				ok = boolValue(false)
			case !v.Open && len(v.Terms) > 0:
				ok = boolValue(true)
			}
		}
		if has, known := it.holds(it.evalCached(x.X), it.evalCached(x.Index)); known && !isBool(ok) {
			ok = boolValue(has).withLabel(it.evalCached(x.X).L.blur())
		}
		return []Value{v, ok}
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			v := it.eval(x)
			return []Value{v, unknown(types.Typ[types.Bool], nil)}
		}
	}
	return it.tuple(it.eval(e), n)
}

// assignTo stores into a variable, field, element or pointer.
func (it *Interp) assignTo(l ast.Expr, v Value) {
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		if l.Name == "_" {
			return
		}
		if c := it.cellOf(it.info().ObjectOf(l)); c != nil {
			it.set(c, v)
		}
	case *ast.SelectorExpr:
		cells := it.fieldCells(l)
		if len(cells) > 1 {
			it.weakly(func() {
				for _, c := range cells {
					it.set(c, v)
				}
			})
			return
		}
		for _, c := range cells {
			it.set(c, v)
		}
	case *ast.StarExpr:
		p := it.eval(l.X)
		for _, t := range p.Terms {
			switch t := t.(type) {
			case *Pointer:
				it.set(t.Cell, v)
			case *Object:
				// *p = T{...}: the fields are taken over
				for _, s := range v.Terms {
					if so, ok := s.(*Object); ok && t != so {
						for name, c := range so.Fields {
							it.set(it.field(t, name, c.Var, c.Type), it.get(c))
						}
					}
				}
			}
		}
	case *ast.IndexExpr:
		base := it.eval(l.X)
		idx := it.eval(l.Index)
		for _, t := range base.Terms {
			if o, ok := t.(*Object); ok && o.Items != nil {
				it.setItem(o, idx, v)
			}
		}
	}
}

func (it *Interp) setItem(o *Object, idx, v Value) {
	if k, ok := idx.isConst(); ok && it.strong(o.ID) && o.Items.Keys != nil || ok && len(o.Items.List) == 0 && isMap(o.Type) {
		for i, kk := range o.Items.Keys {
			if c, ok := kk.isConst(); ok && c.ExactString() == k.ExactString() {
				it.set(o.Items.List[i], v)
				return
			}
		}
		c := &Cell{element: true, Name: "[" + k.ExactString() + "]", Type: v.Type}
		o.Items.List = append(o.Items.List, c)
		o.Items.Keys = append(o.Items.Keys, idx)
		it.set(c, v)
		return
	}
	c := it.anyItem(o, v.Type)
	it.weakly(func() { it.set(c, v) })
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func (it *Interp) anyItem(o *Object, t types.Type) *Cell {
	if o.Items == nil {
		o.Items = &Items{} // code that does not type-check
	}
	if o.Items.Any == nil {
		o.Items.Any = &Cell{element: true, Name: "element", Type: t}
		o.Items.Exact = false
	}
	return o.Items.Any
}

func sortCells(cs []*Cell) { slices.SortStableFunc(cs, compareCells) }

func compareCells(a, b *Cell) int {
	return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.Name, b.Name))
}
