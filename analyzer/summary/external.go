package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// external is a call of code that is not interpreted: what the tables say of it, else nothing.
func (it *Interp) external(s *site) Value {
	if c, ok := it.lookupCall(s); ok {
		switch {
		case c.Effect.Waits():
			if c.Effect == knowledge.Maybe && hasEffect(s.recv.L) {
				return it.fromDependency(s)
			}
			return it.effect(c, s)
		case c.Effect == knowledge.Mirror:
			if it.request {
				src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos(), Mirror: true}
				return it.shaped(s.result, Label{{src, 0}}, nil)
			}
		case c.Effect == knowledge.Local:
			if it.request && s.result != nil {
				src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos()}
				v := it.made(s)
				return v.withLabel(Label{{src, 0}})
			}
		}
		return it.made(s)
	}
	if w, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name); ok {
		switch w.Role {
		case knowledge.WrapDedup, knowledge.WrapRetry, knowledge.WrapCall, knowledge.WrapOnce, knowledge.WrapCallback, knowledge.WrapLoader:
			return it.opaque(s)
		case knowledge.WrapSpawn, knowledge.WrapParallel:
			it.spawnNode(func() { it.callbacks(s) }, s.e)
			return unknown(s.result, nil)
		case knowledge.WrapJoin:
			it.joinAll(nil)
			return unknown(s.result, nil)
		}
	}
	if hasEffect(s.recv.L) && s.method {
		return it.fromDependency(s)
	}
	if it.resp != nil && it.anyWriter(s) {
		it.opaque(s)
		it.markUnknownAnswer(s, "its code is in another module")
		return unknown(s.result, nil)
	}
	if len(s.args) > 0 && s.method {
		it.handOver(s)
	}
	return it.made(s)
}

func hasEffect(l Label) bool {
	for _, c := range l {
		if c.Src.Kind == Effects {
			return true
		}
	}
	return false
}

// fromDependency is what a method of a dependency's answer gives: an error that is non-nil is the dependency's failure.
func (it *Interp) fromDependency(s *site) Value {
	l := s.recv.L
	var text Label
	for _, c := range l {
		if c.Src.Kind == Effects {
			text = text.with(Cause{c.Src, 0})
		}
	}
	return it.shaped(s.result, l, s.recv.Text.union(text))
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
		if n := namedOf(t); n == nil || isErrorType(t) || isContextType(t) {
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
	if s.result != nil {
		v = wrap(v, s.result)
	}
	// a middleware that nothing is known of hands on the handler it was given
	for _, a := range s.args {
		if isHandlerValue(a) && isHandlerType(s.result) {
			a.Type = s.result
			return a
		}
	}
	return v
}

func isHandlerValue(v Value) bool {
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Closure:
			if sig, ok := x.Pkg.Info.TypeOf(x.Lit).(*types.Signature); ok && isHandlerShaped(sig) {
				return true
			}
		case *Func:
			if sig, ok := x.Fn.Type().(*types.Signature); ok && isHandlerShaped(sig) {
				return true
			}
		case *Object:
			if x.Mux != nil || x.Kind == HandlerOf || isHandlerType(x.Type) {
				return true
			}
		}
	}
	return false
}

func isHandlerType(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, n := typeName(t); p == "net/http" && (n == "Handler" || n == "HandlerFunc") {
		return true
	}
	if sig, ok := t.Underlying().(*types.Signature); ok {
		return isHandlerShaped(sig)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "ServeHTTP")
	_, ok := obj.(*types.Func)
	return ok
}

