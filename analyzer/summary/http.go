package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// knownField folds x.f where x is the request or a framework's context.
func (it *Interp) knownField(e *ast.SelectorExpr) (Value, bool) {
	if it.req == nil {
		return Value{}, false
	}
	base := it.evalCached(e.X)
	if len(base.Terms) != 1 {
		return Value{}, false
	}
	o, ok := base.Terms[0].(*Object)
	if !ok {
		return Value{}, false
	}
	return it.knownFieldOf(o, e.Sel.Name, it.typeOf(e))
}

// knownVar are package variables with a meaning.
func (it *Interp) knownVar(path, name string) (Value, bool) {
	switch path + "." + name {
	case "net/http.DefaultServeMux":
		return termValue(it.eng.defaultMux(it), nil), true
	case "net/http.DefaultClient":
		o := it.eng.defaultClient(it)
		return termValue(o, o.Type), true
	}
	if !it.eng.firstParty(path) && (strings.HasPrefix(name, "Err") || strings.HasSuffix(name, "Error") || name == "EOF") {
		return Value{Nil: mayNonNil, Open: true}, true
	}
	return Value{}, false
}

func (it *Interp) modelHTTP(s *site) (Value, bool) {
	pos, end := sitePos(s)
	switch s.recvT + "." + s.name {
	case ".NewServeMux":
		return termValue(it.newRouter("net/http", s.result, pos), s.result), true
	case ".HandleFunc", ".Handle":
		it.addRoute(it.eng.defaultMux(it), "", s.arg(0), s.args[1:], s, "net/http")
		return Value{}, true
	case "ServeMux.HandleFunc", "ServeMux.Handle":
		for _, m := range it.routersIn(s.recv) {
			it.addRoute(m, "", s.arg(0), s.args[1:], s, "net/http")
		}
		return Value{}, true
	case ".HandlerFunc":
		return s.arg(0), true
	case ".StripPrefix":
		o := it.object(HandlerOf, s.result, pos)
		o.Wrap = &Wrap{Kind: "strip", Inner: s.arg(1), Prefix: s.arg(0), Pos: pos, End: end}
		return termValue(o, s.result), true
	case ".TimeoutHandler":
		o := it.object(HandlerOf, s.result, pos)
		o.Wrap = &Wrap{Kind: "timeout", Inner: s.arg(0), Dur: s.arg(1), Pos: pos, End: end, Answer: true, Work: true, Status: 503}
		return termValue(o, s.result), true
	case ".MaxBytesHandler", ".AllowQuerySemicolons":
		return s.arg(0), true
	case ".NotFoundHandler":
		return it.staticHandler(s, "notfound", 404), true
	case ".RedirectHandler":
		return it.staticHandler(s, "redirect", 0), true
	case ".FileServer", ".FileServerFS":
		return it.staticHandler(s, "files", 0), true
	case ".ListenAndServe":
		it.serve(it.newServer(s, s.arg(0), s.arg(1), false), s)
		return Value{Open: true, Nil: mayNonNil, Type: s.result}, true
	case ".ListenAndServeTLS":
		it.serve(it.newServer(s, s.arg(0), s.arg(3), true), s)
		return Value{Open: true, Nil: mayNonNil, Type: s.result}, true
	case ".Serve", ".ServeTLS":
		it.serve(it.newServer(s, it.listenerAddr(s.arg(0)), s.arg(1), s.name == "ServeTLS"), s)
		return Value{Open: true, Nil: mayNonNil, Type: s.result}, true
	case "Server.ListenAndServe", "Server.ListenAndServeTLS", "Server.Serve", "Server.ServeTLS":
		it.serveServer(s)
		return Value{Open: true, Nil: mayNonNil, Type: s.result}, true
	case "Server.Shutdown", "Server.Close":
		it.shutdown(s)
		return unknown(s.result, nil), true
	case "Server.RegisterOnShutdown", "Server.SetKeepAlivesEnabled":
		return unknown(s.result, nil), true
	case ".Error":
		if it.writesTo(s.arg(0)) {
			it.writeStatus(s.arg(2), s)
			it.writeBody(s.arg(1), s)
			return Value{}, true
		}
	case ".NotFound":
		if it.writesTo(s.arg(0)) {
			it.writeStatus(constValue(constant.MakeInt64(404), nil, pos), s)
			it.writeBody(Value{}, s)
			return Value{}, true
		}
	case ".Redirect":
		if it.writesTo(s.arg(0)) {
			it.redirect(s.arg(2), s.arg(3), s)
			return Value{}, true
		}
	case ".ServeFile", ".ServeContent", ".ServeFileFS":
		if it.writesTo(s.arg(0)) {
			it.writeBody(Value{}, s)
			return Value{}, true
		}
	case "ResponseWriter.WriteHeader":
		if it.writesTo(s.recv) {
			it.writeStatus(s.arg(0), s)
			return Value{}, true
		}
	case "ResponseWriter.Write":
		if it.writesTo(s.recv) {
			v := s.arg(0)
			v.Text = it.deepText(v, 0)
			it.writeBody(v, s)
			return unknown(s.result, nil), true
		}
	case "ResponseWriter.Header":
		return it.lib("net/http", "Header", nil, s.result, pos), true
	case "Flusher.Flush", "ResponseController.Flush":
		if it.resp != nil {
			it.flush(s)
			return unknown(s.result, nil), true
		}
	case ".NewResponseController":
		return it.lib("net/http", "ResponseController", s.args, s.result, pos), true
	case "Header.Get":
		if it.req != nil && isLib(s.recv, "net/http", "requestHeader") {
			if k, ok := s.arg(0).str(); ok {
				if v, known := it.header(k); known {
					return stringValue(v, s.result), true
				}
				return unknown(s.result, nil), true
			}
		}
		return unknown(s.result, s.recv.L), true
	case "Header.Set", "Header.Add", "Header.Del":
		return Value{}, true
	case ".StatusText":
		return unknown(s.result, s.arg(0).L.blur()), true
	case ".NewRequest", ".NewRequestWithContext":
		return it.newClientRequest(s), true
	}
	if s.recvT == "Request" {
		return it.modelRequest(s)
	}
	if s.recvT == "ServeMux" && s.name == "ServeHTTP" || s.recvT == "Handler" && s.name == "ServeHTTP" || s.recvT == "HandlerFunc" && s.name == "ServeHTTP" {
		return it.serveHTTP(s)
	}
	return Value{}, false
}

