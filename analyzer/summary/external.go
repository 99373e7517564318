package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// external is a call of code that is not interpreted: what the tables say of it, else nothing.
func (it *Interp) external(s *site) Value {
	if isBlueprint(s.path) {
		return unknown(s.result, nil)
	}
	v := it.inModule(s, it.foreignCall)
	v = it.dataSource(s, v)
	it.filledIn(s, v)
	return v
}

// isBlueprint reports a library whose calls a generator reads before the build: they do nothing at run time, least of all call
// the functions they are given (https://pkg.go.dev/github.com/google/wire, NewSet).
func isBlueprint(path string) bool {
	return path == "github.com/google/wire" || path == "github.com/goforj/wire"
}

func (it *Interp) foreignCall(s *site) Value {
	it.handedOver(s)
	if it.runsHooks(s) {
		it.runHooks()
		return it.made(s)
	}
	it.atStart(s)
	it.keepSetting(s)
	if c, ok := it.lookupCall(s); ok {
		switch {
		case c.Effect.Waits():
			if c.Effect == knowledge.Maybe && hasEffect(s.recv.L) {
				return it.fromDependency(s)
			}
			if w, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name); ok && w.Role == knowledge.WrapRetry {
				return it.retried(s, w, func(s *site) Value { return it.connects(c, s, it.effect(c, s)) })
			}
			return it.connects(c, s, it.effect(c, s))
		case c.Effect == knowledge.Mirror:
			if it.syncedBefore(s) {
				return boolValue(true)
			}
			if it.request {
				src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos(), Mirror: true, Latch: isSync(s.name)}
				if cl, ok := it.eng.kb.LookupClient(c.Entry); ok {
					src.Of = cl.Display
				}
				return it.shaped(s.result, Label{{src, 0}}, nil)
			}
		case c.Effect == knowledge.Local:
			if hasEffect(s.recv.L) && s.method {
				return it.fromDependency(s) // Close and the like of what a dependency answered
			}
			if it.request && s.result != nil && c.Op != "handle" {
				src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos()}
				v := it.made(s)
				return v.withLabel(Label{{src, 0}})
			}
		}
		return it.connects(c, s, it.made(s))
	}
	if v, ok := it.synced(s); ok {
		return v
	}
	if w, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name); ok {
		switch w.Role {
		case knowledge.WrapRetry:
			return it.retried(s, w, it.opaque)
		case knowledge.WrapAuth, knowledge.WrapLimit:
			if v, ok := it.guarded(w, s); ok {
				return v
			}
		case knowledge.WrapTimeout:
			if (w.BoundsWork || w.BoundsAnswer) && w.Handler < 0 {
				return it.timeoutStep(w, s)
			}
		case knowledge.WrapDedup, knowledge.WrapCall, knowledge.WrapOnce, knowledge.WrapCallback, knowledge.WrapLoader:
			return it.opaque(s)
		case knowledge.WrapSpawn, knowledge.WrapParallel:
			it.spawnNode(func() { it.callbacks(s) }, s.e)
			return unknown(s.result, nil)
		case knowledge.WrapJoin:
			it.joinAll(nil)
			return unknown(s.result, nil)
		case knowledge.WrapMirror: // a circuit breaker's view of what it guards
			if it.request {
				return it.shaped(s.result, Label{{&Source{Kind: State, Name: s.short(), Pos: s.e.Pos(), Mirror: true}, 0}}, nil)
			}
		}
	}
	if hasEffect(s.recv.L) && s.method {
		return it.fromDependency(s)
	}
	if v, ok := it.wrappedWriter(s); ok {
		return v
	}
	if it.resp != nil && it.anyWriter(s) {
		it.opaque(s)
		it.markUnknownAnswer(s, "its code is in another module")
		return unknown(s.result, nil)
	}
	if len(s.args) > 0 && s.method {
		it.handOver(s)
	}
	switch {
	case s.fn == nil && s.recvT != "" && it.eng.firstParty(s.path): // a field of a function type
		return it.made(s).withLabel(it.unknownCode(s, "the function that is called is not known"))
	case s.path == "reflect" && strings.HasPrefix(s.name, "Call"):
		return it.made(s).withLabel(it.unknownCode(s, "it is called by reflection"))
	case s.byValue && s.fn != nil && isInterfaceMethod(s.fn) && s.fn.Pkg() != nil && it.eng.firstParty(s.fn.Pkg().Path()):
		return it.made(s).withLabel(it.unknownCode(s, "what the interface holds is not known"))
	}
	return it.saidBy(it.made(s), it.elsewhere(s))
}

// saidBy is what a call of another module returns: its errors carry the text that this module writes.
func (it *Interp) saidBy(v Value, l Label) Value {
	if len(l) == 0 {
		return v
	}
	v = v.withLabel(l)
	if isErrorType(v.Type) || isInvalid(v.Type) && len(v.Tuple) == 0 {
		v.Text = v.Text.union(l)
	}
	for i, x := range v.Tuple {
		if isErrorType(x.Type) {
			v.Tuple[i].Text = x.Text.union(l)
		}
	}
	return v
}