func (it *Interp) lookupCall(s *site) (knowledge.Call, bool) {
	if s.path == "" || it.eng.firstParty(s.path) && s.fn != nil {
		if _, ok := it.eng.decls[s.fn]; ok {
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
		return it.made(s) // start-up work is no health check
	}
	pos, end := sitePos(s)
	client, _ := it.eng.kb.LookupClient(c.Entry)
	e := &Effect{
		Kind: c.Kind, Entry: c.Entry, Name: client.Display, Callee: s.callee(), Op: c.Op, Pos: pos, End: end,
		Scope: model.External, Shared: c.Shared, Background: it.background && !it.request, Every: it.every,
		Control: it.pc(), Via: it.via(s), Recv: s.recv, After: it.flushed, Conn: c.Effect == knowledge.Connect,
	}
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
			it.callback1(t, a)
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

// locate finds what is asked, where that is written: a driver's name, an address.
func (it *Interp) locate(e *Effect, c knowledge.Call, s *site) {
	if c.Entry == "database/sql" || c.Kind == "database" {
		if d, ok := it.driverOf(s.recv, 0); ok {
			if drv, ok := it.eng.kb.LookupDriver(d); ok {
				e.Name = drv.Display
				if drv.File {
					e.Scope, e.Shared = model.FileSys, false
				}
			}
		}
	}
	if c.Effect == knowledge.File {
		e.Scope = model.FileSys
	}
	for _, a := range append(append([]Value(nil), s.args...), it.requestArgs(s)...) {
		for _, x := range a.Scalars {
			if t, ok := scalarPrefix(x); ok && isLoopbackTarget(t, c) {
				e.Scope, e.Shared = model.Loopback, false
				e.Target = t
			} else if ok && strings.Contains(t, "://") && e.Target == "" {
				e.Target = t
			}
		}
	}
	if strings.HasPrefix(c.Kind, "file") {
		e.Scope = model.FileSys
	}
}

func (it *Interp) requestArgs(s *site) []Value {
	var out []Value
	for _, a := range s.args {
		if lib := libOf(a); lib != nil && lib.Path == "net/http" && lib.Name == "Request" {
			out = append(out, lib.Args...)
		}
	}
	return out
}

// scalarPrefix is the constant text that a scalar starts with.
func scalarPrefix(s Scalar) (string, bool) {
	if s.C != nil {
		if s.C.Kind() != constant.String {
			return "", false
		}
		return constant.StringVal(s.C), true
	}
	if s.Sym != nil && s.Sym.Op == opConcat && len(s.Sym.Args) > 0 {
		return scalarPrefix(s.Sym.Args[0])
	}
	return "", false
}

func isLoopbackTarget(t string, c knowledge.Call) bool {
	if c.Kind != "http" && c.Kind != "tcp" && c.Kind != "grpc" && c.Kind != "dns" {
		return false
	}
	t = strings.TrimPrefix(strings.TrimPrefix(t, "http://"), "https://")
	for _, p := range []string{"localhost", "127.", "[::1]", "unix:", "unix"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}

// driverOf walks to the sql.Open that a handle comes from.
func (it *Interp) driverOf(v Value, depth int) (string, bool) {
	if depth > 4 {
		return "", false
	}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		if o.Lib != nil {
			switch {
			case o.Lib.Path == "database/sql" && o.Lib.Name == "Open", strings.HasSuffix(o.Lib.Path, "jmoiron/sqlx") && (o.Lib.Name == "Open" || o.Lib.Name == "Connect" || o.Lib.Name == "MustConnect" || o.Lib.Name == "ConnectContext" || o.Lib.Name == "NewDb"):
				for _, a := range o.Lib.Args {
					if d, ok := a.str(); ok {
						return d, true
					}
				}
			case strings.HasPrefix(o.Lib.Path, "gorm.io/driver/"), strings.HasPrefix(o.Lib.Path, "github.com/jackc/pgx"):
				return o.Lib.Path, true
			}
			for _, a := range o.Lib.Args {
				if d, ok := it.driverOf(a, depth+1); ok {
					return d, true
				}
			}
		}
	}
	return "", false
}

// bound finds what limits the wait of a call: deadlines of its context, of the client, or nothing.
func (it *Interp) bound(e *Effect, c knowledge.Call, client knowledge.Client, s *site) {
	ctxIdx := c.Ctx
	if ctxIdx < 0 && s.fn != nil {
		if sig, ok := s.fn.Type().(*types.Signature); ok && sig.Params().Len() > 0 && isContextType(sig.Params().At(0).Type()) {
			ctxIdx = 0
		}
	}
	var ctx *Ctx
	if ctxIdx >= 0 {
		ctx = it.ctxOf(s.arg(ctxIdx))
	}
	for _, a := range s.args { // http.Request carries its context
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o.Ctx != nil && o.Lib != nil && o.Lib.Name == "Request" {
				ctx = o.Ctx
			}
		}
	}
	for _, t := range s.recv.Terms { // db.WithContext(ctx)
		if o, ok := t.(*Object); ok && ctx == nil {
			ctx = it.boundCtx(o, 0)
		}
	}
	honors := client.Honors
	if honors == knowledge.CtxNo && client.CtxIf != "" && it.optionSet(s.recv, client.CtxIf, 0) {
		honors = knowledge.CtxYes
	}
	e.Bound = model.BoundNone
	if ctx != nil {
		if honors == knowledge.CtxNo {
			e.Ignored = ctx.Deadlines
		} else {
			e.Bounds = ctx.Deadlines
		}
		switch {
		case len(e.Bounds) > 0:
			e.Bound = model.BoundDeadline
		case ctx.Root == RootRequest && honors != knowledge.CtxNo:
			e.Bound = model.BoundRequest
		case ctx.Root == RootUnknown && honors != knowledge.CtxNo:
			e.Bound = model.BoundUnknown
		}
	}
	if c.Dur >= 0 && c.Dur < len(s.args) {
		e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], &Deadline{Dur: s.arg(c.Dur), Pos: e.Pos, End: e.End})
		e.Bound = model.BoundDeadline
		return
	}
	if d, known := it.clientTimeout(c, s); d != nil {
		e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], d)
		if e.Bound != model.BoundDeadline {
			e.Bound = model.BoundDeadline
		}
		return
	} else if !known && e.Bound == model.BoundNone {
		e.Bound = model.BoundUnknown
	}
	limit := c.Limit
	if limit == 0 {
		limit = client.NoDeadlineSeconds
	}
	if limit > 0 && e.Bound != model.BoundDeadline {
		if e.Bound == model.BoundNone || e.Bound == model.BoundRequest && honors == knowledge.CtxNo {
			e.Bound = model.BoundClient
		}
		e.ClientLimit = limit
	}
}

