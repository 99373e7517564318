package summary

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// dispatchRoute hands the request to the route that the link stage chose, through the middleware of its router and groups.
func (it *Interp) dispatchRoute(o *Object, s *site) {
	m := o.Mux
	if it.collectMuxes != nil {
		it.collectMuxes(o)
		return
	}
	r := it.routeBelow(m, it.req.route)
	if r == nil {
		it.resp.Unknown = true
		return
	}
	it.runRoute(m, r, s)
}

// routeBelow is the route of this router through which the chosen route is reached: itself, or a mount.
func (it *Interp) routeBelow(m *Mux, want *Route) *Route {
	if want == nil {
		return nil
	}
	var find func(m *Mux, depth int) *Route
	find = func(m *Mux, depth int) *Route {
		if depth > 8 {
			return nil
		}
		for _, r := range m.Routes {
			if r == want {
				return r
			}
		}
		for _, g := range m.Groups {
			if r := find(g, depth+1); r != nil {
				return r
			}
		}
		for _, r := range m.Routes {
			if len(r.Handlers) == 0 {
				continue
			}
			for _, x := range it.eng.muxesOfRoute(r) {
				if find(x.Mux, depth+1) != nil {
					return r
				}
			}
		}
		return nil
	}
	return find(m, 0)
}

// runRoute runs the middleware of the router, of the groups down to the route, and of the route, then its handler.
func (it *Interp) runRoute(top *Mux, r *Route, s *site) {
	var chain []Value
	var walk func(m *Mux)
	walk = func(m *Mux) {
		if m.Parent != nil && m != top {
			walk(m.Parent)
		}
		chain = append(chain, m.Uses...)
	}
	walk(r.Mux)
	n := len(r.Handlers)
	if n == 0 {
		if r.Static > 0 {
			it.writeStatus(constValue(constant.MakeInt64(int64(r.Static)), nil, r.Pos), s)
		} else {
			it.resp.Unknown = true
		}
		return
	}
	chain = append(chain, r.Handlers[:n-1]...)
	final := r.Handlers[n-1]
	if it.eng.isCallChain(final, chain) {
		it.runChain(append(chain, final), s)
		return
	}
	h := final
	for i := len(chain) - 1; i >= 0; i-- {
		h = it.wrapWith(chain[i], h, s)
	}
	it.runHandler(h, s)
}

// isCallChain reports a framework whose middleware has the shape of a handler and calls the next itself (gin, fiber).
func (g *Engine) isCallChain(final Value, _ []Value) bool {
	for _, t := range final.Terms {
		var sig *types.Signature
		switch x := t.(type) {
		case *Closure:
			sig, _ = x.Pkg.Info.TypeOf(x.Lit).(*types.Signature)
		case *Func:
			sig, _ = x.Fn.Type().(*types.Signature)
		}
		if sig == nil || sig.Params().Len() == 0 {
			continue
		}
		p, n := typeName(sig.Params().At(sig.Params().Len() - 1).Type())
		if g.isWebContext(p, n) && !strings.HasPrefix(p, "github.com/labstack/echo") {
			return true
		}
	}
	return false
}

