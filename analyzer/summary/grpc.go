package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

const (
	grpcPath       = "google.golang.org/grpc"
	grpcHealthPath = grpcPath + "/health"
	grpcServerLib  = "grpc-server"
	healthService  = "grpc.health.v1.Health"
	healthCheck    = "/" + healthService + "/Check"
)

// ServingSpan is where the standard health server of a route is made.
type servingSpan struct{ pos, end token.Pos }

// modelGRPC are gRPC servers: what is registered on them, and where they listen.
func (it *Interp) modelGRPC(s *site) (Value, bool) {
	switch {
	case s.path == grpcPath && s.name == "RegisterService" && s.method:
		it.registerService(s.recv, it.serviceName(s.arg(0)), s.arg(1), s)
		return Value{}, true
	case strings.HasPrefix(s.path, grpcHealthPath) && s.name == "RegisterHealthServer":
		it.registerService(s.arg(0), healthService, s.arg(1), s)
		return Value{}, true
	case s.path == grpcPath && s.recvT == "Server" && s.name == "Serve":
		for _, o := range it.routersIn(s.recv) {
			sv := it.newServer(s, it.listenerAddr(s.arg(0)), termValue(o, s.recv.Type), false)
			sv.Kind, sv.Object = "grpc", o
			it.serve(sv, s)
		}
		it.serving = it.serving || !it.request
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case s.method && s.name == "GetService" && len(s.args) == 0:
		if v, ok := it.requestedService(s.recv); ok {
			return v, true
		}
	case s.path == "connectrpc.com/grpchealth" && s.name == "NewHandler":
		return it.connectHealth(s), true
	case s.path == "connectrpc.com/grpchealth" && s.name == "NewStaticChecker":
		return it.lib(s.path, s.name, s.args, s.result, s.e.Pos()), true
	}
	return Value{}, false
}

// serviceName reads the name out of a grpc.ServiceDesc.
func (it *Interp) serviceName(desc Value) string {
	for _, o := range it.objectsIn(desc) {
		if c, ok := o.Fields["ServiceName"]; ok {
			if n, ok := it.get(c).str(); ok {
				return n
			}
		}
	}
	return ""
}

// registerService notes the health service of a gRPC server; the others answer no probe.
func (it *Interp) registerService(servers Value, name string, impl Value, s *site) {
	if it.request {
		return
	}
	ms := it.routersIn(servers)
	if name == "" || len(ms) == 0 {
		it.eng.gap(s, "a gRPC service that is registered on a server which is not known")
		return
	}
	if name != healthService {
		return
	}
	for _, m := range ms {
		r := it.addRoute(m, "POST", stringValue(healthCheck, nil), nil, s)
		it.healthRoute(r, impl)
	}
}

// healthRoute makes a route answer with an implementation of the health protocol: the standard one, or an own Check method.
func (it *Interp) healthRoute(r *Route, impl Value) {
	r.Handlers, r.Static = nil, 0
	for _, t := range impl.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		if o.Lib != nil && (o.Lib.Path == grpcHealthPath || o.Lib.Name == "NewStaticChecker") {
			r.Static, r.standard = 200, &servingSpan{o.Pos, o.Pos + token.Pos(len("health.NewServer"))}
			return
		}
		if h, ok := it.libraryHealth(o, r); ok {
			r.Handlers = []Value{h}
			return
		}
		if h, ok := it.checkMethod(impl, o); ok {
			r.Handlers = []Value{h}
			return
		}
	}
	if n := namedOf(impl.Type); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == grpcHealthPath {
		r.Static, r.standard = 200, &servingSpan{r.Pos, r.End}
		return
	}
	r.Handlers = []Value{{Open: true}}
}

// libraryHealth is an implementation that a health library brings: it answers by state that the library keeps.
func (it *Interp) libraryHealth(o *Object, r *Route) (Value, bool) {
	if o.Lib == nil {
		return Value{}, false
	}
	c, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name)
	if !ok || c.Role != knowledge.HealthHandler {
		return Value{}, false
	}
	lib := it.healthLibrary(c.Library)
	if lib.Cached != "state" {
		return Value{}, false
	}
	set := &checkSet{lib: lib}
	set.add(knowledge.HealthBoth, check{foreign: &foreignCheck{name: c.Name, local: true}, run: termValue(o, o.Type), pos: r.Pos, end: r.End})
	h := it.object(HandlerOf, nil, r.Pos)
	h.Wrap = &Wrap{Kind: "checks", Pos: r.Pos, End: r.End, checks: set, role: knowledge.HealthBoth}
	return termValue(h, nil), true
}

