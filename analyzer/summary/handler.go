package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Wrap is a handler made around another by a library.
type Wrap struct {
	Kind   string // strip, timeout, static, middleware
	Inner  Value
	Prefix Value
	Dur    Value
	Answer bool // answers itself when the time is over
	Work   bool // ends the context when the time is over
	Step   bool // of a chain: what follows runs in it
	Status int
	Pos    token.Pos
	End    token.Pos

	standard *servingSpan         // of the library's own gRPC health server
	checks   *checkSet            // of a health library's endpoint
	role     knowledge.HealthRole // which of its checks answer
	opt      answering            // what the options of the handler change
}

func (it *Interp) staticHandler(s *site, kind string, status int) Value {
	pos, end := sitePos(s)
	o := it.object(HandlerOf, s.result, pos)
	o.Wrap = &Wrap{Kind: kind, Status: status, Pos: pos, End: end}
	if kind == "redirect" {
		o.Wrap.Prefix, o.Wrap.Dur = s.arg(0), s.arg(1)
	}
	return termValue(o, s.result)
}

// serveHTTP hands the request to a handler.
func (it *Interp) serveHTTP(s *site) (Value, bool) {
	if it.resp == nil {
		return Value{}, s.path == "net/http"
	}
	if len(s.recv.Terms) == 0 {
		return Value{}, false
	}
	handled := false
	for _, t := range s.recv.Terms {
		switch x := t.(type) {
		case *Closure, *Func:
			handled = true
		case *Object:
			handled = handled || x.Kind == Router || x.Kind == HandlerOf
		}
	}
	if !handled {
		return Value{}, false
	}
	it.adopt(s.arg(1))
	it.each(s.recv.Terms, func(t Term) Value { it.handle(t, s); return Value{} })
	return Value{}, true
}

// adopt makes a request that was derived in a middleware the one that goes on.
func (it *Interp) adopt(r Value) {
	for _, t := range r.Terms {
		if o, ok := t.(*Object); ok && o.Kind == Request && o.Ctx != nil {
			it.req.obj, it.req.ctx = o, o.Ctx
		}
	}
}

// handle runs a handler term on the request in hand.
func (it *Interp) handle(t Term, s *site) {
	if it.depth >= maxDepth { // a router that leads to itself
		it.resp.Unknown = true
		return
	}
	it.depth++
	defer func() { it.depth-- }()
	switch x := t.(type) {
	case *Closure:
		it.invoke(x, it.handlerSite(x.Pkg.Info.TypeOf(x.Lit), s))
	case *Func:
		it.invoke(x, it.handlerSite(x.Fn.Type(), s))
	case *Object:
		switch x.Kind {
		case Router:
			it.dispatchRoute(x, s)
		case HandlerOf:
			it.handleWrap(x.Wrap, s)
		default:
			if w, ok := it.healthHandler(x, s); ok {
				it.runChecks(w)
				return
			}
			if x.Type == nil {
				it.maybeUnfollowed(s, "the handler is not known")
				return
			}
			it.callMethod(x, "ServeHTTP", s)
		}
	default:
		it.maybeUnfollowed(s, "the handler is not known")
	}
}

func (it *Interp) handlerSite(t types.Type, s *site) *site {
	n := &site{}
	if s != nil {
		n.e = s.e
	}
	if sig, ok := t.(*types.Signature); ok {
		for i := range sig.Params().Len() {
			n.args = append(n.args, it.requestParam(sig.Params().At(i).Type()))
		}
		if sig.Results().Len() == 1 {
			n.result = sig.Results().At(0).Type()
		}
	}
	return n
}

// callMethod calls a method of an object by name with the request's parameters.
func (it *Interp) callMethod(o *Object, name string, s *site) Value {
	t := o.Type
	if _, ok := types.Unalias(t).(*types.Pointer); !ok && !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	obj, idx, _ := types.LookupFieldOrMethod(t, true, nil, name)
	fn, _ := obj.(*types.Func)
	if fn == nil {
		it.maybeUnfollowed(s, "the handler has no method "+name+" that can be read")
		it.resp.Unknown, it.resp.HandedOn = true, true
		return Value{}
	}
	n := it.handlerSite(fn.Type(), s)
	n.fn, n.method = fn, true
	n.recv = it.alongIndex(termValue(o, o.Type), t, idx)
	it.describe(n)
	if len(n.recv.Terms) == 1 && n.recv.Terms[0] != Term(o) && isInterfaceMethod(fn) {
		return it.dynamic(n)
	}
	if _, ok := it.eng.decls[n.fn]; !ok {
		it.markUnknownAnswer(n, "its code is in another module")
		return Value{}
	}
	return it.dispatch(n)
}

// markUnknownAnswer notes that a call may write any answer.
func (it *Interp) markUnknownAnswer(s *site, why string) {
	it.resp.HandedOn = it.resp.HandedOn || s.name == "ServeHTTP"
	it.resp.Unknown = true
	if s.e != nil {
		it.unfollowed(s.short(), why, s.e)
	}
	cur := it.get(it.respCell)
	if mayBeZero(cur) {
		v := Value{Open: true, Type: types.Typ[types.Int]}
		it.commit(cur, v)
	}
}

func (it *Interp) handleWrap(w *Wrap, s *site) {
	switch w.Kind {
	case "strip":
		prefix, _ := w.Prefix.str()
		saved := it.req.path
		it.req.path = strings.TrimPrefix(it.req.path, prefix)
		it.handleAll(w.Inner, s)
		it.req.path = saved
	case "timeout":
		if w.Step {
			it.withTimeout(w, func() {
				it.runRest(s)
				it.put(it.nextCellOf(), boolValue(true))
			})
			return
		}
		it.withTimeout(w, func() { it.handleAll(w.Inner, s) })
	case "guard":
		it.standsBefore(w.Prefix)
		it.handleAll(w.Inner, s)
	case "notfound":
		it.writeStatus(constValue(constant.MakeInt64(404), nil, w.Pos), s)
	case "redirect":
		it.redirect(w.Prefix, w.Dur, s)
	case "grpchealth":
		it.grpcHandler(w, s)
	case "checks":
		it.runChecks(w)
	case "files":
		it.writeStatus(constValue(constant.MakeInt64(404), nil, w.Pos), s)
	default:
		it.handleAll(w.Inner, s)
	}
}

func (it *Interp) handleAll(v Value, s *site) {
	if len(v.Terms) == 0 {
		it.maybeUnfollowed(s, "the handler is not known")
		it.resp.Unknown, it.resp.HandedOn = true, true
		return
	}
	it.each(v.Terms, func(t Term) Value { it.handle(t, s); return Value{} })
}

// withTimeout runs the rest under a deadline that a middleware sets.
func (it *Interp) withTimeout(w *Wrap, run func()) {
	d := &Deadline{Dur: w.Dur, Pos: w.Pos, End: w.End, Answer: w.Answer}
	saved, obj := it.req.ctx, it.req.obj
	if w.Work {
		it.req.ctx = saved.with(d)
		n := *obj
		n.Ctx = it.req.ctx
		it.req.obj = &n
	}
	if w.Answer {
		n := it.collect(nodeRace, run)
		n.race = d
		n.walk(func(e *Effect) { e.AnswerBound = d })
		it.cur.add(n)
	} else {
		run()
	}
	it.req.ctx, it.req.obj = saved, obj
}