func (it *Interp) newClientRequest(s *site) Value {
	o := it.object(Library, nil, s.e.Pos())
	o.Lib = &Lib{Path: "net/http", Name: "Request", Args: s.args}
	if tup, ok := s.result.(*types.Tuple); ok && tup.Len() > 0 {
		o.Type = tup.At(0).Type()
	}
	if s.name == "NewRequestWithContext" {
		o.Ctx = it.ctxOf(s.arg(0))
		o.Lib.Args = s.args[min(2, len(s.args)):]
	} else {
		o.Ctx = &Ctx{Root: RootBackground}
		o.Lib.Args = s.args[min(1, len(s.args)):]
	}
	return Value{Tuple: []Value{termValue(o, o.Type), unknown(nil, nil)}}
}

// modelRequest are the methods of the request in hand, and of one that is sent.
func (it *Interp) modelRequest(s *site) (Value, bool) {
	var own *Object
	for _, o := range it.objectsIn(s.recv) {
		if it.req != nil && o == it.req.obj || o.Kind == Request || o.Ctx != nil {
			own = o
		}
	}
	switch s.name {
	case "Context":
		o := it.object(Context, s.result, s.e.Pos())
		o.Ctx = &Ctx{}
		if own != nil && own.Ctx != nil {
			o.Ctx = own.Ctx
		}
		return termValue(o, s.result), true
	case "WithContext", "Clone":
		if own == nil {
			return unknown(s.result, s.recv.L), true
		}
		n := *own
		it.eng.nextID++
		n.ID = it.eng.nextID
		n.Ctx = it.ctxOf(s.arg(0))
		if it.req != nil && own == it.req.obj {
			// the request goes on with the new context
			it.req.obj, it.req.ctx = &n, n.Ctx
		}
		return termValue(&n, s.result), true
	case "PathValue":
		return unknown(s.result, nil), true
	case "FormValue":
		if it.req != nil && own == it.req.obj {
			if k, ok := s.arg(0).str(); ok {
				return stringValue(it.req.query.Get(k), s.result), true
			}
		}
	case "UserAgent":
		return unknown(s.result, nil), true
	case "BasicAuth":
		if it.req != nil && own == it.req.obj {
			if v, _ := it.header("Authorization"); v == "" {
				return Value{Tuple: []Value{stringValue("", nil), stringValue("", nil), boolValue(false)}}, true
			}
		}
	case "Cookie":
		if it.req != nil && own == it.req.obj {
			if v, _ := it.header("Cookie"); v == "" {
				return Value{Tuple: []Value{nilValue(nil), {Open: true, Nil: mayNonNil}}}, true
			}
		}
	}
	return unknownOr(s), true
}