func hasEffect(l Label) bool {
	for _, c := range l {
		if c.Src.Kind == Effects {
			return true
		}
	}
	return false
}

// handOver gives first-party objects to a library that runs them: a Start or Run method is work that goes on.
func (it *Interp) handOver(s *site) {
	if it.request {
		return
	}
	for _, a := range s.args {
		for _, t := range a.Terms {
			o, ok := t.(*Object)
			if !ok || o.Type == nil || o.Kind != Plain || it.eng.handed[o] {
				continue
			}
			if p, _ := typeName(o.Type); !it.eng.firstParty(p) {
				continue
			}
			for _, name := range []string{"Start", "Run"} {
				obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(o.Type)), true, nil, name)
				fn, _ := obj.(*types.Func)
				if fn == nil {
					continue
				}
				it.eng.handed[o] = true
				sig := fn.Type().(*types.Signature)
				n := &site{fn: fn, method: true, recv: termValue(o, o.Type), e: s.e}
				for i := range sig.Params().Len() {
					n.args = append(n.args, unknown(sig.Params().At(i).Type(), nil))
				}
				it.describe(n)
				if d, ok := it.eng.decls[fn.Origin()]; ok && it.eng.graph.serving[d.decl] {
					it.spawnNode(func() { it.dispatch(n) }, s.e)
					it.exited = false
				} else if ok {
					it.later(s.e, func() { it.dispatch(n) })
					w := it.eng.waiting[len(it.eng.waiting)-1]
					w.roots = append(w.roots, d.decl)
				}
				break
			}
		}
	}
}

func derefType(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// made is the result of a library's call: an object that remembers how it was made, and, for functions it was given, what
// they return.
func (it *Interp) made(s *site) Value {
	v := it.opaque(s)
	pos, _ := sitePos(s)
	wrap := func(v Value, t types.Type) Value {
		if absent := isInvalid(t) && (it.sets(s) || it.keepsMade(s)); !absent && !it.guards(s) && (namedOf(t) == nil || isErrorType(t) || isContextType(t) || isErrorKind(t)) {
			return v
		}
		o := it.object(Library, t, pos)
		o.Lib = &Lib{Path: s.path, Name: s.name, Args: s.args}
		if s.method {
			o.Lib.Args = append([]Value{s.recv}, s.args...)
			o.Lib.Name = s.recvT + "." + s.name
		}
		v.Terms, v.Open = []Term{o}, false
		v.Nil = mayNonNil
		return v
	}
	if tup, ok := s.result.(*types.Tuple); ok {
		out := v
		out.Tuple = append([]Value(nil), v.Tuple...)
		for i := range out.Tuple {
			if i < tup.Len() {
				out.Tuple[i] = wrap(out.Tuple[i], tup.At(i).Type())
			}
		}
		return out
	}
	if s.result != nil || it.sets(s) || it.keepsMade(s) {
		v = wrap(v, s.result)
	}
	// a middleware that nothing is known of hands on the handler it was given
	for _, a := range s.args {
		if it.eng.isHandlerValue(a) && (it.eng.isHandlerType(s.result) || isInvalid(s.result) && len(s.args) == 1) {
			a.Type = s.result
			return a
		}
	}
	return v
}

func (g *Engine) isHandlerValue(v Value) bool {
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Closure:
			if sig, ok := x.Pkg.Info.TypeOf(x.Lit).(*types.Signature); ok && g.isHandlerShaped(sig) {
				return true
			}
		case *Func:
			if sig, ok := x.Fn.Type().(*types.Signature); ok && g.isHandlerShaped(sig) {
				return true
			}
		case *Object:
			if x.Mux != nil || x.Kind == HandlerOf || g.isHandlerType(x.Type) {
				return true
			}
		}
	}
	return false
}

func (g *Engine) isHandlerType(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, n := typeName(t); p == "net/http" && (n == "Handler" || n == "HandlerFunc") {
		return true
	}
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return g.isHandlerShaped(sig)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ServeHTTP")
	_, ok := obj.(*types.Func)
	return ok
}

func (it *Interp) lookupCall(s *site) (knowledge.Call, bool) {
	if s.path == "" || it.eng.firstParty(s.path) && s.fn != nil {
		if _, ok := it.eng.decls[s.fn]; ok && !it.eng.kb.Adds(s.path, s.recvT, s.name) {
			return knowledge.Call{}, false
		}
	}
	sig := knowledge.Sig{}
	if s.fn != nil {
		sig = knowledge.SigOf(s.fn)
	}
	if c, ok := it.eng.kb.LookupCall(s.path, s.recvT, s.name, sig); ok {
		return c, true
	}
	if s.method {
		if p, n := typeName(s.recv.Type); n != "" && (p != s.path || n != s.recvT) {
			if c, ok := it.eng.kb.LookupCall(p, n, s.name, sig); ok {
				return c, true
			}
		}
	}
	return knowledge.Call{}, false
}