// grpcServerOf is the gRPC server of a framework that registers the standard health service itself, unless an option says no.
func (it *Interp) grpcServerOf(s *site) Value {
	o := it.newRouter(grpcServerLib, s.result, s.e.Pos())
	o.Lib = &Lib{Path: s.path, Name: s.name}
	o.Mux.Addr = it.addressIn(it.spreadArgs(s, 0))
	for _, a := range it.spreadArgs(s, 0) {
		for _, x := range it.objectsIn(a) {
			if x.Lib == nil {
				continue
			}
			if h, ok := it.eng.kb.LookupHealth(x.Lib.Path, "", x.Lib.Name); ok && h.Sets == "no health service" {
				return termValue(o, s.result)
			}
		}
	}
	pos, end := sitePos(s)
	r := it.addRoute(o, "POST", stringValue(healthCheck, nil), nil, s)
	r.Static, r.standard = 200, &servingSpan{pos, end}
	return termValue(o, s.result)
}

// checkMethod is the Check method of an object as a function.
func (it *Interp) checkMethod(impl Value, o *Object) (Value, bool) {
	if o.Type == nil {
		return Value{}, false
	}
	t := o.Type
	if _, ptr := types.Unalias(t).(*types.Pointer); !ptr && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Check")
	fn, ok := obj.(*types.Func)
	if !ok {
		return Value{}, false
	}
	if _, own := it.eng.decls[fn.Origin()]; !own {
		return Value{}, false
	}
	recv := termValue(o, impl.Type)
	return termValue(&Func{Fn: fn, Recv: &recv}, fn.Type()), true
}

// connectHealth is grpchealth.NewHandler(checker): a path and the handler below it.
func (it *Interp) connectHealth(s *site) Value {
	pos, end := sitePos(s)
	o := it.object(HandlerOf, nil, pos)
	if tup, ok := s.result.(*types.Tuple); ok && tup.Len() == 2 {
		o.Type = tup.At(1).Type()
	}
	o.Wrap = &Wrap{Kind: "grpchealth", Pos: pos, End: end}
	r := &Route{Pos: pos, End: end}
	it.healthRoute(r, s.arg(0))
	if len(r.Handlers) > 0 {
		o.Wrap.Inner = r.Handlers[0]
	}
	o.Wrap.standard = r.standard
	return Value{Tuple: []Value{stringValue("/"+healthService+"/", nil), termValue(o, o.Type)}}
}

// isHealthRequest knows the request message of the health protocol, whoever generated it.
func isHealthRequest(path, name string) bool {
	return name == "HealthCheckRequest" || name == "CheckRequest" && path == "connectrpc.com/grpchealth"
}

// healthRequest is the message that a probe sends: the name of the service.
func (it *Interp) healthRequest(t types.Type) Value {
	o := it.object(Library, t, token.NoPos)
	o.Lib = &Lib{Path: "probelint/grpc", Name: "request"}
	c := it.field(o, "Service", nil, types.Typ[types.String])
	c.Init = ptr(stringValue(it.req.Service, nil))
	return termValue(o, t)
}

func (it *Interp) requestedService(v Value) (Value, bool) {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == "probelint/grpc" {
			return it.get(o.Fields["Service"]), true
		}
	}
	return Value{}, false
}

