package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"time"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// check is one check that is registered with a health library.
type check struct {
	name     string
	run      Value
	static   bool // it always succeeds (healthz.Ping)
	foreign  *foreignCheck
	pos, end token.Pos
	limit    Value // the timeout that it is registered with
}

// checkSet are the checks of a library's health object, by endpoint.
type checkSet struct {
	lib               knowledge.HealthLibrary
	live, ready, both []check
	server            *Mux // of a library that opens a listener itself (controller-runtime)
	opts              Value
	webhook           *Object
	handed            string // the code of another module that was given it
	limit             Value  // the timeout of each check, where the program sets one
}

// of are the checks of an endpoint: liveness, readiness or health.
func (c *checkSet) of(role knowledge.HealthRole) []check {
	switch role {
	case knowledge.HealthLiveness:
		return append(append([]check(nil), c.live...), c.both...)
	case knowledge.HealthReadiness:
		out := append(append([]check(nil), c.ready...), c.both...)
		if c.lib.ReadinessIncludesLiveness {
			out = append(out, c.live...)
		}
		return out
	}
	return append(append(append([]check(nil), c.both...), c.live...), c.ready...)
}

func (c *checkSet) add(role knowledge.HealthRole, k check) {
	list := &c.both
	switch role {
	case knowledge.HealthLiveness:
		list = &c.live
	case knowledge.HealthReadiness:
		list = &c.ready
	}
	for _, x := range *list { // a registration in code that is interpreted twice
		if x.pos == k.pos && (sameValue(x.run, k.run) || sameBuilt(x.run, k.run)) {
			return
		}
	}
	*list = append(*list, k)
}

func (it *Interp) checkSetOf(v Value) *checkSet {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok {
			if o.checks != nil {
				return o.checks
			}
			if o.Kind == Plain { // a struct that embeds it
				for _, name := range sortedFields(o.Fields) {
					if x, ok := o.Fields[name].Var.(*types.Var); ok && x.Embedded() {
						if c := it.checkSetOf(it.get(o.Fields[name])); c != nil {
							return c
						}
					}
				}
			}
		}
	}
	return nil
}

// checksIn finds the checks in the arguments of a call: functions that return an error or a verdict, objects with a Check
// method, and what options and configurations hold of them.
func (it *Interp) checksIn(args []Value, s *site, depth int) []check {
	var out []check
	if depth > 4 {
		return nil
	}
	name := ""
	for _, a := range args {
		if n, ok := a.str(); ok && name == "" {
			name = n
		}
		for _, t := range a.Terms {
			out = append(out, it.checkOf(t, name, s, depth)...)
		}
	}
	return out
}

func (it *Interp) checkOf(t Term, name string, s *site, depth int) []check {
	k := check{name: name}
	k.pos, k.end = sitePos(s)
	switch x := t.(type) {
	case *Closure:
		if sig, ok := x.Pkg.Info.TypeOf(x.Lit).(*types.Signature); ok && isVerdict(sig) {
			k.run = Value{Terms: []Term{t}, Nil: mayNonNil}
			return []check{k}
		}
	case *Func:
		if sig, ok := x.Fn.Type().(*types.Signature); ok && isVerdict(sig) {
			k.run = Value{Terms: []Term{t}, Nil: mayNonNil}
			return []check{k}
		}
	case *Object:
		if x.Items != nil {
			var vs []Value
			for _, c := range x.Items.List {
				vs = append(vs, it.get(c))
			}
			if x.Items.Any != nil {
				vs = append(vs, it.get(x.Items.Any))
			}
			return it.checksIn(vs, s, depth+1)
		}
		if f, ok := it.foreignCheckOf(x); ok {
			k.foreign, k.run = f, termValue(x, x.Type)
			return []check{k}
		}
		if _, ok := it.builtBy(x); ok {
			k.run = termValue(x, x.Type)
			return []check{k}
		}
		if h, ok := it.checkerMethod(x); ok {
			k.run = h
			return []check{k}
		}
		var vs []Value
		if x.Lib != nil {
			if x.Kind != Library && len(x.Fields) == 0 {
				return nil
			}
			vs = append(vs, x.Lib.Args...)
		}
		for _, f := range sortedFields(x.Fields) {
			vs = append(vs, it.get(x.Fields[f]))
		}
		found := it.checksIn(vs, s, depth+1)
		if limit := it.checkLimit(x); !isZero(limit) {
			for i := range found {
				if isZero(found[i].limit) {
					found[i].limit = limit
				}
			}
		}
		return found
	}
	return nil
}