// effect records a call that leaves the process and gives its results the call's label.
func (it *Interp) effect(c knowledge.Call, s *site) Value {
	if !it.request && !it.background {
		it.works(c.Op, statementOf(s), s)
		return it.made(s) // start-up work is no health check
	}
	pos, end := sitePos(s)
	client, _ := it.eng.kb.LookupClient(c.Entry)
	e := &Effect{
		Kind: c.Kind, Entry: c.Entry, Name: client.Display, Callee: s.callee(), Op: c.Op, Pos: pos, End: end,
		Scope: model.External, Shared: c.Shared, Background: it.background && !it.request, Every: it.every,
		Control: it.pc(), Via: it.via(s), Recv: s.recv, After: it.flushed(), Conn: c.Effect == knowledge.Connect,
	}
	e.Stack, e.Connectionless = it.way(pos, end), connectionless(s)
	it.locate(e, c, s)
	it.bound(e, c, client, s)
	for _, a := range s.args {
		if t, ok := a.str(); ok && (c.Op == "query" || c.Op == "exec" || c.Op == "prepare") {
			e.Statement = t
			break
		}
	}
	// functions that the call is given run inside it (transactions)
	for _, a := range s.args {
		for _, t := range a.Terms {
			it.callback1(t)
		}
	}
	it.cur.add(&node{kind: nodeLeaf, eff: e})
	it.eng.effects = append(it.eng.effects, e)

	src := e.source()
	text := Label{{src, 0}}
	result := func(t types.Type) Value {
		if isErrorType(t) {
			return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{src, 1}}, Text: text, Type: t}
		}
		v := unknown(t, Label{{src, 0}})
		if namedOf(t) != nil {
			o := it.object(Library, t, pos)
			o.Lib = &Lib{Path: s.path, Name: s.name, Args: s.args}
			if s.method {
				o.Lib.Name, o.Lib.Args = s.recvT+"."+s.name, append([]Value{s.recv}, s.args...)
			}
			v.Terms, v.Open, v.Nil = []Term{o}, false, mayNil|mayNonNil
		}
		return v
	}
	if tup, ok := s.result.(*types.Tuple); ok {
		v := Value{}
		for i := range tup.Len() {
			v.Tuple = append(v.Tuple, result(tup.At(i).Type()))
		}
		return v
	}
	if s.result == nil {
		return unknown(nil, Label{{src, 1}})
	}
	v := result(s.result)
	if isInvalid(s.result) {
		v.L, v.Text, v.Nil = Label{{src, 1}}, text, mayNil|mayNonNil
	}
	return v
}

// via is the way from the handler to the call in hand.
func (it *Interp) via(s *site) []Hop {
	var hops []Hop
	pos, end := sitePos(s)
	for f := it.frame; f != nil; f = f.caller {
		hops = append(hops, Hop{Symbol: f.symbol, Pos: pos, End: end})
		pos, end = f.callPos, f.callEnd
	}
	for i, j := 0, len(hops)-1; i < j; i, j = i+1, j-1 {
		hops[i], hops[j] = hops[j], hops[i]
	}
	if len(hops) > 12 {
		hops = append(hops[:6:6], hops[len(hops)-6:]...)
	}
	return hops
}

func (it *Interp) maybeUnfollowed(s *site, why string) {
	if !it.request || s == nil || s.e == nil {
		return
	}
	name := s.name
	if name == "" {
		name = exprText(s.e.Fun)
	}
	it.unfollowed(name, why, s.e)
}

// exprText is a short form of an expression for people.
func exprText(e ast.Expr) string {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return exprText(x.X) + "." + x.Sel.Name
	case *ast.CallExpr:
		return exprText(x.Fun) + "()"
	case *ast.IndexExpr:
		return exprText(x.X) + "[…]"
	case *ast.StarExpr:
		return exprText(x.X)
	}
	return "func literal"
}

func lastSegment(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		last := p[i+1:]
		if len(last) > 1 && last[0] == 'v' && last[1] >= '0' && last[1] <= '9' {
			return lastSegment(p[:i])
		}
		return last
	}
	return p
}

func posOf(s *site) token.Pos { p, _ := sitePos(s); return p }
func endOf(s *site) token.Pos { _, e := sitePos(s); return e }

// isErrorKind reports an interface that is more than an error (utilerrors.Aggregate): it may be nil like any error.
func isErrorKind(t types.Type) bool {
	if !types.IsInterface(t) {
		return false
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Error")
	fn, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	sig, ok := fn.Type().(*types.Signature)
	return ok && sig.Params().Len() == 0 && sig.Results().Len() == 1
}
