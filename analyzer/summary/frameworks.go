package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// addressName names what an option of a framework makes that sets the address of its server.
const addressName = "(address)"

// routersFor are the routers that a call registers on: those of its receiver, of the arguments before the pattern
// (huma.Get(api, path, handler)), or the library's default one (goji.Get(path, handler)).
func (it *Interp) routersFor(c knowledge.RouterCall, s *site) []*Object {
	if s.method {
		ms := it.routersIn(s.recv)
		if len(ms) == 0 {
			ms = it.adopted(s.recv, c.Router)
		}
		if len(ms) == 0 {
			ms = it.routersBehind(s.recv, 0)
		}
		if len(ms) == 0 {
			if m := it.eng.orphanRouter(it, c.Router, s); m != nil {
				ms = []*Object{m}
			}
		}
		return ms
	}
	first := c.Pattern
	if first < 0 {
		first = c.Prefix
	}
	if first < 0 {
		first = c.Struct
	}
	for i := range max(first, 0) {
		if ms := it.routersBehind(s.arg(i), 0); len(ms) > 0 {
			return ms
		}
	}
	if it.request || c.Router == "net/http" {
		return nil
	}
	return []*Object{it.libraryRouter(c.Router, s)}
}

// routersBehind are the routers that a library's object was made with (humachi.New(router, config)).
func (it *Interp) routersBehind(v Value, depth int) []*Object {
	if ms := it.routersIn(v); len(ms) > 0 || depth > 3 {
		return ms
	}
	var out []*Object
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil {
			continue
		}
		for _, a := range o.Lib.Args {
			out = append(out, it.routersBehind(a, depth+1)...)
		}
	}
	return dedupObjects(out)
}

// adopted makes routers of values that the program itself allocates (new(restful.WebService)).
func (it *Interp) adopted(v Value, lib string) []*Object {
	if it.request {
		return nil
	}
	var out []*Object
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind != Plain || o.Type == nil {
			continue
		}
		if p, _ := typeName(o.Type); p == "" || it.eng.firstParty(p) {
			continue
		}
		o.Kind, o.Mux = Router, it.newRouter(lib, o.Type, o.Pos).Mux
		out = append(out, o)
	}
	return out
}

// libraryRouter is the router that the functions of a library's package register on.
func (it *Interp) libraryRouter(lib string, s *site) *Object {
	key := "package " + lib
	o := it.eng.orphans[key]
	if o == nil {
		o = it.newRouter(lib, nil, posOf(s))
		it.eng.orphans[key] = o
	}
	return o
}

// byLibrary finds a call on a router whose type says nothing (its module is not there) by the library that made it.
func (it *Interp) byLibrary(s *site) (knowledge.RouterCall, bool) {
	if !s.method || s.name == "" {
		return knowledge.RouterCall{}, false
	}
	for _, o := range it.routersBehind(s.recv, 0) {
		if c, ok := it.eng.kb.LookupRouterMethod(o.Mux.Library, s.name); ok {
			return c, true
		}
		if o.Lib == nil || o.Mux.Library != grpcServerLib {
			continue
		}
		if made, ok := it.eng.kb.LookupRouter(o.Lib.Path, "", o.Lib.Name); ok { // the gRPC server of a framework
			if c, ok := it.eng.kb.LookupRouterMethod(made.Router, s.name); ok {
				return c, true
			}
		}
	}
	return knowledge.RouterCall{}, false
}

// patternOf reads a pattern that is a value of its own (pat.Get("/x")): the text, and the method that it asks for.
func (it *Interp) patternOf(v Value) (Value, string) {
	lib := libOf(v)
	if lib == nil {
		return v, ""
	}
	c, ok := it.eng.kb.LookupRouter(lib.Path, "", lib.Name)
	if !ok || c.Role != knowledge.RouterPattern || c.Pattern < 0 || c.Pattern >= len(lib.Args) {
		return v, ""
	}
	return lib.Args[c.Pattern], c.MethodName
}