// wrapWith applies a middleware of the form func(next) handler. One that cannot be read is taken to call the next.
func (it *Interp) wrapWith(mw, next Value, s *site) Value {
	if len(mw.Terms) == 0 {
		it.unknownWrapper(mw, s)
		return next
	}
	it.standsBefore(mw)
	var out Value
	for i, t := range mw.Terms {
		n := &site{args: []Value{next}}
		if s != nil {
			n.e = s.e
		}
		v := next
		switch x := t.(type) {
		case *Closure:
			v = it.invoke(x, n)
		case *Func:
			if _, ok := it.eng.decls[x.Fn.Origin()]; ok {
				v = it.invoke(x, n)
			}
		case *Object:
			if x.Kind == MiddlewareOf {
				v = it.invokeObject(x, n)
			}
		}
		if len(v.Terms) == 0 {
			v = next
		}
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	return out
}

func (it *Interp) unknownWrapper(mw Value, s *site) {
	if lib := libOf(mw); lib != nil {
		return
	}
	if s != nil && s.e != nil && mw.Open {
		it.opaqueWrappers++
	}
}

// runHandler calls a handler value and turns a returned error into the framework's answer.
func (it *Interp) runHandler(h Value, s *site) {
	if len(h.Terms) == 0 {
		it.resp.Unknown, it.resp.HandedOn = true, true
		if s != nil && s.e != nil {
			it.unfollowed("the handler", "its value is not known", s.e)
		}
		return
	}
	it.each(h.Terms, func(t Term) Value {
		switch x := t.(type) {
		case *Closure, *Func:
			var sig types.Type
			if c, ok := x.(*Closure); ok {
				sig = c.Pkg.Info.TypeOf(c.Lit)
			} else {
				sig = x.(*Func).Fn.Type()
			}
			v := it.invoke(t, it.handlerSite(sig, s))
			if it.framework == grpcServerLib {
				it.grpcAnswer(v)
				return Value{}
			}
			it.returned(v, s)
		default:
			it.handle(t, s)
		}
		return Value{}
	})
}

// returned is the answer to an error that a handler returns: 500, or the status that the framework's error carries.
func (it *Interp) returned(v Value, s *site) {
	if v.Type == nil || !isErrorType(v.Type) && !isHTTPError(v) {
		return
	}
	if isNilOnly(v) || isHandled(v) {
		return
	}
	cur := it.get(it.respCell)
	status := Value{Type: types.Typ[types.Int]}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil || o.Lib.Name != "httpError" {
			status.Scalars = addScalar(status.Scalars, Scalar{C: constant.MakeInt64(500)})
			continue
		}
		var text Label // the frameworks' own error handlers show the message of such an error
		for _, a := range o.Lib.Args[1:] {
			text = text.union(it.deepText(a, 0))
		}
		if len(text) > 0 {
			it.resp.Writes = append(it.resp.Writes, Write{Kind: "body", Text: text, PC: it.pc(), Pos: o.Pos, End: o.end})
		}
		if c, ok := o.Lib.Args[0].isConst(); ok {
			status.Scalars = addScalar(status.Scalars, Scalar{C: c, Pos: o.Pos})
		} else {
			status.Open = true
		}
	}
	if len(v.Terms) == 0 || v.Open {
		status.Scalars = addScalar(status.Scalars, Scalar{C: constant.MakeInt64(500)})
	}
	if len(v.Text) > 0 && it.errorsLeak {
		it.resp.Writes = append(it.resp.Writes, Write{Kind: "body", Text: v.Text, PC: it.pc(), Pos: posOf(s), End: endOf(s)})
	}
	fail := exit{state: &state{at: len(it.journal), cells: map[*Cell]*Value{it.respCell: &status}}, pc: v.L}
	if v.Nil == mayNonNil {
		it.put(it.respCell, status.withLabel(v.L))
		return
	}
	if !mayBeZero(cur) && !strings.HasPrefix(it.framework, "fiber") {
		return // the answer is out already
	}
	ok := exit{state: &state{at: len(it.journal), cells: map[*Cell]*Value{it.respCell: &cur}}, pc: v.L.negate()}
	it.merge(len(it.journal), []exit{fail, ok}, it.eng.nextID, nil)
}

// isHTTPError reports a framework's own error, whose type is not `error`.
func isHTTPError(v Value) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Name == "httpError" {
			return true
		}
	}
	return false
}

// flushPending writes a status that was set and that no body followed, as gin does when the chain has ended.
func (it *Interp) flushPending() {
	if it.pendingCell == nil {
		return
	}
	cur, p := it.get(it.respCell), it.get(it.pendingCell)
	if !mayBeZero(cur) || len(p.Scalars) == 0 {
		return
	}
	it.commit(cur, p)
}

func isErrorType(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() == nil && n.Obj().Name() == "error"
}

