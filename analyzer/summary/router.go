package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Mux is a router or one of its groups.
type Mux struct {
	Library string
	Syntax  knowledge.Syntax
	Routes  []*Route
	Parent  *Mux
	Prefix  Value   // of a group, below Parent
	Root    Value   // of a router that is mounted: its own path (go-restful's WebService)
	Addr    Value   // that the server of a framework was told
	Uses    []Value // middleware of this router or group
	Groups  []*Mux
	Pos     token.Pos
	self    *Object // the router
}

// Route is one registration.
type Route struct {
	Method   string
	Pattern  Value
	Handlers []Value // middleware of the route first, the handler last
	Mount    bool    // the handler is another router that answers below the pattern
	Mux      *Mux
	Uses     int // how many of the router's middlewares were there when it was registered, where that matters
	Pos, End token.Pos
	CallPos  token.Pos
	CatchAll bool
	Static   int // status of a route that a library answers itself
	Template string
	standard *servingSpan // of a gRPC health route that the library's own server answers
}

// Handler is a piece of middleware in front of an endpoint.
type Handler struct {
	Symbol   string
	Pos, End token.Pos
}

func (it *Interp) newRouter(lib string, t types.Type, pos token.Pos) *Object {
	o := it.object(Router, t, pos)
	o.Mux = &Mux{Library: lib, Pos: pos, Syntax: knowledge.SyntaxBrace, self: o}
	if r, ok := it.eng.kb.LookupRouterInfo(lib); ok {
		o.Mux.Syntax = r.Syntax
	}
	return o
}