// checkLimit is the timeout of what holds a check: the field Timeout of its configuration, or the library's wrapper.
func (it *Interp) checkLimit(o *Object) Value {
	if c, ok := o.Fields["Timeout"]; ok {
		if v := it.get(c); !onlyZero(v) {
			return v
		}
	}
	if o.Lib == nil {
		return Value{}
	}
	if h, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name); ok && h.Role == knowledge.HealthTimeout && h.Check >= 0 && h.Dur >= 0 && h.Dur < len(o.Lib.Args) {
		return o.Lib.Args[h.Dur]
	}
	return Value{}
}

// setLimit is the timeout of all checks of a library's object: an option such as health.WithTimeout.
func (it *Interp) setLimit(args []Value) Value {
	for _, a := range args {
		for _, o := range it.objectsIn(a) {
			if o.Lib == nil {
				continue
			}
			if h, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name); ok && h.Role == knowledge.HealthTimeout && h.Check < 0 && h.Dur >= 0 && h.Dur < len(o.Lib.Args) {
				return o.Lib.Args[h.Dur]
			}
		}
	}
	return Value{}
}

// isVerdict reports a function whose result says whether something works.
func isVerdict(sig *types.Signature) bool {
	n := sig.Results().Len()
	if n == 0 {
		return false
	}
	last := sig.Results().At(n - 1).Type()
	if isErrorType(last) {
		return true
	}
	b, ok := last.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool && n == 1
}

// checkerMethod is the method by which a health library calls an own checker.
func (it *Interp) checkerMethod(o *Object) (Value, bool) {
	p, _ := typeName(o.Type)
	if o.Type == nil || !it.eng.firstParty(p) {
		return Value{}, false
	}
	for _, name := range []string{"Check", "Status", "Execute"} {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(o.Type)), true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		sig, _ := fn.Type().(*types.Signature)
		if _, own := it.eng.decls[fn.Origin()]; !own || !isVerdict(sig) {
			continue
		}
		recv := termValue(o, o.Type)
		return termValue(&Func{Fn: fn, Recv: &recv}, fn.Type()), true
	}
	return Value{}, false
}

// runChecks answers with the outcome of a library's checks.
func (it *Interp) runChecks(w *Wrap) {
	set := w.checks
	failing := set.lib.FailureStatus
	if failing == 0 {
		failing = 503
	}
	list := set.of(w.role)
	status := Value{Type: types.Typ[types.Int], Scalars: []Scalar{{C: constant.MakeInt64(200), Pos: w.Pos}}}
	fail := func(l Label) {
		status.Scalars = addScalar(status.Scalars, Scalar{C: constant.MakeInt64(int64(failing)), L: l, Pos: w.Pos})
		status.L = status.L.union(l)
	}
	if w.Status == 200 || set.lib.Static && w.role == knowledge.HealthBoth && len(list) == 0 {
		it.commit(it.get(it.respCell), status)
		return
	}
	stored := set.lib.Cached == "background"
	var text Label
	for i := range list {
		k := &list[i]
		if k.static {
			continue
		}
		v := it.runCheck(set, k)
		if isNilOnly(v) || isBool(v) && v.truthy() > 0 {
			continue
		}
		l := v.L
		if v.Type != nil && !isErrorType(v.Type) {
			l = l.negate() // true says that it works
		}
		text = text.union(v.Text)
		fail(l)
	}
	if stored && len(list) > 0 {
		it.cachedBy = &LibCache{Kind: "library", Pos: w.Pos, End: w.End}
	} else if set.lib.Cached == "ttl" && len(list) > 0 {
		it.cachedBy = &LibCache{Kind: "library", Seconds: set.lib.CacheSeconds, Pos: w.Pos, End: w.End}
	}
	cur := it.get(it.respCell)
	if set.lib.LeaksError == "yes" && len(text) > 0 {
		it.resp.Writes = append(it.resp.Writes, Write{Kind: "body", Text: text, PC: it.pc(), Pos: w.Pos, End: w.End})
	}
	if mayBeZero(cur) {
		it.commit(cur, status)
	}
}

