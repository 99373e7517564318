package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

func (it *Interp) newServer(s *site, addr, handler Value, tls bool) *Server {
	pos, end := sitePos(s)
	if isNilOnly(handler) || isZero(handler) {
		handler = termValue(it.eng.defaultMux(it), nil)
	}
	return &Server{Addr: addr, Handler: handler, TLS: tls, Kind: "http", Pos: pos, End: end}
}

// serve notes a listener. From here on what is stored is state.
func (it *Interp) serve(sv *Server, _ *site) {
	if it.request {
		return
	}
	it.serving = true
	it.give()
	sv.Started = true
	for _, o := range it.routersIn(sv.Handler) {
		if o.Mux.Library == grpcServerLib { // of a framework, which starts it like any other
			sv.Kind, sv.Object = "grpc", o
		}
	}
	m := Moment{Kind: MomentServe, Pos: sv.Pos, End: sv.End, Server: sv}
	if sv.Object != nil {
		m.Objs = []*Object{sv.Object}
	}
	it.note(m)
	sv.Commands = it.commandNames
	for _, old := range it.eng.servers {
		if old.Pos == sv.Pos && sameValue(old.Handler, sv.Handler) && sameValue(old.Addr, sv.Addr) {
			if len(old.Commands) > 0 && len(sv.Commands) > 0 {
				old.Commands = append(old.Commands[:len(old.Commands):len(old.Commands)], sv.Commands...)
			} else {
				old.Commands = nil
			}
			return
		}
	}
	it.eng.servers = append(it.eng.servers, sv)
}

// serveServer starts an http.Server value.
func (it *Interp) serveServer(s *site) {
	tls := strings.HasSuffix(s.name, "TLS")
	objs := it.objectsIn(s.recv)
	for _, o := range objs {
		addr, handler := Value{Open: true}, Value{}
		if c, ok := o.Fields["Addr"]; ok {
			addr = it.get(c)
		} else if o.Kind == ServerObj {
			addr = stringValue(":http", nil)
		}
		if c, ok := o.Fields["Handler"]; ok {
			handler = it.get(c)
		}
		if s.name == "Serve" || s.name == "ServeTLS" {
			addr = it.listenerAddr(s.arg(0))
		}
		sv := it.newServer(s, addr, handler, tls)
		sv.Object = o
		it.serve(sv, s)
	}
	if len(objs) == 0 {
		it.serving = true
	}
}

func (it *Interp) listenerAddr(v Value) Value {
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil {
			continue
		}
		if o.Lib.Path == "net" && o.Lib.Name == "Listener" {
			return o.Lib.Args[0]
		}
		for _, a := range o.Lib.Args { // tls.NewListener(l), netutil.LimitListener(l, n)
			if x := it.listenerAddr(a); !x.Open || len(x.Scalars) > 0 {
				return x
			}
		}
	}
	return Value{Open: true}
}

// serveFramework is r.Run(addr), e.Start(addr), app.Listen(addr).
func (it *Interp) serveFramework(c knowledge.RouterCall, s *site) Value {
	addr := Value{}
	for i, a := range s.args {
		if t := a.Type; t != nil {
			if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 && i != c.Handler {
				addr = a
				break
			}
		}
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == "net" {
				addr = it.listenerAddr(a)
			}
			if o, ok := t.(*Object); ok && o.Fields["Addr"] != nil {
				addr = it.get(o.Fields["Addr"])
			}
		}
	}
	if isZero(addr) && strings.HasPrefix(s.path, "github.com/gin-gonic/gin") {
		def := Scalar{C: constant.MakeString("8080")}
		addr = Value{Type: types.Typ[types.String], Scalars: []Scalar{concat([]Scalar{{C: constant.MakeString(":")}, {Sym: &Sym{Op: opEnv, Name: "PORT", Def: &def}}}, s.e.Pos())}}
	}
	handler := s.recv
	if !s.method && c.Handler < 0 {
		handler = termValue(it.libraryRouter(c.Router, s), nil)
	}
	if ms := it.routersIn(handler); isZero(addr) && len(ms) > 0 {
		addr = ms[0].Mux.Addr
	}
	if s.method && c.Handler < 0 && len(it.routersIn(handler)) == 0 {
		if pos, end := sitePos(s); it.serveBehind(s, pos, end) {
			return Value{Open: true, Nil: mayNonNil, Type: s.result}
		}
	}
	if isZero(addr) && c.Default != "" {
		addr = stringValue(c.Default, nil)
	}
	if c.Handler >= 0 && c.Handler < len(s.args) {
		handler = s.arg(c.Handler)
	}
	if ms := it.routersIn(handler); len(ms) > 0 {
		handler = termValue(ms[0], handler.Type)
	} else if ms := it.eng.muxesOf(handler); len(ms) == 1 { // r.Handler as a function
		if f, ok := handler.Terms[0].(*Func); ok && f.Recv != nil {
			handler = termValue(ms[0], handler.Type)
		}
	}
	it.serve(it.newServer(s, addr, handler, strings.Contains(s.name, "TLS")), s)
	return Value{Open: true, Nil: mayNonNil, Type: s.result}
}

