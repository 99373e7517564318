package summary

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// knownField folds x.f where x is the request or a framework's context.
func (it *Interp) knownField(e *ast.SelectorExpr, base Value) (Value, bool) {
	if it.req == nil {
		return Value{}, false
	}
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
		it.addRoute(it.eng.defaultMux(it), "", s.arg(0), s.args[min(1, len(s.args)):], s)
		return Value{}, true
	case "ServeMux.HandleFunc", "ServeMux.Handle":
		for _, m := range it.routersIn(s.recv) {
			it.addRoute(m, "", s.arg(0), s.args[min(1, len(s.args)):], s)
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
			return it.writeOutcome(s), true
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
	case "Header.Set", "Header.Add", "Header.Del", ".SetCookie": // headers decide no status
		return Value{}, true
	case ".MaxBytesReader":
		return it.made(&site{e: s.e, path: s.path, name: s.name, result: s.result}), true
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
	it.writeStatus(status, s)
	if n := len(it.resp.Writes); n > 0 {
		it.resp.Writes[n-1].To = &to
	}
}

// modelEncode are encoders that write to the response.
func (it *Interp) modelEncode(s *site) (Value, bool) {
	switch s.recvT + "." + s.name {
	case ".NewEncoder":
		return it.lib(s.path, "encoder", s.args, s.result, s.e.Pos()), true
	case "Encoder.Encode":
		if it.writesTo(s.recv) {
			it.writeBody(Value{Text: it.deepText(s.arg(0), 0)}, s)
			return it.writeOutcome(s), true
		}
		return unknown(s.result, nil), true
	case "Encoder.SetIndent", "Encoder.SetEscapeHTML":
		return Value{}, true
	case ".Marshal", ".MarshalIndent":
		v := unknown(nil, s.arg(0).L.blur())
		v.Text = it.deepText(s.arg(0), 0)
		return Value{Tuple: []Value{v, it.encodeOutcome()}}, true
	case ".WriteString":
		if it.writesTo(s.arg(0)) {
			it.writeBody(s.arg(1), s)
			return it.writeOutcome(s), true
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
			return it.writeOutcome(s), true
		}
	}
	if (s.name == "Execute" || s.name == "ExecuteTemplate") && it.writesTo(s.arg(0)) {
		it.writeBody(Value{}, s)
		return it.writeOutcome(s), true
	}
	return Value{}, false
}