func unknownOr(s *site) Value {
	v := unknown(s.result, s.recv.L)
	return v
}

// redirect answers 3xx with a place to go.
func (it *Interp) redirect(to, status Value, s *site) {
	it.resp.Redirect = append(it.resp.Redirect, to)
	it.writeStatus(status, s)
}

// modelEncode are encoders that write to the response.
func (it *Interp) modelEncode(s *site) (Value, bool) {
	switch s.recvT + "." + s.name {
	case ".NewEncoder":
		return it.lib(s.path, "encoder", s.args, s.result, s.e.Pos()), true
	case "Encoder.Encode":
		if it.writesTo(s.recv) {
			it.writeBody(Value{Text: it.deepText(s.arg(0), 0)}, s)
			return unknown(s.result, nil), true
		}
		return unknown(s.result, nil), true
	case "Encoder.SetIndent", "Encoder.SetEscapeHTML":
		return Value{}, true
	case ".Marshal", ".MarshalIndent":
		v := unknown(nil, s.arg(0).L.blur())
		v.Text = it.deepText(s.arg(0), 0)
		return Value{Tuple: []Value{v, unknown(nil, nil)}}, true
	case ".WriteString":
		if it.writesTo(s.arg(0)) {
			it.writeBody(s.arg(1), s)
			return unknown(s.result, nil), true
		}
	case ".Copy", ".CopyN":
		if it.writesTo(s.arg(0)) {
			it.writeBody(Value{}, s)
		}
		return unknown(s.result, s.arg(1).L.blur()), true
	case ".ReadAll", ".Discard":
		return unknown(s.result, s.arg(0).L.blur()), true
	case "Writer.Write", "StringWriter.WriteString":
		if it.writesTo(s.recv) {
			it.writeBody(s.arg(0), s)
			return unknown(s.result, nil), true
		}
	}
	if (s.name == "Execute" || s.name == "ExecuteTemplate") && it.writesTo(s.arg(0)) {
		it.writeBody(Value{}, s)
		return unknown(s.result, nil), true
	}
	return Value{}, false
}

// Wrap is a handler made around another by a library.
type Wrap struct {
	Kind   string // strip, timeout, static, middleware
	Inner  Value
	Prefix Value
	Dur    Value
	Answer bool // answers itself when the time is over
	Work   bool // ends the context when the time is over
	Status int
	Pos    token.Pos
	End    token.Pos
}

func (it *Interp) staticHandler(s *site, kind string, status int) Value {
	pos, end := sitePos(s)
	o := it.object(HandlerOf, s.result, pos)
	o.Wrap = &Wrap{Kind: kind, Status: status, Pos: pos, End: end}
	if kind == "redirect" {
		o.Wrap.Prefix, o.Wrap.Dur = s.arg(0), s.arg(1)
	}
	return termValue(o, s.result)
}

// serveHTTP hands the request to a handler.
func (it *Interp) serveHTTP(s *site) (Value, bool) {
	if it.resp == nil {
		return Value{}, s.path == "net/http"
	}
	if len(s.recv.Terms) == 0 {
		return Value{}, false
	}
	handled := false
	for _, t := range s.recv.Terms {
		switch x := t.(type) {
		case *Closure, *Func:
			handled = true
		case *Object:
			handled = handled || x.Kind == Router || x.Kind == HandlerOf
		}
	}
	if !handled {
		return Value{}, false
	}
	it.adopt(s.arg(1))
	it.each(s.recv.Terms, func(t Term) Value { it.handle(t, s); return Value{} })
	return Value{}, true
}

// adopt makes a request that was derived in a middleware the one that goes on.
func (it *Interp) adopt(r Value) {
	for _, t := range r.Terms {
		if o, ok := t.(*Object); ok && o.Kind == Request && o.Ctx != nil {
			it.req.obj, it.req.ctx = o, o.Ctx
		}
	}
}

