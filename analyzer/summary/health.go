package summary

import (
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// modelHealth interprets the calls of health libraries by the tables.
func (it *Interp) modelHealth(s *site) (Value, bool) {
	if v, ok := it.modelManager(s); ok {
		return v, true
	}
	c, ok := it.lookupHealth(s)
	if !ok {
		return Value{}, false
	}
	if c.Role == knowledge.HealthCheckBuilder && (c.Effect != knowledge.NoEffect || c.Check >= 0) || c.Role == knowledge.HealthHandler && c.Effect.Waits() {
		return it.builtCheck(s), true
	}
	switch c.Library {
	case "grpc-health-server", "chi-heartbeat":
		return Value{}, false
	case managerLib:
		if c.Role != knowledge.HealthAll {
			return Value{}, false
		}
	case "apiserver-healthz":
		if v, ok := it.modelAPIServer(c, s); ok {
			return v, true
		}
	}
	if c.Library == managerLib && c.Role == knowledge.HealthAll { // of another module, given the manager
		if !it.request {
			it.managerPings(s.arg(max(c.Handler, 0)), s)
		}
		return unknown(s.result, nil), true
	}
	lib := it.healthLibrary(c.Library)
	switch {
	case c.Role == knowledge.HealthServe && !s.method:
		if !it.request {
			it.serveHealth(c, s)
		}
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case lib.Listens != "" && c.Handler >= 0:
		it.givesHandler(c, s)
		v := s.arg(0)
		v.Type = s.result
		return v, true
	case c.Role == knowledge.HealthNew && lib.GRPC != "" && c.Check < 0:
		return it.grpcServerOf(s), true
	}
	if isInvalid(s.result) && !s.method && isHealthOption(c) {
		return it.lib(s.path, s.name, s.args, s.result, s.e.Pos()), true // of a module that is not there: what it was given counts
	}
	set := it.checkSetOf(s.recv)
	if set == nil && c.Handler >= 0 {
		set = it.checkSetOf(s.arg(c.Handler))
	}
	if set == nil && lib.Registry != "" && !s.method {
		set = it.registry(lib)
	}
	switch c.Role {
	case knowledge.HealthNew:
		return it.newHealth(c, s), true
	case knowledge.HealthLiveness, knowledge.HealthReadiness, knowledge.HealthBoth, knowledge.HealthAll, knowledge.HealthCheck, knowledge.HealthCache:
		if set == nil && c.Role == knowledge.HealthBoth && !s.method && s.result != nil {
			return it.newHealth(c, s), true // a handler that is made with its checks
		}
		if set == nil || c.Role == knowledge.HealthCache && c.Check < 0 {
			return Value{}, false // an option: what it holds is read where the object is made
		}
		role := c.Role
		if role == knowledge.HealthAll || role == knowledge.HealthCheck || role == knowledge.HealthCache {
			role = knowledge.HealthBoth
		}
		opt := it.answeringOf(s.args)
		for _, k := range it.checksIn(s.args, s, 0) {
			if c.Role == knowledge.HealthCache {
				k.stored = true
				if c.Dur >= 0 {
					k.period = s.arg(c.Dur)
				}
			}
			if isZero(k.period) {
				k.period = opt.period
			}
			if isZero(k.limit) {
				k.limit = opt.limit
			}
			set.add(role, k)
		}
		if it.checkSetOf(s.recv) != nil && !isErrorLike(s.result) && s.result != nil {
			return s.recv, true
		}
		return Value{Open: true, Nil: mayNil | mayNonNil, Type: s.result}, true
	case knowledge.HealthHandler, knowledge.HealthHandlerLiveness, knowledge.HealthHandlerReadiness, knowledge.HealthHandlerStatic200:
		if lib.GRPC != "" && !s.method { // an implementation of the health protocol
			return it.lib(s.path, s.name, s.args, s.result, s.e.Pos()), true
		}
		if set == nil {
			set = &checkSet{lib: lib}
			for _, k := range it.checksIn(s.args, s, 0) {
				set.add(knowledge.HealthBoth, k)
			}
		}
		w := it.checksWrap(set, endpointRole(c.Role), s)
		w.opt = it.answeringOf(s.args)
		w.opt.setBy(c, s.arg)
		if c.Role == knowledge.HealthHandlerStatic200 {
			w.Status = 200
		}
		if it.resp != nil && (it.anyWriter(s) || it.anyWebContext(s)) { // the method is the handler
			it.runChecks(w)
			return unknown(s.result, nil), true
		}
		o := it.object(HandlerOf, s.result, w.Pos)
		o.Wrap = w
		return termValue(o, s.result), true
	case knowledge.HealthMiddleware:
		o := it.object(MiddlewareOf, s.result, s.e.Pos())
		o.Wrap = &Wrap{Kind: "healthpaths", Pos: s.e.Pos(), End: s.e.End(), checks: &checkSet{lib: it.healthLibrary(c.Library)}, Inner: s.arg(0)}
		return termValue(o, s.result), true
	case knowledge.HealthRegister:
		if ms := it.routersIn(s.arg(max(c.Handler, 0))); len(ms) > 0 {
			it.registerHealth(c, ms, s)
			return Value{Nil: mayNil, Type: s.result}, true
		}
	case knowledge.HealthWrap:
		if c.Handler >= 0 {
			return s.arg(c.Handler), true
		}
	}
	return Value{}, false
}

// isHealthOption reports a call whose result only says how checks run.
func isHealthOption(c knowledge.HealthCall) bool {
	switch c.Role {
	case knowledge.HealthTimeout, knowledge.HealthObserver, knowledge.HealthOption:
		return true
	case knowledge.HealthCache:
		return c.Check < 0 || c.Recv == ""
	}
	return false
}

func endpointRole(r knowledge.HealthRole) knowledge.HealthRole {
	switch r {
	case knowledge.HealthHandlerLiveness:
		return knowledge.HealthLiveness
	case knowledge.HealthHandlerReadiness:
		return knowledge.HealthReadiness
	}
	return knowledge.HealthBoth
}

func (it *Interp) lookupHealth(s *site) (knowledge.HealthCall, bool) {
	if c, ok := it.eng.kb.LookupHealth(s.path, s.recvT, s.name); ok {
		return c, true
	}
	if s.method {
		if p, n := typeName(s.recv.Type); n != "" && (p != s.path || n != s.recvT) {
			return it.eng.kb.LookupHealth(p, n, s.name)
		}
		if s.fn == nil {
			for _, t := range it.embeddedForeign(s.recv.Type) {
				if c, ok := it.eng.kb.LookupHealth(t.Path, t.Name, s.name); ok {
					return c, true
				}
			}
		}
		if set := it.checkSetOf(s.recv); set != nil && s.fn == nil {
			return it.eng.kb.LookupHealthMethod(set.lib.ID, s.name)
		}
	}
	return knowledge.HealthCall{}, false
}

func (it *Interp) healthLibrary(id string) knowledge.HealthLibrary {
	l, _ := it.eng.kb.LookupHealthLibrary(id)
	return l
}

// newHealth is the library's health object with the checks that its options hold.
func (it *Interp) newHealth(c knowledge.HealthCall, s *site) Value {
	lib := it.healthLibrary(c.Library)
	t := s.result
	tup, isTuple := s.result.(*types.Tuple)
	if isTuple && tup.Len() > 0 {
		t = tup.At(0).Type()
	}
	var o *Object
	if lib.ID == "heptiolabs-healthcheck" {
		o = it.newRouter("net/http", t, s.e.Pos()) // it answers /live and /ready itself
	} else {
		o = it.object(Library, t, s.e.Pos())
	}
	o.Lib = &Lib{Path: s.path, Name: s.name, Args: s.args}
	if t == nil || isInvalid(t) { // the library is not there: its table says of what type the object is
		o.Lib.Name = resultName(c.Sig)
	}
	o.checks = &checkSet{lib: lib, opt: it.answeringOf(s.args)}
	if c.Dur >= 0 && lib.Cached == "background" {
		o.checks.opt.period = s.arg(c.Dur)
	}
	role := knowledge.HealthBoth
	if c.Check >= 0 && lib.Health == "" && lib.Liveness != "" {
		role = knowledge.HealthReadiness // what the constructor is given does not decide whether the process lives
	}
	for _, k := range it.checksIn(s.args, s, 0) {
		o.checks.add(role, k)
	}
	if o.Mux != nil {
		it.bothRoutes([]*Object{o}, o.checks, s)
	}
	v := termValue(o, t)
	if isTuple {
		out := Value{Tuple: []Value{v}}
		for i := 1; i < tup.Len(); i++ {
			out.Tuple = append(out.Tuple, Value{Open: true, Nil: mayNil | mayNonNil, Type: tup.At(i).Type()})
		}
		return out
	}
	return v
}

// healthHandler is a library's health object that answers requests itself.
func (it *Interp) healthHandler(o *Object, s *site) (*Wrap, bool) {
	if o.checks == nil || o.Lib == nil {
		return nil, false
	}
	p, n := typeName(o.Type)
	if n == "" || isInvalid(o.Type) {
		p, n = o.Lib.Path, o.Lib.Name
	}
	c, ok := it.eng.kb.LookupHealth(p, n, "ServeHTTP")
	if !ok {
		return nil, false
	}
	if s == nil {
		return &Wrap{Kind: "checks", Pos: o.Pos, End: o.end, checks: o.checks, role: endpointRole(c.Role)}, true
	}
	return it.checksWrap(o.checks, endpointRole(c.Role), s), true
}

// resultName is the name of a function's first result in a signature: Handler for "(x X) (*Handler, error)".
func resultName(sig string) string {
	_, r, _ := strings.Cut(sig, ") ")
	r = strings.TrimLeft(r, "(*")
	if i := strings.IndexAny(r, ",) "); i >= 0 {
		r = r[:i]
	}
	return r
}

// bothRoutes registers a library's own paths for liveness and readiness.
func (it *Interp) bothRoutes(ms []*Object, set *checkSet, s *site) {
	for _, m := range ms {
		if p := set.lib.Liveness; p != "" {
			it.checksRoute(m, p, set, knowledge.HealthLiveness, s)
		}
		if p := set.lib.Readiness; p != "" {
			it.checksRoute(m, p, set, knowledge.HealthReadiness, s)
		}
	}
}

func (it *Interp) checksWrap(set *checkSet, role knowledge.HealthRole, s *site) *Wrap {
	pos, end := sitePos(s)
	return &Wrap{Kind: "checks", Pos: pos, End: end, checks: set, role: role}
}

// checksRoute registers a path that a set of checks answers.
func (it *Interp) checksRoute(m *Object, path string, set *checkSet, role knowledge.HealthRole, s *site) *Route {
	o := it.object(HandlerOf, nil, s.e.Pos())
	o.Wrap = it.checksWrap(set, role, s)
	for _, r := range m.Mux.Routes {
		if p, ok := r.Pattern.str(); ok && p == path {
			return r
		}
	}
	return it.addRoute(m, "", stringValue(path, nil), []Value{termValue(o, nil)}, s)
}

// registerHealth is a library's own registration on a router.
func (it *Interp) registerHealth(c knowledge.HealthCall, ms []*Object, s *site) {
	set := it.checkSetOf(s.recv)
	if set == nil {
		set = &checkSet{lib: it.healthLibrary(c.Library)}
	}
	for _, k := range it.checksIn(s.args, s, 0) {
		set.add(knowledge.HealthBoth, k)
	}
	own := *set
	set = &own
	set.opt.setBy(c, s.arg)
	if set.lib.Health == "" {
		it.bothRoutes(ms, set, s)
		return
	}
	path := stringValue(set.lib.Health, nil)
	for _, a := range s.args {
		for _, o := range it.objectsIn(a) {
			for _, f := range []string{"HealthPath", "Path", "Endpoint"} {
				if x, ok := o.Fields[f]; ok {
					path = it.get(x)
				}
			}
		}
	}
	if p, ok := path.str(); ok && p != "" {
		for _, m := range ms {
			it.checksRoute(m, p, set, knowledge.HealthBoth, s)
		}
	}
}

// healthMiddleware gives a router the paths that a health middleware answers: chi's Heartbeat, fiber v2's healthcheck.
func (it *Interp) healthMiddleware(m *Object, v Value, s *site) bool {
	done := false
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind != MiddlewareOf {
			continue
		}
		switch o.Wrap.Kind {
		case "heartbeat":
			r := it.addRoute(m, "", o.Wrap.Prefix, nil, s)
			r.Static, r.Pos, r.End = 200, o.Wrap.Pos, o.Wrap.End
			done = true
		case "healthpaths":
			it.healthPaths(m, o.Wrap, s)
			done = true
		}
	}
	return done
}

