package summary

import (
	"go/ast"
	"go/types"
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
	// byValue: the callee is a function value or the method of an interface, not named by the call.
	byValue bool
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
	base, since := it.frame.pc, it.eng.nextID
	exited, fork := 0, it.fork()
	for i, t := range terms {
		mark := len(it.journal)
		var v Value
		it.exited = false
		it.chooses(fork, i, func() { alt.add(it.collect(nodeSeq, func() { v = f(t) })) })
		if it.exited {
			exited++
		}
		ways = append(ways, exit{state: it.hence(), pc: it.frame.pc})
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
	it.merge(len(it.journal), ways, since, nil)
	return out
}

// invoke calls one term.
func (it *Interp) invoke(t Term, s *site) Value {
	switch t := t.(type) {
	case *Closure:
		if len(t.when) > 0 {
			base := it.frame.pc
			it.frame.pc = base.union(t.when)
			defer func() { it.frame.pc = base }()
		}
		return it.enter(t.Pkg, t.Lit, t.Lit.Type, t.Lit.Body, it.eng.symbolOf(t.Lit), t.Env, nil, s)
	case *Func:
		if len(t.when) > 0 {
			base := it.frame.pc
			it.frame.pc = base.union(t.when)
			defer func() { it.frame.pc = base }()
		}
		n := *s
		n.fn = t.Fn
		n.path, n.recvT, n.name = "", "", ""
		n.byValue = true
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
	it.gives(s)
	it.cacheHeader(s)
	if v, ok := it.model(s); ok {
		return v
	}
	if s.fn != nil && !it.eng.kb.Adds(s.path, s.recvT, s.name) {
		if d, ok := it.eng.decls[s.fn]; ok {
			return it.enterDecl(d, s)
		}
		if s.method && isInterfaceMethod(s.fn) {
			return it.dynamic(s)
		}
	}
	return it.external(s)
}

func (it *Interp) enterDecl(d declRef, s *site) Value {
	if d.decl.Body == nil {
		return it.opaque(s)
	}
	if !it.request && !it.late && !it.eng.worthEntering(d, s) && !it.startWork(d) {
		it.skips(d, s)
		it.putOff(d, s)
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
