package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// site is one call with its operands evaluated.
type site struct {
	e      *ast.CallExpr
	fn     *types.Func // nil for a call of a value
	path   string      // import path of the callee
	recvT  string      // receiver type name without *, "" for a function
	name   string
	recv   Value
	args   []Value
	spread bool
	result types.Type
	method bool
}

func (s *site) arg(i int) Value {
	if i < 0 || i >= len(s.args) {
		return Value{}
	}
	return s.args[i]
}

// callee is "(*pkg.T).M" or "pkg.F".
func (s *site) callee() string {
	if s.recvT != "" {
		return "(*" + s.path + "." + s.recvT + ")." + s.name
	}
	if s.path == "" {
		return s.name
	}
	return s.path + "." + s.name
}

// short is "T.M" or "pkg.F", for people.
func (s *site) short() string {
	if s.recvT != "" {
		return s.recvT + "." + s.name
	}
	return lastSegment(s.path) + "." + s.name
}

func (it *Interp) call(e *ast.CallExpr) Value {
	if !it.step() {
		return unknown(it.typeOf(e), nil)
	}
	fun := ast.Unparen(e.Fun)
	if tv, ok := it.info().Types[fun]; ok && tv.IsType() {
		return it.convert(e, tv.Type)
	}
	if id, ok := fun.(*ast.Ident); ok {
		if b, ok := it.info().Uses[id].(*types.Builtin); ok {
			return it.builtin(b.Name(), e)
		}
	}
	s := &site{e: e, result: it.typeOf(e)}
	var target Value // the called value where fn is not static
	switch f := stripIndex(it, fun).(type) {
	case *ast.Ident:
		if fn, ok := it.info().Uses[f].(*types.Func); ok {
			s.fn = fn
		} else {
			target = it.eval(f)
		}
	case *ast.SelectorExpr:
		if sel := it.info().Selections[f]; sel != nil && sel.Kind() == types.MethodVal {
			s.fn, _ = sel.Obj().(*types.Func)
			s.method = true
			s.recv = it.eval(f.X)
			s.recv = it.promote(s.recv, sel)
			if s.recv.Type == nil || isInvalid(s.recv.Type) {
				s.recv.Type = sel.Recv()
			}
		} else if id, ok := f.X.(*ast.Ident); ok && it.pkgName(id) != nil {
			pn := it.pkgName(id)
			if fn, ok := it.info().Uses[f.Sel].(*types.Func); ok {
				s.fn = fn
			} else if _, isVar := it.info().Uses[f.Sel].(*types.Var); isVar {
				s.path, s.name = pn.Imported().Path(), f.Sel.Name
				target = it.qualified(pn, f)
			} else { // the package is not there: its name and the tables are all there is
				s.path, s.name = pn.Imported().Path(), f.Sel.Name
			}
		} else if sel != nil && sel.Kind() == types.MethodExpr {
			fn, _ := sel.Obj().(*types.Func)
			s.args = it.args(e, s)
			if len(s.args) > 0 {
				s.fn, s.recv, s.args, s.method = fn, s.args[0], s.args[1:], true
				it.describe(s)
				return it.dispatch(s)
			}
		} else if sel == nil {
			// a method of a value whose type is not known
			s.recv = it.eval(f.X)
			s.name, s.method = f.Sel.Name, true
			if s.recv.Type != nil {
				s.path, s.recvT = typeName(s.recv.Type)
			}
			if lib := libOf(s.recv); lib != nil && s.path == "" {
				s.path, s.recvT = lib.Path, lib.Name
			}
		} else {
			target = it.eval(f)
			s.name = f.Sel.Name
			if v, ok := sel.Obj().(*types.Var); ok && v.Pkg() != nil {
				s.path = v.Pkg().Path()
				_, s.recvT = typeName(sel.Recv())
				s.recv = it.evalCached(f.X)
			}
		}
	default:
		target = it.eval(fun)
	}
	s.args = it.args(e, s)
	it.describe(s)
	if s.fn == nil && s.name == "" || len(target.Terms) > 0 {
		return it.callValue(target, s)
	}
	return it.dispatch(s)
}

func stripIndex(it *Interp, e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.IndexExpr:
		if tv, ok := it.info().Types[x.Index]; ok && tv.IsType() {
			return ast.Unparen(x.X)
		}
	case *ast.IndexListExpr:
		return ast.Unparen(x.X)
	}
	return e
}