// healthPaths reads LivenessProbe, LivenessEndpoint, ReadinessProbe and ReadinessEndpoint of fiber v2's configuration.
func (it *Interp) healthPaths(m *Object, w *Wrap, s *site) {
	lib := w.checks.lib
	for _, e := range []struct {
		word, def string
		role      knowledge.HealthRole
	}{{"Liveness", lib.Liveness, knowledge.HealthLiveness}, {"Readiness", lib.Readiness, knowledge.HealthReadiness}} {
		path := e.def
		set := &checkSet{lib: lib}
		var cfgs []*Object
		for _, o := range it.objectsIn(w.Inner) {
			cfgs = append(cfgs, o)
			if o.Items != nil {
				for _, c := range o.Items.List {
					cfgs = append(cfgs, it.objectsIn(it.get(c))...)
				}
			}
		}
		for _, o := range cfgs {
			if c, ok := o.Fields[e.word+"Endpoint"]; ok {
				if p, ok := it.get(c).str(); ok {
					path = p
				}
			}
			if c, ok := o.Fields[e.word+"Probe"]; ok {
				for _, k := range it.checksIn([]Value{it.get(c)}, s, 0) {
					set.add(e.role, k)
				}
			}
		}
		if path != "" && strings.HasPrefix(path, "/") {
			it.checksRoute(m, path, set, e.role, s)
		}
	}
}
