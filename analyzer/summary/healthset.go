package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"time"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// answering is what options change in how a health library's checks answer.
type answering struct {
	limit             Value // of all checks together, or of each
	period            Value // how long a result is kept, or how often a background check runs
	failing, success  Value // statuses
	cacheOff, textOff bool
	textOn            bool
}

// over is a with what b sets instead.
func (a answering) over(b answering) answering {
	for _, x := range []struct{ to, from *Value }{{&a.limit, &b.limit}, {&a.period, &b.period}, {&a.failing, &b.failing}, {&a.success, &b.success}} {
		if !isZero(*x.from) {
			*x.to = *x.from
		}
	}
	a.cacheOff, a.textOff, a.textOn = a.cacheOff || b.cacheOff, a.textOff || b.textOff, a.textOn || b.textOn
	return a
}

// answeringOf reads the options among the arguments of a call: health.WithTimeout, gosundheit.ExecutionPeriod.
func (it *Interp) answeringOf(args []Value) answering {
	var out answering
	for _, a := range args {
		for _, o := range it.objectsIn(a) {
			if o.Lib == nil {
				continue
			}
			h, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name)
			if !ok || h.Check >= 0 {
				continue
			}
			at := func(i int) Value {
				if i >= 0 && i < len(o.Lib.Args) {
					return o.Lib.Args[i]
				}
				return Value{}
			}
			switch h.Role {
			case knowledge.HealthTimeout:
				out.limit = at(h.Dur)
			case knowledge.HealthCache:
				out.period = at(h.Dur)
			default:
				out.setBy(h, at)
			}
		}
	}
	return out
}

// setBy takes over what an option, or an argument of a registration, says beside durations.
func (a *answering) setBy(h knowledge.HealthCall, at func(int) Value) {
	switch h.Sets {
	case "cache off":
		a.cacheOff = true
	case "error text off":
		a.textOff = true
	case "error text":
		a.textOn = isBool(at(h.Status)) && at(h.Status).truthy() > 0
	case "failure status":
		a.failing = at(h.Status)
	case "success status":
		a.success = at(h.Status)
	}
}

// registry is the set of checks that package-level functions of a library fill.
func (it *Interp) registry(lib knowledge.HealthLibrary) *checkSet {
	g := it.eng
	if g.registries == nil {
		g.registries = map[string]*checkSet{}
	}
	if g.registries[lib.ID] == nil {
		g.registries[lib.ID] = &checkSet{lib: lib}
	}
	return g.registries[lib.ID]
}

// wrapped gives checks that an option or a wrapper holds what that says of them: a time limit, a background loop, that they
// only report.
func (it *Interp) wrapped(found []check, o *Object) {
	limit := it.checkLimit(o)
	var h knowledge.HealthCall
	if o.Lib != nil {
		h, _ = it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name)
	}
	for i := range found {
		k := &found[i]
		if isZero(k.limit) && !isZero(limit) {
			k.limit = limit
		}
		if k.config == nil && o.Kind == Plain && len(o.Fields) > 0 {
			k.config = o
		}
		for _, f := range []string{"Name", "CheckName"} {
			if c, ok := o.Fields[f]; ok && k.name == "" {
				k.name, _ = it.get(c).str()
			}
		}
		switch {
		case h.Role == knowledge.HealthObserver:
			k.reported = true
		case h.Role == knowledge.HealthCache && h.Check >= 0:
			k.stored = true
			if h.Dur >= 0 && h.Dur < len(o.Lib.Args) {
				k.period = o.Lib.Args[h.Dur]
			}
		}
	}
}

// byConfig reads the fields of a check's configuration that a library names.
func (it *Interp) byConfig(k *check, lib knowledge.HealthLibrary) {
	field := func(name string) (Value, bool) {
		if name == "" || k.config == nil {
			return Value{}, false
		}
		c, ok := k.config.Fields[name]
		if !ok {
			return Value{}, false
		}
		return it.get(c), true
	}
	if v, ok := field(lib.ReportedField); ok && isBool(v) && v.truthy() > 0 {
		k.reported = true
	}
	if lib.FatalField != "" && k.config != nil {
		if v, ok := field(lib.FatalField); !ok || isBool(v) && v.truthy() < 0 {
			k.reported = true
		}
	}
	if v, ok := field(lib.PeriodField); ok && isZero(k.period) {
		k.period = v
	}
}

