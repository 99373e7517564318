package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// check is one check that is registered with a health library.
type check struct {
	name     string
	run      Value
	static   bool // it always succeeds (healthz.Ping)
	foreign  *foreignCheck
	pos, end token.Pos
	limit    Value   // the timeout that it is registered with
	config   *Object // the struct that holds it
	stored   bool    // it runs in the background, the request reads what it left
	period   Value   // how often
	reported bool    // its outcome is told and decides nothing
	under    Label   // on which way it was registered
}

// checkSet are the checks of a library's health object, by endpoint.
type checkSet struct {
	lib               knowledge.HealthLibrary
	live, ready, both []check
	server            *Mux // of a library that opens a listener itself (controller-runtime)
	opts              Value
	webhook           *Object
	handed            string   // the code of another module that was given it
	commands          []string // the subcommand that makes it
	opt               answering
	detailed          bool // the endpoint of one check, which shows its error
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
	if c.lib.Health != "" && c.lib.Liveness != "" && c.lib.Readiness != "" { // an endpoint beside both, with checks of its own
		return append([]check(nil), c.both...)
	}
	return append(append(append([]check(nil), c.both...), c.live...), c.ready...)
}

// inForce are the checks of an endpoint without those that a container's settings leave out.
func (c *checkSet) inForce(role knowledge.HealthRole, v Values) []check {
	return slices.DeleteFunc(c.of(role), func(k check) bool { return Scalar{L: k.under}.excluded(v) })
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
	k := check{name: name, under: it.pc()}
	k.pos, k.end = sitePos(s)
	switch x := t.(type) {
	case *Closure:
		if sig, ok := x.Pkg.Info.TypeOf(x.Lit).(*types.Signature); ok && (isVerdict(sig) || it.anyVerdict(s)) {
			k.run = Value{Terms: []Term{t}, Nil: mayNonNil}
			return []check{k}
		}
	case *Func:
		if sig, ok := x.Fn.Type().(*types.Signature); ok && (isVerdict(sig) || it.anyVerdict(s)) {
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
		if h, ok := it.checkerMethod(x, s); ok {
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
		it.wrapped(found, x)
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
	h, ok := it.eng.kb.LookupHealth(o.Lib.Path, "", o.Lib.Name)
	holds := h.Role == knowledge.HealthTimeout || h.Role == knowledge.HealthCheckBuilder
	if ok && holds && h.Check >= 0 && h.Dur >= 0 && h.Dur < len(o.Lib.Args) {
		return o.Lib.Args[h.Dur]
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

// anyVerdict reports a library whose checks say their outcome in a way of its own: what they are given to write it to, a type
// of the library.
func (it *Interp) anyVerdict(s *site) bool {
	c, ok := it.lookupHealth(s)
	return ok && it.healthLibrary(c.Library).Verdict != ""
}

// checkerMethod is the method by which a health library calls an own checker.
func (it *Interp) checkerMethod(o *Object, s *site) (Value, bool) {
	p, _ := typeName(o.Type)
	if o.Type == nil || !it.eng.firstParty(p) {
		return Value{}, false
	}
	names := []string{"Check", "Status", "Execute"}
	if c, ok := it.lookupHealth(s); ok {
		names = append(it.eng.kb.CheckerMethods(c.Library), names...)
	}
	for _, name := range names {
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(o.Type)), true, nil, name)
		fn, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		sig, _ := fn.Type().(*types.Signature)
		if _, own := it.eng.decls[fn.Origin()]; !own || !isVerdict(sig) && !it.anyVerdict(s) {
			continue
		}
		recv := termValue(o, o.Type)
		return termValue(&Func{Fn: fn, Recv: &recv}, fn.Type()), true
	}
	return Value{}, false
}

// runChecks answers with the outcome of a library's checks.
func (it *Interp) runChecks(w *Wrap) {
	set, role := w.checks, w.role
	opt := set.opt.over(w.opt)
	reports := w.Status == 200
	if set.lib.PathsBelow {
		switch it.req.path {
		case set.lib.Health:
			role, reports = knowledge.HealthBoth, true
		case set.lib.Liveness:
			role = knowledge.HealthLiveness
		case set.lib.Readiness:
			role = knowledge.HealthReadiness
		default:
			it.resp.Unknown = true
			return
		}
	}
	list := set.inForce(role, it.vals)
	for i := range list {
		it.byConfig(&list[i], set.lib)
		if set.lib.Cached == "background" {
			list[i].stored = true
		}
		if reports {
			list[i].reported = true
		}
	}
	status := Value{Type: types.Typ[types.Int], Scalars: []Scalar{{C: constant.MakeInt64(200), Pos: w.Pos}}}
	if n, ok := Int(opt.success); ok && n > 0 {
		status.Scalars[0].C = constant.MakeInt64(int64(n))
	}
	cur := it.get(it.respCell)
	if !mayBeZero(cur) {
		return
	}
	failing := statusOr(opt.failing, set.lib.FailureStatus)
	text := it.outcomes(set, opt, list, func(l Label) {
		for _, n := range []int{failing, set.lib.DegradedStatus} {
			if n > 0 {
				status.Scalars = addScalar(status.Scalars, Scalar{C: constant.MakeInt64(int64(n)), L: l, Pos: w.Pos})
			}
		}
		status.L = status.L.union(l)
	})
	it.keepsResults(w, set, opt, list)
	if it.showsError(set, opt) && len(text) > 0 {
		it.resp.Writes = append(it.resp.Writes, Write{Kind: "body", Text: text, PC: it.pc(), Pos: w.Pos, End: w.End})
	}
	if cur = it.get(it.respCell); mayBeZero(cur) {
		it.commit(cur, status)
	}
}

// statusOr is the status that an option sets, else the library's own.
func statusOr(v Value, def int) int {
	if n, ok := Int(v); ok && n > 0 {
		return n
	}
	if def == 0 {
		return 503
	}
	return def
}

// showsError reports whether the text of a failed check is in the answer to this request.
func (it *Interp) showsError(set *checkSet, opt answering) bool {
	switch {
	case opt.textOff:
		return false
	case opt.textOn:
		return true
	}
	switch set.lib.LeaksError {
	case "yes":
		return true
	case "sub-path":
		return set.detailed
	case "query":
		name, value, _ := strings.Cut(set.lib.LeaksQuery, "=")
		return name != "" && it.req.query.Get(name) == value
	}
	return false
}

// outcomes runs the checks as the library does, tells fail what turns the answer, and returns the text of the errors.
func (it *Interp) outcomes(set *checkSet, opt answering, list []check, fail func(Label)) Label {
	var text Label
	var par *node
	if set.lib.Aggregate == "parallel" && len(list) > 1 {
		par = &node{kind: nodePar}
		it.cur.add(par)
	}
	for i := range list {
		k := &list[i]
		if k.static {
			continue
		}
		var v Value
		switch {
		case k.stored:
			v = it.storedOutcome(set, k)
		case par != nil:
			n := it.collect(nodeSeq, func() { v = it.runCheckWithin(set, opt, k) })
			n.walk(func(e *Effect) { e.Parallel = true })
			par.add(n)
		default:
			v = it.runCheckWithin(set, opt, k)
		}
		if isNilOnly(v) || isBool(v) && v.truthy() > 0 {
			continue
		}
		text = text.union(v.Text)
		if k.reported {
			continue
		}
		l := v.L
		if v.Type != nil && !isErrorType(v.Type) {
			l = l.negate() // true says that it works
		}
		fail(l)
	}
	return text
}

// runCheckWithin runs a check within its time.
func (it *Interp) runCheckWithin(set *checkSet, opt answering, k *check) (v Value) {
	saved := it.req.ctx
	if set.lib.CheckCtx == "background" || set.lib.CheckCtx == "none" {
		it.req.ctx = &Ctx{Root: RootBackground}
	}
	it.timed(set, opt, k, func() { v = it.runCheck(set, k) })
	it.req.ctx = saved
	it.exited = false
	return v
}

// runCheck calls one check as the library does.
func (it *Interp) runCheck(set *checkSet, k *check) Value {
	if f := k.foreign; f != nil {
		return it.foreignOutcome(f, k.pos, k.end)
	}
	run := func() Value {
		return it.each(k.run.Terms, func(t Term) Value {
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
	if set.lib.Verdict != "" {
		return it.effectsOutcome(run)
	}
	return run()
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