// handle runs a handler term on the request in hand.
func (it *Interp) handle(t Term, s *site) {
	switch x := t.(type) {
	case *Closure:
		it.invoke(x, it.handlerSite(x.Pkg.Info.TypeOf(x.Lit), s))
	case *Func:
		it.invoke(x, it.handlerSite(x.Fn.Type(), s))
	case *Object:
		switch x.Kind {
		case Router:
			it.dispatchRoute(x, s)
		case HandlerOf:
			it.handleWrap(x.Wrap, s)
		default:
			if x.Type == nil {
				it.maybeUnfollowed(s, "the handler is not known")
				return
			}
			it.callMethod(x, "ServeHTTP", s)
		}
	default:
		it.maybeUnfollowed(s, "the handler is not known")
	}
}

func (it *Interp) handlerSite(t types.Type, s *site) *site {
	n := &site{}
	if s != nil {
		n.e = s.e
	}
	if sig, ok := t.(*types.Signature); ok {
		for i := range sig.Params().Len() {
			n.args = append(n.args, it.requestParam(sig.Params().At(i).Type()))
		}
		if sig.Results().Len() == 1 {
			n.result = sig.Results().At(0).Type()
		}
	}
	return n
}

// callMethod calls a method of an object by name with the request's parameters.
func (it *Interp) callMethod(o *Object, name string, s *site) Value {
	t := o.Type
	if _, ok := types.Unalias(t).(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	obj, idx, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	if fn == nil {
		it.maybeUnfollowed(s, "the handler has no method "+name+" that can be read")
		return Value{}
	}
	n := it.handlerSite(fn.Type(), s)
	n.fn, n.method = fn, true
	n.recv = it.alongIndex(termValue(o, o.Type), t, idx)
	it.describe(n)
	if len(n.recv.Terms) == 1 && n.recv.Terms[0] != Term(o) && isInterfaceMethod(fn) {
		return it.dynamic(n)
	}
	if _, ok := it.eng.decls[n.fn]; !ok {
		it.markUnknownAnswer(n, "its code is in another module")
		return Value{}
	}
	return it.dispatch(n)
}

// markUnknownAnswer notes that a call may write any answer.
func (it *Interp) markUnknownAnswer(s *site, why string) {
	it.resp.Unknown = true
	if s.e != nil {
		it.unfollowed(s.short(), why, s.e)
	}
	cur := it.get(it.respCell)
	if mayBeZero(cur) {
		v := Value{Open: true, Type: types.Typ[types.Int]}
		it.commit(cur, v)
	}
}

func (it *Interp) handleWrap(w *Wrap, s *site) {
	switch w.Kind {
	case "strip":
		prefix, _ := w.Prefix.str()
		saved := it.req.path
		it.req.path = strings.TrimPrefix(it.req.path, prefix)
		it.handleAll(w.Inner, s)
		it.req.path = saved
	case "timeout":
		it.withTimeout(w, func() { it.handleAll(w.Inner, s) })
	case "notfound":
		it.writeStatus(constValue(constant.MakeInt64(404), nil, w.Pos), s)
	case "redirect":
		it.redirect(w.Prefix, w.Dur, s)
	case "files":
		it.writeStatus(constValue(constant.MakeInt64(404), nil, w.Pos), s)
	default:
		it.handleAll(w.Inner, s)
	}
}

func (it *Interp) handleAll(v Value, s *site) {
	if len(v.Terms) == 0 {
		it.maybeUnfollowed(s, "the handler is not known")
		it.resp.Unknown = true
		return
	}
	it.each(v.Terms, func(t Term) Value { it.handle(t, s); return Value{} })
}

// withTimeout runs the rest under a deadline that a middleware sets.
func (it *Interp) withTimeout(w *Wrap, run func()) {
	d := &Deadline{Dur: w.Dur, Pos: w.Pos, End: w.End, Answer: w.Answer}
	saved, obj := it.req.ctx, it.req.obj
	if w.Work {
		it.req.ctx = saved.with(d)
		n := *obj
		n.Ctx = it.req.ctx
		it.req.obj = &n
	}
	if w.Answer {
		n := it.collect(nodeRace, run)
		n.race = d
		n.walk(func(e *Effect) { e.AnswerBound = d })
		it.cur.add(n)
	} else {
		run()
	}
	it.req.ctx, it.req.obj = saved, obj
}