// storedOutcome is what a background check left: the handler runs nothing, and yet its answer follows what the check asks.
func (it *Interp) storedOutcome(set *checkSet, k *check) Value {
	src := &Source{Kind: State, Name: set.lib.ID, Pos: k.pos}
	if k.name != "" {
		src.Name = k.name
	}
	var v Value
	aside := it.collect(nodeSeq, func() { v = it.runCheck(set, k) }) // its calls are none of the request's
	text := v.Text
	aside.walk(func(e *Effect) {
		e.Background = true
		if !src.Mirror {
			src.Mirror, src.Of = true, e.Name
			if src.Of == "" {
				src.Of = e.Kind
			}
		}
	})
	for _, c := range v.L {
		if c.Src.Mirror && !src.Mirror {
			src.Mirror, src.Of = true, c.Src.Of
		}
	}
	if isNilOnly(v) && !src.Mirror {
		return v
	}
	return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{src, 1}}, Text: text, Type: types.Universe.Lookup("error").Type()}
}

// effectsOutcome is the outcome of a check that says it in a way which is not followed: whatever it asks decides.
func (it *Interp) effectsOutcome(run func() Value) Value {
	var v Value
	n := it.collect(nodeSeq, func() { v = run() })
	it.cur.add(n)
	var l Label
	n.walk(func(e *Effect) { l = l.with(Cause{e.source(), 1}) })
	if len(l) == 0 {
		return v
	}
	return Value{Open: true, Nil: mayNil | mayNonNil, L: l, Text: v.Text, Type: types.Universe.Lookup("error").Type()}
}

// keepsResults notes the verdict that a library stores instead of asking each time.
func (it *Interp) keepsResults(w *Wrap, set *checkSet, opt answering, list []check) {
	c := &LibCache{Kind: "library", Pos: w.Pos, End: w.End}
	stored := false
	for i := range list {
		k := &list[i]
		if !k.stored || k.reported {
			continue
		}
		stored = true
		p := k.period
		if isZero(p) {
			p = opt.period
		}
		if c.Period = p; !isZero(p) {
			c.Pos, c.End = k.pos, k.end
			break
		}
	}
	switch {
	case stored:
	case set.lib.Cached == "ttl" && len(list) > 0 && !opt.cacheOff:
		if c.Period, c.Seconds = opt.period, set.lib.CacheSeconds; !isZero(c.Period) {
			c.Seconds = 0
		}
		c.Aged = true
	default:
		return
	}
	it.cachedBy = c
}

// LibCache is a verdict that a health library stores: for Period where the program sets one, else for Seconds.
type LibCache struct {
	Kind     string
	Seconds  float64
	Period   Value
	Aged     bool // it is asked anew once it is that old
	Pos, End token.Pos
}

// timed runs a check within the time that it was registered with, and within the library's own.
func (it *Interp) timed(set *checkSet, opt answering, k *check, run func()) {
	lib := set.lib
	own := k.limit
	all := opt.limit
	if isZero(own) && lib.TimeoutScope != "all" {
		own, all = all, Value{}
	}
	if sec := lib.TimeoutSeconds; sec > 0 && isZero(all) && (isZero(own) || lib.TimeoutScope == "all") {
		d := constValue(constant.MakeInt64(int64(sec*float64(time.Second))), nil, k.pos)
		if lib.TimeoutScope == "all" {
			all = d
		} else {
			own = d
		}
	}
	for _, d := range []Value{own, all} {
		if isZero(d) || lib.CheckCtx == "none" && !lib.TimeoutRace {
			continue
		}
		inner := run
		w := &Wrap{Dur: d, Pos: k.pos, End: k.end, Answer: lib.TimeoutRace || lib.TimeoutBoth, Work: !lib.TimeoutRace}
		run = func() { it.withTimeout(w, inner) }
	}
	run()
}

