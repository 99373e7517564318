package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

const (
	controllerRuntime = "sigs.k8s.io/controller-runtime"
	managerLib        = "controller-runtime"
)

// modelManager is the manager of controller-runtime, which opens its listeners itself: health checks, webhooks, metrics.
func (it *Interp) modelManager(s *site) (Value, bool) {
	if s.path == "k8s.io/apiserver/pkg/server" && s.name == "Serve" && s.recvT == "SecureServingInfo" {
		it.serve(it.newServer(s, secureAddr("", s.e.Pos()), s.arg(0), true), s)
		return it.shaped(s.result, nil, nil), true
	}
	if !strings.HasPrefix(s.path, controllerRuntime) {
		return Value{}, false
	}
	switch {
	case s.name == "NewManager" && s.path == controllerRuntime || s.name == "New" && s.path == controllerRuntime+"/pkg/manager" && s.recvT == "":
		return it.newManager(s), true
	case s.name == "NewServer" && s.path == controllerRuntime+"/pkg/webhook":
		return termValue(it.webhookServer(s.arg(0), s), s.result), true
	case !s.method:
		return Value{}, false
	}
	switch s.name {
	case "AddHealthzCheck", "AddReadyzCheck":
		if !it.request {
			it.addManagerCheck(s)
		}
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case "GetWebhookServer":
		if m := it.managerOf(s.recv); m != nil {
			return termValue(it.managersWebhook(m, s), s.result), true
		}
	case "WebhookMux":
		for _, o := range it.routersIn(s.recv) {
			return termValue(o, s.result), true
		}
	case "Register":
		if s.path == controllerRuntime+"/pkg/webhook" {
			for _, o := range it.routersIn(s.recv) {
				it.addRoute(o, "", s.arg(0), []Value{s.arg(1)}, s)
			}
			return Value{}, true
		}
	case "Start":
		if m := it.managerOf(s.recv); m != nil {
			it.serving = it.serving || !it.request
			it.handOver(s)
			return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
		}
	}
	return Value{}, false
}

func (it *Interp) newManager(s *site) Value {
	t := s.result
	if tup, ok := s.result.(*types.Tuple); ok && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	pos, end := sitePos(s)
	for _, m := range it.eng.managers {
		if m.Pos == pos {
			return Value{Tuple: []Value{termValue(m, t), {Open: true, Nil: mayNil | mayNonNil}}}
		}
	}
	m := it.managerObject(t, s.arg(1), pos)
	m.Lib.Args = []Value{{}, s.arg(1)}
	m.checks.commands = it.commandNames
	m.end = end
	return Value{Tuple: []Value{termValue(m, t), {Open: true, Nil: mayNil | mayNonNil}}}
}

func (it *Interp) managerObject(t types.Type, opts Value, pos token.Pos) *Object {
	m := it.object(Library, t, pos)
	m.Lib = &Lib{Path: controllerRuntime, Name: "Manager"}
	m.checks = &checkSet{lib: it.healthLibrary(managerLib), server: &Mux{Library: managerLib, Syntax: knowledge.SyntaxLiteral, Pos: pos}, opts: opts}
	it.eng.managers = append(it.eng.managers, m)
	return m
}

// managerOf is the manager that a value is; one of unknown origin is the program's only one, or made on the spot.
func (it *Interp) managerOf(v Value) *Object {
	for _, o := range it.objectsIn(v) {
		if o.Lib != nil && o.Lib.Path == controllerRuntime && o.checks != nil {
			return o
		}
		if o.Kind == Plain { // a struct that embeds it
			for _, name := range sortedFields(o.Fields) {
				if x, ok := o.Fields[name].Var.(*types.Var); ok && x.Embedded() {
					if m := it.managerOf(it.get(o.Fields[name])); m != nil {
						return m
					}
				}
			}
		}
	}
	if it.request {
		return nil
	}
	if len(it.eng.managers) > 0 {
		return it.eng.managers[len(it.eng.managers)-1]
	}
	return it.managerObject(nil, Value{Open: true}, token.NoPos)
}

// addManagerCheck is AddHealthzCheck(name, check): all under one path, each also below it.
func (it *Interp) addManagerCheck(s *site) {
	m := it.managerOf(s.recv)
	set := m.checks
	role, path, field := knowledge.HealthLiveness, set.lib.Liveness, "LivenessEndpointName"
	if s.name == "AddReadyzCheck" {
		role, path, field = knowledge.HealthReadiness, set.lib.Readiness, "ReadinessEndpointName"
	}
	if v, ok := it.option(set.opts, field); ok {
		if p, ok := v.str(); ok && p != "" {
			path = p
		}
	}
	k := check{run: s.arg(1), under: it.pc()}
	k.name, _ = s.arg(0).str()
	k.pos, k.end = sitePos(s)
	k.static = len(k.run.Terms) == 0 && isPing(s)
	for _, t := range k.run.Terms {
		if o, ok := t.(*Object); ok {
			if f, ok := it.foreignCheckOf(o); ok {
				k.foreign = f
			}
		}
	}
	set.add(role, k)
	host := &Object{Kind: Router, Mux: set.server}
	it.checksRoute(host, path, set, role, s)
	if k.name != "" {
		one := &checkSet{lib: set.lib, detailed: true}
		one.add(role, k)
		it.checksRoute(host, strings.TrimSuffix(path, "/")+"/"+k.name, one, role, s)
	}
}

