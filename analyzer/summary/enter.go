package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// enter interprets a body with its parameters bound.
func (it *Interp) enter(pkg *load.Package, n ast.Node, ft *ast.FuncType, body *ast.BlockStmt, symbol string, env *Frame, recv *Value, s *site) Value {
	if it.stack[n] >= maxRecursion || it.depth >= maxDepth || !it.step() {
		it.cutShort(n, symbol, s)
		return unknown(s.result, s.recv.L)
	}
	it.stack[n]++
	it.depth++
	defer func() { it.stack[n]--; it.depth-- }()
	if !it.request {
		it.eng.visited[n] = true
	}
	if _, lit := n.(*ast.FuncLit); it.request {
		it.enterHandler(pkg.Info, n, ft, symbol, !lit && !s.byValue)
	}
	f := &Frame{parent: env, vars: map[types.Object]*Cell{}, pkg: pkg, symbol: symbol, node: n, caller: it.frame, mark: len(it.journal), pend: len(it.ends), since: it.eng.nextID}
	if s.e != nil {
		f.callPos, f.callEnd = s.e.Pos(), s.e.End()
	}
	args := s.args
	saved := it.frame
	it.frame = f
	if d, ok := n.(*ast.FuncDecl); ok && d.Recv != nil && recv != nil {
		it.bindFields(d.Recv, []Value{*recv}, false, false)
	}
	it.bindFields(ft.Params, args, isVariadic(ft), s.spread)
	if ft.Results != nil {
		for _, fd := range ft.Results.List {
			for _, id := range fd.Names {
				if o := it.info().Defs[id]; o != nil {
					c := it.newVar(f, o)
					it.put(c, it.zeroOf(o.Type(), id.Pos()))
					f.results = append(f.results, c)
				}
			}
		}
	}
	var fl flow
	if n := it.collect(nodeFn, func() { fl = it.block(body.List) }); !n.empty() {
		it.cur.add(n)
	}
	if fl&flowNext != 0 {
		v := Value{}
		if len(f.results) > 0 {
			v = it.namedResults()
		}
		f.exits = append(f.exits, exit{value: v, state: it.hence(), pc: f.pc})
	}
	out := Value{}
	if len(f.exits) == 0 {
		it.drop(f.pend)
		it.runDefers(f)
		it.frame = saved
		it.exited = true
		return unknown(s.result, nil)
	}
	exits := f.exits
	if f.exits, f.loops = nil, nil; !it.leave(f.mark, exits, f) {
		it.merge(f.mark, exits, f.since, f)
	}
	it.drop(f.pend)
	for i, x := range exits {
		v := x.value
		if len(exits) > 1 {
			v = v.under(x.pc)
		}
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	f.pc = nil
	if len(f.defers) > 0 {
		before := len(it.journal)
		it.runDefers(f)
		if len(f.results) > 0 && len(it.journal) > before {
			out = it.namedResults()
		}
	}
	f.owned = nil
	if !f.escapes {
		f.vars = nil
	}
	it.frame = saved
	if out.Type == nil && s.result != nil {
		if _, tup := s.result.(*types.Tuple); !tup {
			out.Type = s.result
		}
	}
	return out
}

func (it *Interp) runDefers(f *Frame) {
	for i := len(f.defers) - 1; i >= 0; i-- {
		it.weakly(f.defers[i])
	}
	f.defers = nil
}

func isVariadic(ft *ast.FuncType) bool {
	if ft.Params == nil || len(ft.Params.List) == 0 {
		return false
	}
	_, ok := ft.Params.List[len(ft.Params.List)-1].Type.(*ast.Ellipsis)
	return ok
}

func (it *Interp) bindFields(fl *ast.FieldList, args []Value, variadic, spread bool) {
	if fl == nil {
		return
	}
	var ids []*ast.Ident
	var written []ast.Expr
	for _, fd := range fl.List {
		if len(fd.Names) == 0 {
			ids, written = append(ids, nil), append(written, fd.Type)
			continue
		}
		for _, id := range fd.Names {
			ids, written = append(ids, id), append(written, fd.Type)
		}
	}
	for i, id := range ids {
		var v Value
		switch {
		case variadic && i == len(ids)-1 && !spread:
			var t types.Type
			pos := token.NoPos
			if id != nil {
				if o := it.info().Defs[id]; o != nil {
					t, pos = o.Type(), id.Pos()
				}
			}
			o := it.object(List, t, pos)
			o.Items = &Items{Exact: true}
			for _, a := range args[min(i, len(args)):] {
				c := &Cell{element: true, Name: "argument", Type: a.Type}
				o.Items.List = append(o.Items.List, c)
				it.set(c, a)
			}
			v = termValue(o, t)
		case i < len(args):
			v = args[i]
		}
		if id == nil || id.Name == "_" {
			continue
		}
		o := it.info().Defs[id]
		if o == nil {
			continue
		}
		if isZero(v) {
			v = unknown(o.Type(), nil)
		}
		if v.Type == nil || isInvalid(v.Type) {
			v.Type = o.Type()
		}
		if isInvalid(o.Type()) && len(v.Terms) == 0 {
			v = it.asWritten(v, written[i], o.Type())
		}
		c := it.newVar(it.frame, o)
		if _, ok := o.Type().Underlying().(*types.Interface); ok {
			c.Type = nil // keep the dynamic type
		}
		it.set(c, v)
		c.Late = false
	}
}

// opaque is a call that nothing is known of: it may call the functions it is given, and its result depends on what it got.
func (it *Interp) opaque(s *site) Value {
	l, text := s.recv.L.blur(), s.recv.Text
	for _, a := range s.args {
		l = l.union(a.L.blur())
		text = text.union(a.Text)
	}
	for _, a := range s.args {
		for _, t := range a.Terms {
			if v, ok := it.callback1(t); ok {
				if n := len(v.Tuple); n > 0 {
					if n > 1 && isBoolean(v.Tuple[0].Type) { // (done bool, err error)
						l = l.unionValue(v.Tuple[0].L.blur())
					}
					v = v.Tuple[n-1]
				}
				l = l.unionValue(v.L)
				text = text.union(v.Text)
			}
		}
	}
	return it.shaped(s.result, l, text)
}

// shaped is an unknown result of a type, tuples included. An error carries the label with its sense.
func (it *Interp) shaped(t types.Type, l, text Label) Value {
	if tup, ok := t.(*types.Tuple); ok {
		v := Value{L: l}
		for i := range tup.Len() {
			v.Tuple = append(v.Tuple, it.shaped(tup.At(i).Type(), l, text))
		}
		return v
	}
	v := unknown(t, l)
	v.Text = text
	return v
}

// callback1 runs a function that was handed to a library, unless it is a handler of requests.
func (it *Interp) callback1(t Term) (Value, bool) {
	var sig *types.Signature
	switch x := t.(type) {
	case *Closure:
		sig, _ = x.Pkg.Info.TypeOf(x.Lit).(*types.Signature)
	case *Func:
		sig, _ = x.Fn.Type().(*types.Signature)
		if _, ok := it.eng.decls[x.Fn.Origin()]; !ok {
			return Value{}, false
		}
	default:
		return Value{}, false
	}
	if sig == nil || it.eng.isHandlerShaped(sig) {
		return Value{}, false
	}
	if !it.request && !it.background && !it.eng.leadsToServing(t) && (sig.Results().Len() == 0 || !makesSomething(sig.Results().At(0).Type())) {
		return Value{}, false
	}
	n := &site{result: nil}
	for i := range sig.Params().Len() {
		p := unknown(sig.Params().At(i).Type(), nil)
		if isContextType(p.Type) {
			p = it.callbackContext(p)
		}
		n.args = append(n.args, p)
	}
	if sig.Variadic() {
		n.spread = true
	}
	v := it.invoke(t, n)
	it.exited = false
	for i := range v.Tuple {
		if v.Tuple[i].Type == nil && i < sig.Results().Len() {
			v.Tuple[i].Type = sig.Results().At(i).Type()
		}
	}
	return v, true
}