func (it *Interp) shutdown(s *site) {
	pos, end := sitePos(s)
	if it.request {
		return
	}
	it.stops(s)
	it.eng.shut = append(it.eng.shut, Shutdown{Pos: pos, End: end, Callee: s.short()})
}

// Servers are the listeners of the program. A server value that no start was seen for counts, since something starts it;
// routes on no server at all are put behind one of unknown address.
func (g *Engine) Servers() []*Server {
	out := append([]*Server(nil), g.servers...)
	used := map[*Object]bool{}
	for _, s := range out {
		used[s.Object] = true
	}
	it := g.newInterp()
	it.request = true
	for _, o := range g.literal {
		if used[o] {
			continue
		}
		sv := &Server{Addr: Value{Open: true}, Kind: "http", Pos: o.Pos, End: o.Pos, Object: o}
		if c, ok := o.Fields["Addr"]; ok {
			sv.Addr = it.settled(c)
		}
		if c, ok := o.Fields["Handler"]; ok {
			sv.Handler = it.settled(c)
		} else {
			sv.Handler = termValue(g.defaultMux(it), nil)
		}
		out = append(out, sv)
	}
	out = append(out, g.managerServers(it)...)
	// routes that no server reaches
	covered := map[*Mux]bool{}
	var cover func(m *Mux)
	cover = func(m *Mux) {
		if covered[m] {
			return
		}
		covered[m] = true
		for _, x := range m.Groups {
			cover(x)
		}
		for _, r := range m.Routes {
			for _, o := range g.muxesOfRoute(r) {
				cover(o.Mux)
			}
		}
	}
	for _, s := range out {
		for _, o := range g.muxesOf(s.Handler) {
			cover(o.Mux)
		}
	}
	left := map[*Mux]bool{}
	for _, r := range g.routes {
		m := r.Mux
		for m.Parent != nil {
			m = m.Parent
		}
		if covered[m] || covered[r.Mux] || left[m] {
			continue
		}
		left[m] = true
		o := &Object{Kind: Router, Mux: m, Pos: m.Pos}
		out = append(out, &Server{Addr: Value{Open: true}, Kind: "http", Pos: m.Pos, End: m.Pos, Handler: termValue(o, nil), Unserved: true})
	}
	return out
}