// managerPings is code of another module that adds the check which never fails to both endpoints of a manager.
func (it *Interp) managerPings(v Value, s *site) {
	set := it.managerOf(v).checks
	host := &Object{Kind: Router, Mux: set.server}
	for _, e := range []struct {
		role        knowledge.HealthRole
		path, field string
	}{{knowledge.HealthLiveness, set.lib.Liveness, "LivenessEndpointName"}, {knowledge.HealthReadiness, set.lib.Readiness, "ReadinessEndpointName"}} {
		if v, ok := it.option(set.opts, e.field); ok {
			if p, ok := v.str(); ok && p != "" {
				e.path = p
			}
		}
		k := check{static: true}
		k.pos, k.end = sitePos(s)
		set.add(e.role, k)
		it.checksRoute(host, e.path, set, e.role, s)
	}
}

// isPing reports the library's own check that never fails.
func isPing(s *site) bool {
	if s.e == nil || len(s.e.Args) < 2 {
		return false
	}
	t := exprText(s.e.Args[1])
	return t == "healthz.Ping" || strings.HasSuffix(t, ".Ping")
}

// option is a field of an options struct.
func (it *Interp) option(opts Value, field string) (Value, bool) {
	for _, o := range it.objectsIn(opts) {
		if c, ok := o.Fields[field]; ok {
			return it.get(c), true
		}
	}
	return Value{}, false
}

// webhookServer is webhook.NewServer(webhook.Options{...}).
func (it *Interp) webhookServer(opts Value, s *site) *Object {
	o := it.newRouter("net/http", s.result, s.e.Pos())
	o.Lib = &Lib{Path: controllerRuntime + "/pkg/webhook", Name: "Server", Args: []Value{opts}}
	return o
}

func (it *Interp) managersWebhook(m *Object, s *site) *Object {
	if m.checks.webhook != nil {
		return m.checks.webhook
	}
	var w *Object
	if v, ok := it.option(m.checks.opts, "WebhookServer"); ok {
		for _, o := range it.routersIn(v) {
			w = o
		}
	}
	if w == nil {
		w = it.webhookServer(Value{}, s)
	}
	m.checks.webhook = w
	return w
}

// webhookPort is the port of a webhook server, 9443 where nothing is said.
func webhookPort(it *Interp, w *Object) Value {
	if w != nil && w.Lib != nil && len(w.Lib.Args) > 0 {
		if v, ok := it.option(w.Lib.Args[0], "Port"); ok && !onlyZero(v) {
			return v
		}
	}
	pos := token.NoPos
	if w != nil {
		pos = w.Pos
	}
	return constValue(constant.MakeInt64(9443), types.Typ[types.Int], pos)
}

// managerServers are the listeners that a manager opens.
func (g *Engine) managerServers(it *Interp) []*Server {
	var out []*Server
	for _, m := range g.managers {
		set := m.checks
		pos, end := m.Pos, m.end
		if addr, ok := it.option(set.opts, "HealthProbeBindAddress"); ok || len(set.server.Routes) > 0 {
			if !pos.IsValid() {
				if len(set.server.Routes) == 0 {
					continue
				}
				pos, end = set.server.Routes[0].Pos, set.server.Routes[0].End
			}
			if !ok {
				addr = Value{Open: true}
			}
			out = append(out, &Server{Addr: addr, Kind: "http", Pos: pos, End: end, Started: true, Commands: set.commands, Handler: termValue(&Object{Kind: Router, Mux: set.server, Pos: pos}, nil)})
		}
		w := set.webhook
		if v, ok := it.option(set.opts, "WebhookServer"); ok && w == nil {
			for _, o := range it.routersIn(v) {
				w = o
			}
		}
		if w != nil {
			port := webhookPort(it, w)
			addr := Value{Open: true}
			if all := concatAll([][]Scalar{{{C: constant.MakeString(":")}}, port.Scalars}, w.Pos); len(all) > 0 && !port.Open {
				addr = Value{Scalars: all, Type: types.Typ[types.String]}
			}
			out = append(out, &Server{Addr: addr, TLS: true, Kind: "http", Pos: w.Pos, End: w.Pos, Started: true, Commands: set.commands, Handler: termValue(w, nil)})
		}
	}
	return out
}