// LibCache is a verdict that a health library stores.
type LibCache struct {
	Kind     string
	Seconds  float64
	Pos, End token.Pos
}

// runCheck calls one check as the library does.
func (it *Interp) runCheck(set *checkSet, k *check) Value {
	var v Value
	if f := k.foreign; f != nil {
		return it.foreignOutcome(f, k.pos, k.end)
	}
	run := func() {
		v = it.each(k.run.Terms, func(t Term) Value {
			var sig types.Type
			switch x := t.(type) {
			case *Object:
				if h, ok := it.builtBy(x); ok {
					return it.runBuilt(h, x)
				}
			case *Closure:
				sig = x.Pkg.Info.TypeOf(x.Lit)
			case *Func:
				sig = x.Fn.Type()
			}
			n := it.handlerSite(sig, nil)
			if sg, ok := sig.(*types.Signature); ok && sg.Results().Len() > 1 {
				n.result = sg.Results()
			}
			out := it.invoke(t, n)
			if len(out.Tuple) > 0 {
				out = out.Tuple[len(out.Tuple)-1]
			}
			if out.Type == nil && n.result != nil {
				out.Type = n.result
			}
			return out
		})
	}
	saved := it.req.ctx
	if set.lib.CheckCtx == "background" || set.lib.CheckCtx == "none" {
		it.req.ctx = &Ctx{Root: RootBackground}
	}
	d := k.limit
	if isZero(d) {
		d = set.limit
	}
	if sec := set.lib.TimeoutSeconds; isZero(d) && sec > 0 {
		d = constValue(constant.MakeInt64(int64(sec*float64(time.Second))), nil, k.pos)
	}
	if !isZero(d) && (set.lib.CheckCtx != "none" || set.lib.TimeoutRace) {
		it.withTimeout(&Wrap{Dur: d, Pos: k.pos, End: k.end, Answer: set.lib.TimeoutRace, Work: !set.lib.TimeoutRace}, run)
	} else {
		run()
	}
	it.req.ctx = saved
	it.exited = false
	return v
}

func (it *Interp) anyWebContext(s *site) bool {
	for _, a := range s.args {
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o.Kind == WebContext {
				return true
			}
		}
	}
	return false
}

// CheckPlace is where the first check of a library's endpoint stands: in the program's own code, else where the first check
// that can fail is registered, else the first registration.
func (g *Engine) CheckPlace(v Value) (symbol string, pos, end token.Pos, ok bool) {
	var w *Wrap
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Object:
			if x.Kind == HandlerOf && x.Wrap.Kind == "checks" {
				w = x.Wrap
			}
		case *Func: // health.LiveEndpoint as a handler
			if x.Recv == nil {
				continue
			}
			if _, own := g.decls[x.Fn.Origin()]; own {
				continue
			}
			it := g.newInterp()
			it.request = true
			set := it.checkSetOf(*x.Recv)
			if set == nil {
				continue
			}
			s := &site{fn: x.Fn, method: true, recv: *x.Recv}
			it.describe(s)
			role := knowledge.HealthBoth
			if c, ok := it.lookupHealth(s); ok {
				role = endpointRole(c.Role)
			}
			w = &Wrap{checks: set, role: role}
		}
	}
	if w == nil {
		return "", 0, 0, false
	}
	var fallback *check
	list := w.checks.of(w.role)
	for i := range list {
		k := &list[i]
		for _, t := range k.run.Terms {
			switch x := t.(type) {
			case *Closure:
				return g.symbolOf(x.Lit), x.Lit.Pos(), x.Lit.End(), true
			case *Func:
				if d, ok := g.decls[x.Fn.Origin()]; ok {
					return g.symbolOf(d.decl), d.decl.Name.Pos(), d.decl.End(), true
				}
			}
		}
		if fallback == nil || fallback.static && !k.static {
			fallback = k
		}
	}
	if fallback == nil {
		return w.checks.lib.ID, w.Pos, w.End, w.Pos.IsValid()
	}
	return w.checks.lib.ID, fallback.pos, fallback.end, true
}