// routeStructs registers routes that are written as values: rest.Route{Method, Path, Handler}, and those whose handler is
// an argument beside them (huma.Register(api, huma.Operation{Method, Path}, handler)).
func (it *Interp) routeStructs(c knowledge.RouterCall, s *site) Value {
	prefix := Value{}
	for _, a := range it.spreadArgs(s, c.Struct+1) {
		if lib := libOf(a); lib != nil {
			if g, ok := it.eng.kb.LookupRouter(lib.Path, "", lib.Name); ok && g.Role == knowledge.RouterGroup && g.Prefix >= 0 && g.Prefix < len(lib.Args) {
				prefix = lib.Args[g.Prefix]
			}
		}
	}
	var structs []*Object
	for _, v := range append([]Value{s.arg(c.Struct)}, it.spreadArgsOf(s.arg(c.Struct))...) {
		for _, o := range it.objectsIn(v) {
			if o.Items == nil {
				structs = append(structs, o)
			}
		}
	}
	for _, m := range it.routersFor(c, s) {
		if len(prefix.Scalars) > 0 {
			g := it.newRouter(c.Router, nil, posOf(s))
			g.Mux.Parent, g.Mux.Prefix, g.Mux.Syntax = m.Mux, prefix, m.Mux.Syntax
			m.Mux.Groups = append(m.Mux.Groups, g.Mux)
			m = g
		}
		for _, o := range dedupObjects(structs) {
			of := func(name string) Value {
				if f, ok := o.Fields[name]; ok {
					return it.get(f)
				}
				return Value{}
			}
			method, _ := of("Method").str()
			h := of("Handler")
			if c.Handler >= 0 {
				h = s.arg(c.Handler)
			}
			r := it.addRoute(m, strings.ToUpper(method), of("Path"), []Value{h}, s)
			if f, ok := o.Fields["Path"]; ok {
				if p := it.eng.storePos(it.get(f)); p.IsValid() {
					r.Pos, r.End = p, p
				}
			}
		}
	}
	return unknown(s.result, nil)
}

// setsAddress keeps the address that an option or a method of a framework sets.
func (it *Interp) setsAddress(c knowledge.RouterCall, s *site) Value {
	addr := asAddress(s.arg(max(c.Pattern, 0)))
	if s.method {
		for _, m := range it.routersIn(s.recv) {
			m.Mux.Addr = addr
		}
		if s.result != nil && namedOf(s.result) == namedOf(s.recv.Type) {
			return s.recv
		}
		return unknown(s.result, nil)
	}
	o := it.object(Library, s.result, posOf(s))
	o.Lib = &Lib{Path: s.path, Name: addressName, Args: []Value{addr}}
	return termValue(o, s.result)
}

// asAddress makes an address of a port that is a number.
func asAddress(v Value) Value {
	if len(v.Scalars) == 0 || v.Type == nil {
		return v
	}
	if b, ok := v.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsNumeric == 0 {
		return v
	}
	return Value{Scalars: joinedText([]Value{stringValue(":", nil), v}), Type: types.Typ[types.String]}
}

// joinedText is the text of several values one after the other, each of which has one alternative or more.
func joinedText(parts []Value) []Scalar {
	out := []Scalar{{}}
	for i, p := range parts {
		var next []Scalar
		for _, a := range out {
			for _, b := range p.Scalars {
				x := typedScalar(b, "String")
				if b.C != nil {
					if c, ok := convertScalar(opText, b.C); ok {
						x = Scalar{C: c, Pos: b.Pos}
					}
				}
				if i == 0 {
					next = append(next, x)
				} else {
					next = append(next, concat([]Scalar{a, x}, b.Pos))
				}
			}
		}
		if len(next) > 8 {
			return nil
		}
		out = next
	}
	return out
}