func (it *Interp) pkgName(id *ast.Ident) *types.PkgName {
	pn, _ := it.info().Uses[id].(*types.PkgName)
	return pn
}

func (it *Interp) describe(s *site) {
	if s.fn == nil {
		return
	}
	s.fn = s.fn.Origin()
	s.name = s.fn.Name()
	if s.fn.Pkg() != nil {
		s.path = s.fn.Pkg().Path()
	}
	if sig, ok := s.fn.Type().(*types.Signature); ok && sig.Recv() != nil {
		_, s.recvT = typeName(sig.Recv().Type())
	}
}

// args evaluates the arguments; f(g()) with a g of several results is spread.
func (it *Interp) args(e *ast.CallExpr, s *site) []Value {
	s.spread = e.Ellipsis.IsValid()
	if len(e.Args) == 1 {
		if t, ok := it.typeOf(e.Args[0]).(*types.Tuple); ok && t.Len() > 1 {
			return it.tuple(it.eval(e.Args[0]), t.Len())
		}
	}
	out := make([]Value, len(e.Args))
	for i, a := range e.Args {
		out[i] = it.eval(a)
		if out[i].Type == nil {
			out[i].Type = it.typeOf(a)
		}
	}
	return out
}

func (it *Interp) convert(e *ast.CallExpr, t types.Type) Value {
	if len(e.Args) != 1 {
		return unknown(t, nil)
	}
	v := it.eval(e.Args[0])
	if _, ok := t.Underlying().(*types.Interface); !ok || v.Type == nil {
		v.Type = t
	}
	return v
}

// promote walks the embedded fields of a promoted method to the receiver that has it.
func (it *Interp) promote(recv Value, sel *types.Selection) Value {
	idx := sel.Index()
	if len(idx) < 2 {
		return recv
	}
	cells := it.walkFields(it.objectsIn(recv), sel.Recv(), idx[:len(idx)-1])
	if len(cells) == 0 {
		t := sel.Recv()
		for _, i := range idx[:len(idx)-1] {
			if st := structOf(t); st != nil && i < st.NumFields() {
				t = st.Field(i).Type()
			}
		}
		return unknown(t, recv.L)
	}
	var v Value
	for i, c := range cells {
		x := it.get(c)
		if len(x.Terms) == 0 && structOf(c.Type) != nil {
			x = it.embedded(c, c.Type)
		}
		if x.Type == nil {
			x.Type = c.Type
		}
		if i == 0 {
			v = x
		} else {
			v = join(v, x)
		}
	}
	return v.withLabel(recv.L)
}

// callValue calls what a value may be.
func (it *Interp) callValue(target Value, s *site) Value {
	if len(target.Terms) == 0 {
		if s.fn == nil && s.path != "" && s.name != "" {
			return it.dispatch(s)
		}
		if isNilOnly(target) {
			return unknown(s.result, target.L)
		}
		it.maybeUnfollowed(s, "the function that is called is not known")
		return it.opaque(s)
	}
	return it.each(target.Terms, func(t Term) Value { return it.invoke(t, s) }).withLabel(target.L)
}