// modelAPIServer are k8s.io/apiserver's healthz package and GenericAPIServer.
func (it *Interp) modelAPIServer(c knowledge.HealthCall, s *site) (Value, bool) {
	lib := it.healthLibrary(c.Library)
	switch {
	case c.Role == knowledge.HealthServe: // a program object that holds the API server
		if !it.request {
			it.genericServer(lib, s)
			it.serving = true
		}
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case c.Role == knowledge.HealthChecker:
		return Value{}, false // NamedCheck: the object remembers its function
	case s.recvT == "GenericAPIServer":
		if it.request {
			return unknown(s.result, nil), true
		}
		o := it.genericServer(lib, s)
		for _, k := range it.checksIn(s.args, s, 0) {
			if c.Role == knowledge.HealthAll || c.Role == knowledge.HealthLiveness && false {
				o.checks.add(knowledge.HealthBoth, k)
			} else {
				o.checks.add(c.Role, k)
			}
		}
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case strings.HasPrefix(s.name, "Install"):
		path := map[knowledge.HealthRole]string{knowledge.HealthBoth: lib.Health, knowledge.HealthLiveness: lib.Liveness, knowledge.HealthReadiness: lib.Readiness}[c.Role]
		if c.Pattern >= 0 {
			path, _ = s.arg(c.Pattern).str()
		}
		set := &checkSet{lib: lib}
		for _, k := range it.checksIn(s.args[min(max(c.Check, 1), len(s.args)):], s, 0) {
			set.add(knowledge.HealthBoth, k)
		}
		ms := it.routersIn(s.arg(0))
		if len(ms) == 0 {
			ms = it.recorderMux(s.arg(0))
		}
		if len(ms) == 0 || path == "" {
			it.eng.gap(s, "a health endpoint that is installed on a router which is not known")
			return Value{}, true
		}
		for _, m := range ms {
			it.checksRoute(m, path, set, knowledge.HealthBoth, s)
			it.detailRoutes(m, path, set, s)
		}
		return Value{}, true
	}
	return Value{}, false
}

// detailRoutes are the paths below an endpoint that answer one check each, with its error.
func (it *Interp) detailRoutes(m *Object, path string, set *checkSet, s *site) {
	for _, k := range set.both {
		if k.name == "" {
			continue
		}
		one := &checkSet{lib: set.lib, detailed: true}
		one.add(knowledge.HealthBoth, k)
		it.checksRoute(m, strings.TrimSuffix(path, "/")+"/"+k.name, one, knowledge.HealthBoth, s)
	}
}

// recorderMux makes the router of a library (PathRecorderMux) one whose routes are kept.
func (it *Interp) recorderMux(v Value) []*Object {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Kind == Library && o.Mux == nil {
			o.Kind, o.Mux = Router, &Mux{Library: "net/http", Syntax: knowledge.SyntaxServeMux, Pos: o.Pos}
			return []*Object{o}
		}
	}
	return nil
}

// secureAddr is the address that k8s.io/apiserver's options listen on.
func secureAddr(def string, pos token.Pos) Value {
	y := &Sym{Op: opFlag, Name: "secure-port", Pos: pos}
	if def != "" {
		y.Def = &Scalar{C: constant.MakeString(def)}
	}
	return Value{Type: types.Typ[types.String], Scalars: []Scalar{concat([]Scalar{{C: constant.MakeString(":")}, {Sym: y, Pos: pos}}, pos)}}
}

// genericServer is the API server of the program: /healthz, /livez and /readyz on its secure port.
func (it *Interp) genericServer(lib knowledge.HealthLibrary, s *site) *Object {
	g := it.eng
	if g.apiServer != nil {
		return g.apiServer
	}
	o := it.newRouter("net/http", nil, s.e.Pos())
	o.checks = &checkSet{lib: lib}
	pos, end := sitePos(s)
	// a check of its own fails once it stops (k8s.io/apiserver pkg/server/config.go, newShutdownHealthz)
	o.checks.add(knowledge.HealthReadiness, check{name: "shutdown", foreign: &foreignCheck{name: "shutdown", local: true}, pos: pos, end: end})
	g.apiServer = o
	for _, e := range []struct {
		path string
		role knowledge.HealthRole
	}{{lib.Health, knowledge.HealthBoth}, {lib.Liveness, knowledge.HealthLiveness}, {lib.Readiness, knowledge.HealthReadiness}} {
		it.checksRoute(o, e.path, o.checks, e.role, s)
	}
	addr := secureAddr("443", s.e.Pos())
	sv := it.newServer(s, addr, termValue(o, nil), true)
	it.serve(sv, s)
	it.serving = false // it is only set up here
	return o
}