// routersIn are the routers that a value may be; a router of unknown origin is made on the spot, so that its routes are
// kept.
func (it *Interp) routersIn(v Value) []*Object {
	var out []*Object
	for _, o := range it.objectsIn(v) {
		if o.Mux != nil {
			out = append(out, o)
		} else if r := it.innerRouter(o); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// innerRouter is the router in a struct that embeds one.
func (it *Interp) innerRouter(o *Object) *Object {
	if o.Kind != Plain {
		return nil
	}
	for _, name := range sortedFields(o.Fields) {
		c := o.Fields[name]
		if v, ok := c.Var.(*types.Var); !ok || !v.Embedded() {
			continue
		}
		for _, t := range it.get(c).Terms {
			if x, ok := t.(*Object); ok && x.Mux != nil {
				return x
			}
		}
	}
	return nil
}

func (it *Interp) addRoute(m *Object, method string, pattern Value, handlers []Value, s *site) *Route {
	pos, end := sitePos(s)
	r := &Route{Method: method, Pattern: pattern, Handlers: handlers, Mux: m.Mux, Pos: pos, End: end, CallPos: pos, Uses: len(m.Mux.Uses)}
	if s.e != nil && len(s.e.Args) > 0 {
		for _, a := range s.e.Args {
			if tv, ok := it.info().Types[a]; ok && tv.Value != nil && tv.Value.Kind() == constant.String {
				r.Pos, r.End = a.Pos(), a.End()
				break
			}
			if t := it.typeOf(a); t != nil {
				if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
					r.Pos, r.End = a.Pos(), a.End()
					break
				}
			}
		}
	}
	for _, old := range m.Mux.Routes { // a registration in code that is interpreted twice
		if old.CallPos == r.CallPos && old.Method == r.Method && sameValue(old.Pattern, r.Pattern) && len(old.Handlers) == len(r.Handlers) {
			same := true
			for i := range r.Handlers {
				same = same && sameValue(old.Handlers[i], r.Handlers[i])
			}
			if same {
				return old
			}
		}
	}
	m.Mux.Routes = append(m.Mux.Routes, r)
	it.eng.noteRoute(it, r)
	return r
}

// modelKnownRouter interprets the calls of routers and frameworks by the tables.
func (it *Interp) modelKnownRouter(s *site) (Value, bool) {
	c, ok := it.lookupRouter(s)
	if !ok || c.Role == knowledge.RouterOption {
		return it.chained(s)
	}
	pos, _ := sitePos(s)
	switch c.Role {
	case knowledge.RouterNew:
		o := it.newRouter(c.Router, s.result, pos)
		o.Mux.Addr = it.addressIn(it.spreadArgs(s, 0))
		if !it.request {
			it.healthEndpoints(o, it.spreadArgs(s, 0), s)
		}
		if tup, ok := s.result.(*types.Tuple); ok && tup.Len() > 0 {
			o.Type = tup.At(0).Type()
			v := Value{Tuple: []Value{termValue(o, o.Type)}}
			for i := 1; i < tup.Len(); i++ {
				v.Tuple = append(v.Tuple, unknown(tup.At(i).Type(), nil))
			}
			return v, true
		}
		return termValue(o, s.result), true
	case knowledge.RouterAddress:
		return it.setsAddress(c, s), true
	case knowledge.RouterRegister:
		if r := it.routeOf(s.recv); r != nil { // Path("/x").HandlerFunc(h)
			c.Role = knowledge.RouterHandler
			it.applyBuilder(c, s, r)
			return s.recv, true
		}
		if c.Struct >= 0 {
			return it.routeStructs(c, s), true
		}
		if c.Handler < 0 && c.Pattern < 0 { // ws.Route(builder): the builder has registered
			return s.recv, true
		}
		return it.register(c, s), true
	case knowledge.RouterGroup:
		if !s.method && c.Prefix == 0 {
			return Value{}, false // an option (rest.WithPrefix)
		}
		return it.group(c, s), true
	case knowledge.RouterMount:
		for _, m := range it.routersFor(c, s) {
			h := s.arg(c.Handler)
			prefix := s.arg(c.Prefix)
			if c.Prefix < 0 {
				prefix = stringValue("/", nil)
				for _, x := range it.routersIn(h) {
					if !isZero(x.Mux.Root) {
						prefix = x.Mux.Root
					}
				}
			}
			r := it.addRoute(m, "", prefix, []Value{h}, s)
			r.Mount = true
		}
		return s.recv, true
	case knowledge.RouterMiddleware:
		if !s.method && it.guards(s) { // it makes one (gin.BasicAuth)
			return Value{}, false
		}
		return it.use(c, s), true
	case knowledge.RouterServe:
		return it.serveFramework(c, s), true
	case knowledge.RouterShutdown:
		it.shutdown(s)
		return unknown(s.result, nil), true
	case knowledge.RouterHandler:
		if len(it.routersIn(s.recv)) > 0 && len(s.args) == 0 { // gin.Engine.Handler()
			v := s.recv
			v.Type = s.result
			return v, true
		}
		if s.e == nil { // the server asks a handler whose type is like a route's
			return Value{}, false
		}
		return it.builder(c, s)
	case knowledge.RouterPattern, knowledge.RouterPrefix, knowledge.RouterMethod, knowledge.RouterMatcher:
		return it.builder(c, s)
	case knowledge.RouterWrap:
		if c.Handler >= 0 {
			return s.arg(c.Handler), true
		}
	case knowledge.RouterTimeout:
		return it.timeoutMiddleware(c, s), true
	case knowledge.RouterCtx:
		return it.frameworkCtx(s), true
	case knowledge.RouterWrite, knowledge.RouterFlush:
		if it.resp != nil {
			return it.frameworkWrite(c, s), true
		}
	case knowledge.RouterDispatch:
		if it.resp != nil {
			return it.next(s), true
		}
	case knowledge.RouterHealthMiddleware:
		o := it.object(MiddlewareOf, s.result, pos)
		o.Wrap = &Wrap{Kind: "heartbeat", Prefix: s.arg(c.Pattern), Pos: pos, End: s.e.End()}
		return termValue(o, s.result), true
	}
	return Value{}, false
}

// lookupRouter asks the tables. A library that go.mod replaces by a folder of the repository is still the library.
func (it *Interp) lookupRouter(s *site) (knowledge.RouterCall, bool) {
	if c, ok := it.eng.kb.LookupRouter(s.path, s.recvT, s.name); ok {
		return c, true
	}
	if s.method {
		if p, n := typeName(s.recv.Type); n != "" && (p != s.path || n != s.recvT) {
			if c, ok := it.eng.kb.LookupRouter(p, n, s.name); ok {
				return c, true
			}
		}
	}
	return it.byLibrary(s)
}

func (it *Interp) register(c knowledge.RouterCall, s *site) Value {
	method := c.MethodName
	if c.Method >= 0 {
		method, _ = s.arg(c.Method).str()
	}
	var hs []Value
	switch {
	case c.Handler < 0:
	case c.HandlerVariadic:
		hs = it.spreadArgs(s, c.Handler)
	default:
		hs = []Value{s.arg(c.Handler)}
		if it.isEcho(c.Router) { // e.GET(path, handler, middleware...)
			mws := it.spreadArgs(s, c.Handler+1)
			hs = append(append([]Value(nil), mws...), hs...)
		}
	}
	pattern := s.arg(c.Pattern)
	if c.Pattern < 0 {
		pattern = stringValue("/{rest...}", nil)
	} else if p, m := it.patternOf(pattern); m != "" || len(p.Scalars) > 0 {
		pattern = p
		if m != "" {
			method = m
		}
	}
	if len(hs) == 1 {
		if h, ok := it.controller(hs[0], it.spreadArgs(s, c.Handler+1)); ok {
			hs = []Value{h}
		}
	}
	ms := it.routersFor(c, s)
	var out Value
	for _, m := range ms {
		r := it.addRoute(m, strings.ToUpper(method), pattern, hs, s)
		if c.Pattern < 0 {
			r.CatchAll = true
		}
		if c.Router == "gorilla/mux" {
			o := it.object(Library, s.result, s.e.Pos())
			o.Lib = &Lib{Path: "probelint/route", Name: "route"}
			o.Route = r
			return termValue(o, s.result)
		}
	}
	if len(ms) > 0 && isRouterType(it, s.result) {
		return s.recv
	}
	if isZero(out) {
		out = unknown(s.result, nil)
	}
	return out
}

func (it *Interp) isEcho(lib string) bool { return strings.HasPrefix(lib, "echo") }

func isRouterType(it *Interp, t types.Type) bool {
	p, n := typeName(t)
	_, ok := it.eng.kb.LookupRouter(p, n, "Group")
	if !ok {
		_, ok = it.eng.kb.LookupRouter(p, n, "GET")
	}
	return ok
}

// group makes a router below another, or hands it to a callback (chi Route and Group).
func (it *Interp) group(c knowledge.RouterCall, s *site) Value {
	prefix := stringValue("", nil)
	if c.Prefix >= 0 {
		prefix = s.arg(c.Prefix)
	}
	var out Value
	var ms []*Object
	if s.method {
		ms = it.routersIn(s.recv)
	} else {
		ms = it.routersFor(c, s)
	}
	for _, o := range it.objectsIn(s.recv) {
		if o.Route != nil { // PathPrefix("/x").Subrouter()
			ms, prefix = append(ms, &Object{Mux: o.Route.Mux}), o.Route.Pattern
		}
	}
	if len(ms) == 0 {
		if m := it.eng.orphanRouter(it, c.Router, s); m != nil {
			ms = []*Object{m}
		}
	}
	for _, m := range ms {
		g := it.newRouter(c.Router, s.result, s.e.Pos())
		g.Mux.Parent, g.Mux.Prefix, g.Mux.Syntax = m.Mux, prefix, m.Mux.Syntax
		m.Mux.Groups = append(m.Mux.Groups, g.Mux)
		v := termValue(g, s.result)
		if c.Handler >= 0 && c.Handler < len(s.args) {
			for _, t := range s.arg(c.Handler).Terms {
				var sig *types.Signature
				switch x := t.(type) {
				case *Closure:
					sig, _ = x.Pkg.Info.TypeOf(x.Lit).(*types.Signature)
				case *Func:
					sig, _ = x.Fn.Type().(*types.Signature)
				}
				if sig != nil && sig.Params().Len() == 1 && !it.eng.isHandlerShaped(sig) {
					v.Type = sig.Params().At(0).Type()
					it.invoke(t, &site{args: []Value{v}, e: s.e})
					it.exited = false
				} else {
					g.Mux.Uses = append(g.Mux.Uses, Value{Terms: []Term{t}})
				}
			}
		}
		if c.Handler < 0 { // Group(prefix, middleware...)
			for i, a := range it.spreadArgs(s, 0) {
				if i != c.Prefix && callable(a) {
					g.Mux.Uses = append(g.Mux.Uses, a)
				}
			}
		}
		if isZero(out) {
			out = v
		} else {
			out = join(out, v)
		}
	}
	if isZero(out) {
		return unknown(s.result, nil)
	}
	out.Type = s.result
	return out
}

// builder is a chain of gorilla/mux: Path, PathPrefix, Methods, HandlerFunc, Subrouter.
func (it *Interp) builder(c knowledge.RouterCall, s *site) (Value, bool) {
	r := it.routeOf(s.recv)
	if r == nil {
		ms := it.routersIn(s.recv)
		if len(ms) == 0 && s.method {
			ms = it.adopted(s.recv, c.Router)
		}
		if len(ms) == 0 {
			return Value{}, false
		}
		if n := namedOf(s.result); c.Role == knowledge.RouterPrefix && n != nil && n == namedOf(s.recv.Type) {
			ms[0].Mux.Root = s.arg(max(c.Prefix, 0)) // the router's own path, not a route
			return s.recv, true
		}
		pos, end := sitePos(s)
		r = &Route{Mux: ms[0].Mux, Pattern: stringValue("", nil), Pos: pos, End: end, CallPos: pos}
		o := it.object(Library, s.result, pos)
		o.Lib, o.Route = &Lib{Path: "probelint/route", Name: "route"}, r
		it.applyBuilder(c, s, r)
		return termValue(o, s.result), true
	}
	it.applyBuilder(c, s, r)
	return s.recv, true
}

// routeOf is the route that a builder chain has begun.
func (it *Interp) routeOf(v Value) *Route {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Route != nil {
			return o.Route
		}
	}
	return nil
}