// importedRoutes registers what a health library registers on the default mux when it is imported.
func (g *Engine) importedRoutes(it *Interp, pkgs []*load.Package) {
	for _, p := range pkgs {
		for _, f := range p.Files {
			for _, imp := range f.Imports {
				path, err := strconv.Unquote(imp.Path.Value)
				if err != nil {
					continue
				}
				id, _ := g.kb.LibraryOf(path)
				lib, ok := g.kb.LookupHealthLibrary(id)
				if !ok || lib.Registry != "default mux" || lib.Health == "" {
					continue
				}
				m := g.defaultMux(it).Mux
				w := &Wrap{Kind: "checks", Pos: imp.Path.Pos(), End: imp.Path.End(), checks: it.registry(lib), role: knowledge.HealthBoth}
				if slices.ContainsFunc(m.Routes, func(r *Route) bool { x, ok := r.Pattern.str(); return ok && x == lib.Health }) {
					continue
				}
				o := it.object(HandlerOf, nil, w.Pos)
				o.Wrap = w
				r := &Route{Pattern: stringValue(lib.Health, nil), Handlers: []Value{termValue(o, nil)}, Mux: m, Pos: w.Pos, End: w.End, CallPos: w.Pos}
				m.Routes = append(m.Routes, r)
				g.noteRoute(it, r)
			}
		}
	}
}

// healthEndpoints gives a router the health endpoint that an option asks for (grpc-gateway's WithHealthzEndpoint): it asks the
// client that the option was given.
func (it *Interp) healthEndpoints(m *Object, args []Value, s *site) {
	for _, a := range args {
		for _, o := range it.objectsIn(a) {
			if o.Lib == nil {
				continue
			}
			h, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name)
			if !ok || h.Role != knowledge.HealthHandler || !h.Effect.Waits() {
				continue
			}
			set := &checkSet{lib: it.healthLibrary(h.Library)}
			set.add(knowledge.HealthBoth, check{run: termValue(o, o.Type), pos: o.Pos, end: o.end})
			path := set.lib.Health
			if h.Pattern >= 0 && h.Pattern < len(o.Lib.Args) {
				p, known := o.Lib.Args[h.Pattern].str()
				if !known {
					it.eng.gap(s, "a health endpoint whose path is not known")
					continue
				}
				path = p
			}
			it.checksRoute(m, path, set, knowledge.HealthBoth, s)
		}
	}
}

// serveHealth is a call by which a library opens a listener of its own for its endpoints.
func (it *Interp) serveHealth(c knowledge.HealthCall, s *site) {
	lib := it.healthLibrary(c.Library)
	addr := stringValue(lib.Listens, nil)
	if c.Pattern >= 0 {
		if p := s.arg(c.Pattern); len(p.Scalars) > 0 && !p.Open {
			addr = Value{Scalars: joinedText([]Value{stringValue(":", nil), p}), Type: types.Typ[types.String]}
		} else {
			addr = Value{Open: true}
		}
	}
	m := it.newRouter("net/http", nil, s.e.Pos())
	it.bothRoutes([]*Object{m}, &checkSet{lib: lib}, s)
	for _, r := range m.Mux.Routes {
		p, _ := r.Pattern.str()
		if h, ok := it.eng.toldHealth[c.Library+" "+p]; ok {
			r.Handlers = []Value{h}
		}
	}
	it.serve(it.newServer(s, addr, termValue(m, nil), false), s)
}

// givesHandler keeps the handler that a program gives such a library for one of its endpoints.
func (it *Interp) givesHandler(c knowledge.HealthCall, s *site) {
	lib := it.healthLibrary(c.Library)
	path := lib.Readiness
	if c.Role == knowledge.HealthHandlerLiveness {
		path = lib.Liveness
	}
	if it.eng.toldHealth == nil {
		it.eng.toldHealth = map[string]Value{}
	}
	it.eng.toldHealth[c.Library+" "+path] = s.arg(c.Handler)
}