// each runs alternatives of a call from one state and joins them.
func (it *Interp) each(terms []Term, f func(Term) Value) Value {
	if len(terms) == 1 {
		return f(terms[0])
	}
	var out Value
	var ways []exit
	alt := &node{kind: nodeAlt}
	base := it.frame.pc
	exited := 0
	for i, t := range terms {
		mark := len(it.journal)
		var v Value
		it.exited = false
		alt.add(it.collect(nodeSeq, func() { v = f(t) }))
		if it.exited {
			exited++
		}
		ways = append(ways, exit{cells: it.touched(mark), pc: it.frame.pc})
		it.rollback(mark)
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	it.frame.pc = base
	it.exited = exited == len(terms)
	if !alt.empty() {
		it.cur.add(alt)
	}
	it.merge(ways)
	return out
}

// invoke calls one term.
func (it *Interp) invoke(t Term, s *site) Value {
	switch t := t.(type) {
	case *Closure:
		return it.enter(t.Pkg, t.Lit, t.Lit.Type, t.Lit.Body, it.eng.symbolOf(t.Lit), t.Env, nil, s)
	case *Func:
		n := *s
		n.fn = t.Fn
		n.path, n.recvT, n.name = "", "", ""
		if t.Recv != nil {
			n.recv, n.method = *t.Recv, true
		} else if sig, ok := t.Fn.Type().(*types.Signature); ok && sig.Recv() != nil && len(n.args) > 0 {
			n.recv, n.args, n.method = n.args[0], n.args[1:], true
		}
		it.describe(&n)
		return it.dispatch(&n)
	case *Object:
		return it.invokeObject(t, s)
	}
	return it.opaque(s)
}

// dispatch calls a declared function or method: what the interpreter knows, then what has a body, then what the tables
// know, then nothing.
func (it *Interp) dispatch(s *site) Value {
	if v, ok := it.model(s); ok {
		return v
	}
	if s.fn != nil {
		if d, ok := it.eng.decls[s.fn]; ok {
			return it.enterDecl(d, s)
		}
		if s.method && isInterfaceMethod(s.fn) {
			return it.dynamic(s)
		}
	}
	return it.external(s)
}

func isInterfaceMethod(fn *types.Func) bool {
	sig, ok := fn.Type().(*types.Signature)
	return ok && sig.Recv() != nil && types.IsInterface(sig.Recv().Type())
}

func (it *Interp) enterDecl(d declRef, s *site) Value {
	if d.decl.Body == nil {
		return it.opaque(s)
	}
	if !it.request && !it.eng.worthEntering(d, s) {
		return unknown(s.result, nil)
	}
	var recv *Value
	if s.method {
		r := s.recv
		if len(r.Terms) == 0 {
			if sig, ok := s.fn.Type().(*types.Signature); ok && sig.Recv() != nil {
				r = it.standIn(r, sig.Recv().Type())
			}
		}
		recv = &r
	}
	return it.enter(d.pkg, d.decl, d.decl.Type, d.decl.Body, it.eng.symbolOf(d.decl), nil, recv, s)
}

// standIn is a receiver of which only the type is known: the objects that the program makes of that type, else one whose
// fields are unknown.
func (it *Interp) standIn(v Value, t types.Type) Value {
	n := namedOf(t)
	if n == nil {
		return v
	}
	for _, o := range it.eng.objectsOf(it, n) {
		v.Terms = addTerm(v.Terms, o)
	}
	if len(v.Terms) > 0 {
		v.Open = len(v.Terms) > 1
		return v
	}
	return v
}

// dynamic calls an interface method on what the receiver may be.
func (it *Interp) dynamic(s *site) Value {
	type target struct {
		fn   *types.Func
		recv Value
	}
	var ts []target
	unknownRecv := s.recv.Open
	for _, t := range s.recv.Terms {
		switch t := t.(type) {
		case *Object:
			if t.Type == nil {
				unknownRecv = true
				continue
			}
			fn, idx := methodOf(t.Type, s.fn)
			if fn == nil {
				if t.Kind != Plain || t.Lib != nil {
					ts = append(ts, target{nil, termValue(t, t.Type)})
				}
				continue
			}
			r := it.alongIndex(termValue(t, t.Type), t.Type, idx)
			ts = append(ts, target{fn, r})
		case *Func, *Closure:
			// a func type with methods (http.HandlerFunc, CheckFunc): its method calls itself
			ts = append(ts, target{nil, Value{Terms: []Term{t}, Nil: mayNonNil, Type: s.recv.Type}})
		}
	}
	if len(ts) == 0 {
		if fns := it.eng.implementors(it, s); len(fns) > 0 {
			for _, fn := range fns {
				sig := fn.Type().(*types.Signature)
				ts = append(ts, target{fn, it.standIn(Value{Open: true, Nil: mayNonNil, Type: sig.Recv().Type()}, sig.Recv().Type())})
			}
			unknownRecv = true
		}
	}
	if len(ts) == 0 {
		return it.external(s)
	}
	terms := make([]Term, len(ts))
	for i := range ts {
		terms[i] = i
	}
	may := unknownRecv || len(ts) > 1
	v := it.each(terms, func(x Term) Value {
		t := ts[x.(int)]
		n := *s
		n.recv = t.recv
		if t.fn == nil {
			for _, term := range t.recv.Terms {
				switch c := term.(type) {
				case *Closure:
					return it.viaInterface(may, func() Value { return it.invoke(c, &n) })
				case *Func:
					return it.viaInterface(may, func() Value { return it.invoke(c, &n) })
				case *Object:
					n.path, n.recvT = typeName(c.Type)
					if c.Lib != nil && n.path == "" {
						n.path, n.recvT = c.Lib.Path, c.Lib.Name
					}
				}
			}
			return it.viaInterface(may, func() Value { return it.external(&n) })
		}
		n.fn = t.fn
		it.describe(&n)
		return it.viaInterface(may, func() Value {
			if v, ok := it.model(&n); ok {
				return v
			}
			if d, ok := it.eng.decls[n.fn]; ok {
				return it.enterDecl(d, &n)
			}
			if isInterfaceMethod(n.fn) && !sameRecv(&n.recv, &s.recv) {
				return it.dynamic(&n)
			}
			return it.external(&n)
		})
	})
	if unknownRecv {
		v.Open = true
	}
	return v.withLabel(s.recv.L.blur())
}

// viaInterface notes, for the effects below, that they were reached through an interface.
func (it *Interp) viaInterface(may bool, f func() Value) Value {
	var v Value
	n := it.collect(nodeSeq, func() { v = f() })
	n.walk(func(e *Effect) {
		if may {
			e.Interface = "may"
		} else if e.Interface == "" {
			e.Interface = "exact"
		}
	})
	if !n.empty() {
		it.cur.add(n)
	}
	return v
}

// methodOf finds the method of a concrete type that implements an interface's.
func methodOf(t types.Type, m *types.Func) (*types.Func, []int) {
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		if _, ok := t.Underlying().(*types.Interface); !ok {
			t = types.NewPointer(t)
		}
	}
	obj, idx, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
	fn, _ := obj.(*types.Func)
	if fn == nil {
		return nil, nil
	}
	return fn.Origin(), idx
}