// addressIn is the address among the arguments of a framework's constructor: an option, or the Host and Port of a
// configuration.
func (it *Interp) addressIn(args []Value) Value {
	for _, a := range args {
		for _, t := range a.Terms {
			o, ok := t.(*Object)
			if !ok {
				continue
			}
			if o.Lib != nil && o.Lib.Name == addressName {
				return o.Lib.Args[0]
			}
			for _, name := range []string{"Addr", "Address"} {
				if f, ok := o.Fields[name]; ok {
					return it.get(f)
				}
			}
			if f, ok := o.Fields["Port"]; ok {
				port := it.get(f)
				host := stringValue("", nil)
				if h, ok := o.Fields["Host"]; ok {
					host = it.get(h)
				}
				if len(port.Scalars) > 0 && len(host.Scalars) > 0 && !port.Open && !host.Open {
					return Value{Scalars: joinedText([]Value{host, stringValue(":", nil), port}), Type: types.Typ[types.String]}
				}
			}
		}
	}
	return Value{}
}

// controller is the method of a controller that answers a GET, as a handler (beego).
func (it *Interp) controller(v Value, mapping []Value) (Value, bool) {
	name := "Get"
	for _, m := range mapping { // "get:Health"
		if t, ok := m.str(); ok {
			for _, part := range strings.Split(t, ";") {
				verbs, method, ok := strings.Cut(part, ":")
				if ok && (verbs == "*" || strings.Contains(","+verbs+",", ",get,")) {
					name = method
				}
			}
		}
	}
	for _, o := range it.objectsIn(v) {
		if o.Type == nil || o.Mux != nil || it.eng.isHandlerType(o.Type) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(o.Type)), true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if _, own := it.eng.decls[fn.Origin()]; own {
			recv := termValue(o, types.NewPointer(derefType(o.Type)))
			return termValue(&Func{Fn: fn, Recv: &recv}, fn.Type()), true
		}
	}
	return Value{}, false
}

// serveBehind starts what a program object was made with (kratos.New(kratos.Server(http, grpc)).Run()).
func (it *Interp) serveBehind(s *site, pos, end token.Pos) bool {
	ms := it.routersBehind(s.recv, 0)
	for _, m := range ms {
		it.serve(&Server{Addr: orOpen(m.Mux.Addr), Handler: termValue(m, m.Type), Kind: "http", Pos: pos, End: end}, s)
	}
	return len(ms) > 0
}

func orOpen(v Value) Value {
	if isZero(v) {
		return Value{Open: true}
	}
	return v
}

// asWritten gives a parameter whose type is not there the name that is written: what the tables know of it still holds.
func (it *Interp) asWritten(v Value, e ast.Expr, t types.Type) Value {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return v
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok || it.pkgName(id) == nil {
		return v
	}
	lib := &Lib{Path: it.pkgName(id).Imported().Path(), Name: sel.Sel.Name}
	if !it.eng.isWebContext(lib.Path, lib.Name) && !it.eng.kb.HasRouterContext(lib.Path) {
		return v
	}
	o := it.object(Library, t, e.Pos())
	if it.resp != nil {
		o = it.webContext(t)
		if o.Lib != nil && o.Lib.Name != lib.Name { // a response beside a request
			o = it.object(WebContext, t, e.Pos())
		}
	}
	o.Lib = lib
	v.Terms, v.Open, v.Nil = []Term{o}, false, mayNonNil
	return v
}

// keepsMade reports a call whose result matters although its type is not there: it was made with a router, or it is a
// pattern or an address.
func (it *Interp) keepsMade(s *site) bool {
	if it.request {
		return false
	}
	if it.guards(s) {
		return true
	}
	for _, a := range s.args {
		if len(it.routersIn(a)) > 0 {
			return true
		}
	}
	c, ok := it.eng.kb.LookupRouter(s.path, s.recvT, s.name)
	return ok && (c.Role == knowledge.RouterPattern || c.Role == knowledge.RouterGroup)
}

// handled stands for what a middleware's call of the next handler returns: an error in it was answered already.
const handled = "(answered)"

func isHandled(v Value) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); !ok || o.Lib == nil || o.Lib.Name != handled {
			return false
		}
	}
	return len(v.Terms) > 0
}