// frameworkWrite are the answers of a framework's context.
func (it *Interp) frameworkWrite(c knowledge.RouterCall, s *site) Value {
	if strings.HasPrefix(s.name, "Abort") {
		it.set(it.abortCellOf(), boolValue(true))
	}
	if c.Role == knowledge.RouterFlush {
		it.flush(s)
		return unknown(s.result, nil)
	}
	isWeb := false
	for _, o := range it.objectsIn(s.recv) {
		isWeb = isWeb || o.Kind == WebContext
	}
	if s.method && !isWeb && !it.writesTo(s.recv) {
		if c.Leaks < 0 && c.Status < 0 && c.Body < 0 {
			return unknown(s.result, nil)
		}
	}
	if !s.method && !it.anyWriter(s) {
		// echo.NewHTTPError, fiber.NewError: an error that carries a status
		if c.Status >= 0 && isErrorLike(s.result) {
			args := []Value{s.arg(c.Status)}
			for i, a := range s.args {
				if c.Body >= 0 && (i == c.Body || c.BodyVariadic && i > c.Body) {
					args = append(args, a)
				}
			}
			v := it.lib(s.path, "httpError", args, s.result, s.e.Pos())
			for _, t := range v.Terms {
				if o, ok := t.(*Object); ok {
					o.end = endOf(s)
				}
			}
			return v
		}
	}
	pendingStatus := strings.HasPrefix(s.path, "github.com/gofiber") || s.path == "github.com/valyala/fasthttp"
	switch {
	case c.Status >= 0:
		if pendingStatus {
			it.put(it.respCell, statusOnly(s.arg(c.Status)))
			it.resp.Writes = append(it.resp.Writes, Write{Kind: "status", Status: s.arg(c.Status), PC: it.pc(), Pos: posOf(s), End: endOf(s), Open: true, Stack: it.way(posOf(s), endOf(s))})
		} else if s.name == "Status" && strings.HasPrefix(s.path, "github.com/gin-gonic") || s.path == "github.com/go-chi/render" && s.name == "Status" {
			it.pending = s.arg(c.Status)
			it.put(it.pendingCellOf(), s.arg(c.Status))
			return s.recv
		} else {
			it.writeStatus(s.arg(c.Status), s)
		}
	case c.Answers > 0:
		it.writeStatus(constValue(constant.MakeInt64(int64(c.Answers)), nil, posOf(s)), s)
	}
	if c.Body >= 0 {
		var text Label
		for i, a := range s.args {
			if i == c.Body || c.BodyVariadic && i > c.Body {
				text = text.union(it.deepText(a, 0))
			}
		}
		if c.Status < 0 && it.pendingCell != nil {
			if p := it.get(it.pendingCell); len(p.Scalars) > 0 && !onlyZero(p) && mayBeZero(it.get(it.respCell)) {
				it.writeStatus(p, s)
			}
		}
		it.writeBody(Value{Text: text}, s)
	}
	if c.Leaks >= 0 {
		if t := it.deepText(s.arg(c.Leaks), 0); len(t) > 0 {
			it.resp.Writes = append(it.resp.Writes, Write{Kind: "body", Text: t, PC: it.pc(), Pos: posOf(s), End: endOf(s)})
		}
	}
	if isErrorLike(s.result) {
		return Value{Nil: mayNil, Type: s.result}
	}
	if s.result != nil && s.method {
		if p, n := typeName(s.result); it.eng.isWebContext(p, n) {
			return s.recv
		}
	}
	return unknown(s.result, nil)
}

func statusOnly(v Value) Value {
	if len(v.Scalars) == 0 {
		v.Open = true
	}
	v.Type = types.Typ[types.Int]
	return v
}

func (it *Interp) pendingCellOf() *Cell {
	if it.pendingCell == nil {
		it.pendingCell = &Cell{Name: "pending status", Type: types.Typ[types.Int], Init: ptr(intValue(0))}
	}
	return it.pendingCell
}

func (it *Interp) abortCellOf() *Cell {
	if it.abortCell == nil {
		it.abortCell = &Cell{Name: "aborted", Type: types.Typ[types.Bool], Init: ptr(boolValue(false))}
	}
	return it.abortCell
}

func (it *Interp) anyWriter(s *site) bool {
	for _, a := range s.args {
		if it.writesTo(a) {
			return true
		}
	}
	return false
}

func isErrorLike(t types.Type) bool {
	if t == nil {
		return false
	}
	if isErrorType(t) {
		return true
	}
	_, n := typeName(t)
	return n == "HTTPError" || n == "Error"
}

// frameworkCtx is the request's context, or the request itself, from a framework's context.
func (it *Interp) frameworkCtx(s *site) Value {
	if it.req == nil {
		return unknown(s.result, nil)
	}
	p, n := typeName(s.result)
	switch {
	case p == "net/http" && n == "Request":
		return termValue(it.req.obj, s.result)
	case p == "net/http" && n == "ResponseWriter" || n == "Response":
		return termValue(it.req.w, s.result)
	case isContextType(s.result):
		o := it.object(Context, s.result, s.e.Pos())
		o.Ctx = it.req.ctx
		if strings.HasPrefix(s.path, "github.com/gofiber") || s.path == "github.com/valyala/fasthttp" {
			o.Ctx = it.fiberCtx()
		}
		return termValue(o, s.result)
	case it.eng.isWebContext(p, n): // fiber's Context() is the context of fasthttp
		return termValue(it.webContext(s.result), s.result)
	}
	return unknown(s.result, nil)
}