// grpcAnswer turns what a Check method returns into a status: 200 for SERVING, 503 for anything else and for an error.
func (it *Interp) grpcAnswer(v Value) {
	if len(v.Tuple) != 2 {
		it.resp.Unknown = true
		return
	}
	resp, err := v.Tuple[0], v.Tuple[1]
	status := Value{Type: types.Typ[types.Int]}
	add := func(n int, l Label, pos token.Pos) {
		status.Scalars = addScalar(status.Scalars, Scalar{C: constant.MakeInt64(int64(n)), L: l, Pos: pos})
	}
	for _, t := range resp.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		c, ok := o.Fields["Status"]
		if !ok {
			add(503, resp.L.blur(), o.Pos) // UNKNOWN is the zero value
			continue
		}
		s := it.get(c)
		status.Open = status.Open || s.Open
		for _, x := range s.Scalars {
			l := resp.L.blur().union(s.L.blur()).union(x.L)
			if n, ok := constant.Int64Val(constant.ToInt(orUnknown(x.C))); ok && n == 1 {
				add(200, nil, x.Pos)
			} else {
				add(503, l, x.Pos)
			}
		}
		if len(s.Scalars) == 0 {
			status.Open = true
		}
	}
	if !isNilOnly(err) && (err.Nil&mayNonNil != 0 || err.Open || len(err.Terms) > 0) {
		l := err.L
		if len(resp.Terms) > 0 && len(l) == 0 {
			l = resp.L.blur()
		}
		add(503, l, token.NoPos)
	}
	if len(status.Scalars) == 0 {
		status.Open = true
	}
	status.L = resp.L.blur().union(err.L.blur())
	it.put(it.respCell, status)
}

// grpcHandler answers a call of the health protocol over HTTP (connect).
func (it *Interp) grpcHandler(w *Wrap, s *site) {
	if w.standard != nil {
		it.writeStatus(constValue(constant.MakeInt64(200), nil, w.Pos), s)
		return
	}
	saved := it.framework
	it.framework = grpcServerLib
	it.runHandler(w.Inner, s)
	it.framework = saved
}

func orUnknown(c constant.Value) constant.Value {
	if c == nil {
		return constant.MakeUnknown()
	}
	return c
}

// Serving is what a program says through the standard health server.
type Serving struct {
	Set      []string // service names with a status, sorted; "" is always set
	Complete bool     // false where one name is not known
	Turns    bool     // a status other than SERVING is ever set
}

// Serving scans the whole program, since statuses are set in goroutines and callbacks.
func (g *Engine) Serving() Serving {
	out := Serving{Complete: true}
	set := map[string]bool{"": true}
	it := g.newInterp()
	it.request = true
	for _, p := range g.reachable() {
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				fn, ok := p.Info.Uses[calleeIdent(call)].(*types.Func)
				if !ok || !isServingCall(fn) {
					return true
				}
				if fn.Name() != "SetServingStatus" && fn.Name() != "SetStatus" {
					out.Turns = true // Shutdown, Resume
					return true
				}
				if len(call.Args) != 2 {
					return true
				}
				it.frame = g.root(p, p.Path)
				if name, ok := it.eval(call.Args[0]).str(); ok {
					set[name] = true
				} else {
					out.Complete = false
				}
				if tv := p.Info.Types[call.Args[1]]; tv.Value == nil || tv.Value.ExactString() != "1" {
					out.Turns = true
				}
				return true
			})
		}
	}
	for name := range set {
		out.Set = append(out.Set, name)
	}
	sort.Strings(out.Set)
	return out
}

// isServingCall knows the calls that change what the standard health servers say.
func isServingCall(fn *types.Func) bool {
	path, _, name, ok := knowledge.NameOf(fn)
	if !ok {
		return false
	}
	switch name {
	case "SetServingStatus":
		return true // an own interface around the server counts
	case "SetStatus":
		return path == "connectrpc.com/grpchealth"
	case "Shutdown", "Resume":
		return path == grpcHealthPath
	}
	return false
}

// Health says how a route answers the gRPC health protocol. standard is true for the library's own server, at pos to end.
func (f Flat) Health() (standard bool, pos, end token.Pos, ok bool) {
	if !strings.Contains(f.Pattern, healthService) {
		return false, 0, 0, false
	}
	if s := f.Route.standard; s != nil {
		return true, s.pos, s.end, true
	}
	for _, t := range f.Handler.Terms {
		if o, ok := t.(*Object); ok && o.Kind == HandlerOf && o.Wrap.standard != nil {
			return true, o.Wrap.standard.pos, o.Wrap.standard.end, true
		}
	}
	return false, f.Route.Pos, f.Route.End, true
}

// gap notes what keeps routes of the program unknown.
func (g *Engine) gap(_ *site, why string) {
	for _, x := range g.gaps {
		if x == why {
			return
		}
	}
	g.gaps = append(g.gaps, why)
}