// alongIndex is the embedded receiver of a promoted method.
func (it *Interp) alongIndex(v Value, t types.Type, idx []int) Value {
	if len(idx) < 2 {
		return v
	}
	cells := it.walkFields(it.objectsIn(v), t, idx[:len(idx)-1])
	var out Value
	for i, c := range cells {
		x := it.get(c)
		if len(x.Terms) == 0 && structOf(c.Type) != nil {
			x = it.embedded(c, c.Type)
		}
		if x.Type == nil {
			x.Type = c.Type
		}
		if i == 0 {
			out = x
		} else {
			out = join(out, x)
		}
	}
	return out
}

// enter interprets a body with its parameters bound.
func (it *Interp) enter(pkg *load.Package, n ast.Node, ft *ast.FuncType, body *ast.BlockStmt, symbol string, env *Frame, recv *Value, s *site) Value {
	if it.stack[n] >= maxRecursion || it.depth >= maxDepth || !it.step() {
		return unknown(s.result, s.recv.L)
	}
	it.stack[n]++
	it.depth++
	defer func() { it.stack[n]--; it.depth-- }()
	if !it.request {
		it.eng.visited[n] = true
	}
	f := &Frame{parent: env, vars: map[types.Object]*Cell{}, pkg: pkg, symbol: symbol, node: n, caller: it.frame, mark: len(it.journal)}
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
					c := f.declare(o)
					it.put(c, it.zeroOf(o.Type(), id.Pos()))
					f.results = append(f.results, c)
				}
			}
		}
	}
	fl := it.block(body.List)
	if fl&flowNext != 0 {
		v := Value{}
		if len(f.results) > 0 {
			v = it.namedResults()
		}
		f.exits = append(f.exits, exit{value: v, cells: it.leaving(), pc: f.pc})
	}
	out := Value{}
	if len(f.exits) == 0 {
		it.runDefers(f)
		it.frame = saved
		it.exited = true
		return unknown(s.result, nil)
	}
	it.rollback(f.mark)
	it.merge(f.exits)
	for i, x := range f.exits {
		v := x.value
		if len(f.exits) > 1 {
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
	for _, fd := range fl.List {
		if len(fd.Names) == 0 {
			ids = append(ids, nil)
			continue
		}
		ids = append(ids, fd.Names...)
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
				c := &Cell{Name: "argument", Type: a.Type}
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
		c := it.frame.declare(o)
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
			if v, ok := it.callback1(t, a); ok {
				if len(v.Tuple) > 0 {
					v = v.Tuple[len(v.Tuple)-1]
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
func (it *Interp) callback1(t Term, a Value) (Value, bool) {
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
	if sig == nil || isHandlerShaped(sig) {
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
	return v, true
}

// calleeName is the import path, receiver type and name of a call's static callee.
func (it *Interp) calleeName(e *ast.CallExpr) (path, recv, name string) {
	var id *ast.Ident
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return "", "", ""
	}
	fn, ok := it.info().Uses[id].(*types.Func)
	if !ok {
		return "", "", id.Name
	}
	s := &site{fn: fn}
	it.describe(s)
	return s.path, s.recvT, s.name
}