// boundCtx is the context that a handle was bound to (gorm's WithContext).
func (it *Interp) boundCtx(o *Object, depth int) *Ctx {
	if o.Lib == nil || depth > 4 {
		return nil
	}
	for _, a := range o.Lib.Args {
		for _, t := range a.Terms {
			x, ok := t.(*Object)
			if !ok {
				continue
			}
			if x.Ctx != nil && x.Kind == Context {
				if strings.HasSuffix(o.Lib.Name, "WithContext") {
					return x.Ctx
				}
				continue
			}
			if c := it.boundCtx(x, depth+1); c != nil {
				return c
			}
		}
	}
	return nil
}

// optionSet reports whether an option of the client's construction is true.
func (it *Interp) optionSet(v Value, option string, depth int) bool {
	_, field, _ := strings.Cut(option, ".")
	if depth > 4 {
		return false
	}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		if c, ok := o.Fields[field]; ok {
			if b, ok := it.get(c).isConst(); ok && b.Kind() == constant.Bool && constant.BoolVal(b) {
				return true
			}
		}
		if o.Lib != nil {
			for _, a := range o.Lib.Args {
				if it.optionSet(a, option, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// clientTimeout is the limit set where the client was made. known is false where the client comes from elsewhere.
func (it *Interp) clientTimeout(c knowledge.Call, s *site) (*Deadline, bool) {
	if s.path != "net/http" {
		return nil, true
	}
	if s.recvT == "" {
		return nil, true // http.Get: the default client, which has none
	}
	if s.recvT != "Client" {
		return nil, true
	}
	var out *Deadline
	known := len(s.recv.Terms) > 0 && !s.recv.Open
	for _, t := range s.recv.Terms {
		o, ok := t.(*Object)
		if !ok {
			known = false
			continue
		}
		if o.Lib != nil && o.Lib.Path != "net/http" || o.Lib != nil && o.Lib.Name != "Client" {
			known = false // made by a library
			continue
		}
		cell, ok := o.Fields["Timeout"]
		if !ok {
			continue
		}
		v := it.get(cell)
		if k, ok := v.isConst(); ok && constant.Sign(number0(k)) == 0 {
			continue
		}
		out = &Deadline{Dur: v, Pos: cell.Pos, End: cell.Pos, Client: true}
		if p := it.eng.storePos(v); p.IsValid() {
			out.Pos, out.End = p, p
		}
	}
	return out, known
}

func number0(c constant.Value) constant.Value {
	if n := number(c); n != nil {
		return n
	}
	return constant.MakeInt64(0)
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