// muxesBehind runs a handler that is code only to see which routers it hands the request to.
func (g *Engine) muxesBehind(t Term) []*Object {
	if o, ok := t.(*Object); ok {
		if p, _ := typeName(o.Type); o.Kind != Plain || !g.firstParty(p) {
			return nil
		}
	}
	if g.behind == nil {
		g.behind = map[any][]*Object{}
	}
	key := any(t)
	if c, ok := t.(*Closure); ok {
		key = [2]any{c.Lit, c.Env}
	}
	if got, ok := g.behind[key]; ok {
		return got
	}
	g.behind[key] = nil
	if !g.handsOn(t) {
		return nil
	}
	if g.looked >= maxLooks {
		if g.looked == maxLooks {
			g.looked++
			g.gaps = append(g.gaps, "what further handlers hand the request to was not looked at")
		}
		return nil
	}
	it := g.newInterp()
	it.request = true
	it.steps = maxReqSteps - maxLookSteps
	it.newRequest(model.Request{Method: "GET", Path: "/"})
	var out []*Object
	it.collectMuxes = func(o *Object) { out = append(out, o) }
	it.frame = g.root(g.main, g.main.Path)
	it.openRequest = true
	it.runHandler(Value{Terms: []Term{t}, Nil: mayNonNil}, nil)
	if it.cut != "" { // it would have gone on: such code is expensive
		g.looked++
	}
	g.behind[key] = dedupObjects(out)
	return g.behind[key]
}

// Result is one request interpreted.
type Result struct {
	Root       *node
	Effects    []*Effect
	Response   *Response
	Status     Value // committed status; 0 stands for the implicit 200
	Unfollowed []Unfollowed
	Cut        string
	Steps      int // what it took
	Interp     *Interp
}

// MaxSteps bounds one request.
const MaxSteps = maxReqSteps

// Evaluate interprets a request to a route of a server, middleware included, within a number of steps.
func (g *Engine) Evaluate(f Flat, r model.Request, vals Values, steps int) *Result {
	return g.EvaluateFailing(f, r, vals, steps, token.NoPos)
}

// EvaluateFailing is Evaluate where each test of the outcome of the call at a place says that it failed.
func (g *Engine) EvaluateFailing(f Flat, r model.Request, vals Values, steps int, failing token.Pos) *Result {
	it := g.newInterp()
	it.request, it.failing = true, failing
	it.steps = maxReqSteps - steps
	it.vals = vals
	it.newRequest(r)
	it.req.route = f.Route
	it.frame = g.root(g.main, g.main.Path)
	if f.Mux != nil {
		it.framework = f.Mux.Library
		if info, ok := g.kb.LookupRouterInfo(f.Mux.Library); ok {
			it.errorsLeak = info.ReturnedError == "text"
		}
	}
	effects := len(g.effects)
	root := it.collect(nodeSeq, func() {
		if f.Direct {
			it.runHandler(f.Handler, nil)
		} else {
			it.runHandler(f.Server.Handler, nil)
		}
		it.flushPending()
		it.detachAll()
	})
	res := &Result{Root: root, Effects: ownEffects(g.effects[effects:]), Response: it.resp, Status: it.get(it.respCell), Unfollowed: it.unfollow, Cut: it.cut, Steps: it.steps - (maxReqSteps - steps), Interp: it}
	g.effects = g.effects[:effects]
	return res
}

// HandlerNode is the declaration or literal that answers, and its position.
func (g *Engine) HandlerNode(v Value) (symbol string, pos, end token.Pos) {
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Closure:
			return g.symbolOf(x.Lit), x.Lit.Pos(), x.Lit.End()
		case *Func:
			if d, ok := g.decls[x.Fn.Origin()]; ok {
				return g.symbolOf(d.decl), d.decl.Name.Pos(), d.decl.End()
			}
			return x.Fn.FullName(), token.NoPos, token.NoPos
		case *Object:
			if x.Kind == HandlerOf && len(x.Wrap.Inner.Terms) > 0 {
				return g.HandlerNode(x.Wrap.Inner)
			}
			if x.Type != nil {
				obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(x.Type)), true, nil, "ServeHTTP")
				if fn, ok := obj.(*types.Func); ok {
					if d, ok := g.decls[fn.Origin()]; ok {
						return g.symbolOf(d.decl), d.decl.Name.Pos(), d.decl.End()
					}
				}
			}
		}
	}
	return "", token.NoPos, token.NoPos
}

// ownEffects leaves out the calls of start-up goroutines that were interpreted on the way.
func ownEffects(es []*Effect) []*Effect {
	var out []*Effect
	for _, e := range es {
		if !e.Background {
			out = append(out, e)
		}
	}
	return out
}