func (it *Interp) applyBuilder(c knowledge.RouterCall, s *site, r *Route) {
	switch c.Role {
	case knowledge.RouterPattern:
		r.Pattern = s.arg(max(c.Pattern, 0))
		if c.MethodName != "" {
			r.Method = c.MethodName
		}
		r.Pos, r.End = argPos(s, max(c.Pattern, 0))
	case knowledge.RouterPrefix:
		r.Pattern = s.arg(max(c.Prefix, 0))
		r.Mount = true
		r.Pos, r.End = argPos(s, max(c.Prefix, 0))
	case knowledge.RouterMethod:
		if m, ok := s.arg(max(c.Method, 0)).str(); ok {
			r.Method = strings.ToUpper(m)
			for _, a := range it.spreadArgs(s, max(c.Method, 0)) {
				if m, ok := a.str(); ok && strings.EqualFold(m, "GET") {
					r.Method = "GET"
				}
			}
		}
	case knowledge.RouterHandler:
		r.Handlers = []Value{s.arg(max(c.Handler, 0))}
		known := false
		for _, x := range r.Mux.Routes {
			known = known || x == r
		}
		if !known {
			r.Uses = len(r.Mux.Uses)
			r.Mux.Routes = append(r.Mux.Routes, r)
			it.eng.noteRoute(it, r)
		}
	}
}
