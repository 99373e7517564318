package summary

import (
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// builtBy is the call of a health library that built a check: heptiolabs' TCPDialCheck, hellofresh's postgres.New.
func (it *Interp) builtBy(o *Object) (knowledge.HealthCall, bool) {
	if o.Lib == nil {
		return it.builtType(o)
	}
	recv, name, method := strings.Cut(o.Lib.Name, ".")
	if !method {
		recv, name = "", o.Lib.Name
	}
	h, ok := it.eng.kb.LookupHealth(o.Lib.Path, recv, name)
	if !ok {
		return it.builtType(o)
	}
	return h, (h.Role == knowledge.HealthCheckBuilder && h.Effect != knowledge.NoEffect || h.Role == knowledge.HealthHandler && h.Effect.Waits())
}

// builtType is the checker that a library's own type is: checks.SqlCheck{Sql: db}.
func (it *Interp) builtType(o *Object) (knowledge.HealthCall, bool) {
	p, n := typeName(o.Type)
	if n == "" && o.Lib != nil {
		p, n = o.Lib.Path, o.Lib.Name
	}
	if n == "" || it.eng.firstParty(p) {
		return knowledge.HealthCall{}, false
	}
	lib, ok := it.eng.kb.LibraryOf(p)
	if !ok {
		return knowledge.HealthCall{}, false
	}
	for _, m := range it.eng.kb.CheckerMethods(lib) {
		if h, ok := it.eng.kb.LookupHealth(p, n, m); ok && h.Role == knowledge.HealthChecker && h.Effect != knowledge.NoEffect {
			return h, true
		}
	}
	return knowledge.HealthCall{}, false
}

// builtFrom is what a library's check was made of: the arguments of the call, the fields of the literal.
func (it *Interp) builtFrom(h knowledge.HealthCall, o *Object) []Value {
	if o.Lib == nil || len(o.Fields) > 0 {
		var out []Value
		for _, name := range sortedFields(o.Fields) {
			out = append(out, it.get(o.Fields[name]))
		}
		return out
	}
	if h.Recv != "" && len(o.Lib.Args) > 0 {
		return o.Lib.Args[1:]
	}
	return o.Lib.Args
}

// builtCheck keeps a check that a health library builds, whatever its type.
func (it *Interp) builtCheck(s *site) Value {
	pos, end := sitePos(s)
	make1 := func(t types.Type) Value {
		o := it.object(Library, t, pos)
		o.Lib, o.end = &Lib{Path: s.path, Name: s.name, Args: s.args}, end
		if s.method {
			o.Lib.Name, o.Lib.Args = s.recvT+"."+s.name, append([]Value{s.recv}, s.args...)
		}
		return termValue(o, t)
	}
	tup, ok := s.result.(*types.Tuple)
	if !ok {
		return make1(s.result)
	}
	var v Value
	for i := range tup.Len() {
		if i == 0 {
			v.Tuple = append(v.Tuple, make1(tup.At(i).Type()))
		} else {
			v.Tuple = append(v.Tuple, unknown(tup.At(i).Type(), nil))
		}
	}
	return v
}

// sameBuilt reports two checks that were built by one call from the same things.
func sameBuilt(a, b Value) bool {
	x, y := libOf(a), libOf(b)
	if x == nil || y == nil || x.Path != y.Path || x.Name != y.Name || len(x.Args) != len(y.Args) {
		return false
	}
	for i := range x.Args {
		if !sameValue(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}

// runBuilt is one run of a check that a library built.
func (it *Interp) runBuilt(h knowledge.HealthCall, o *Object) Value {
	errT := types.Universe.Lookup("error").Type()
	switch {
	case h.Effect == knowledge.Mirror, h.Effect == knowledge.Local, h.Effect == knowledge.File:
		src := &Source{Kind: State, Name: lastSegment(h.Path) + "." + h.Name, Pos: o.Pos, Mirror: h.Effect == knowledge.Mirror}
		return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{src, 1}}, Type: errT}
	case !h.Effect.Waits() || !it.request && !it.background:
		return unknown(errT, nil)
	}
	e := &Effect{
		Kind: h.Kind, Name: it.askedBy(h, o), Callee: calleeOf1(h), Op: "ping", Pos: o.Pos, End: o.end, Scope: model.External, Shared: true,
		Background: it.background && !it.request, Every: it.every, Control: it.pc(), Via: it.via(&site{}), After: it.flushed(),
	}
	e.Stack = it.way(o.Pos, o.end)
	args := it.builtFrom(h, o)
	where := args
	if h.Kind == "grpc" {
		for _, a := range args {
			where = append(where[:len(where):len(where)], it.dialled(a, 0)...)
		}
	}
	for _, a := range where {
		t, ok := it.prefix(a)
		if ok && isLoopbackTarget(t, knowledge.Call{Kind: h.Kind}) {
			e.Scope, e.Shared, e.Target = model.Loopback, false, t
		} else if ok && e.Target == "" && strings.Contains(t, "://") {
			e.Target = t
		}
	}
	e.Bound = model.BoundNone
	lib := it.healthLibrary(h.Library)
	if ctx := it.req.ctx; h.Ctx >= 0 || strings.Contains(h.Sig, "func(ctx ") || lib.CheckCtx == "request" || lib.CheckCtx == "background" {
		if e.Bounds = ctx.Deadlines; len(e.Bounds) > 0 {
			e.Bound = model.BoundDeadline
		} else if ctx.Root == RootRequest {
			e.Bound = model.BoundRequest
		}
	}
	if opt := it.answeringOf(args); !isZero(opt.limit) {
		e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], &Deadline{Dur: opt.limit, Pos: o.Pos, End: o.end, Client: true, born: it.stamp()})
		e.Bound = model.BoundDeadline
	}
	if h.Dur >= 0 && h.Dur < len(args) {
		e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], &Deadline{Dur: args[h.Dur], Pos: o.Pos, End: o.end, Client: true, born: it.stamp()})
		e.Bound = model.BoundDeadline
	} else if h.Limit > 0 && e.Bound != model.BoundDeadline {
		e.ClientLimit, e.Bound = h.Limit, model.BoundClient
	} else if e.Bound == model.BoundNone && len(it.req.ctx.Deadlines) == 0 {
		e.Bound = model.BoundUnknown // the library's code was not read
	}
	it.cur.add(&node{kind: nodeLeaf, eff: e})
	it.eng.effects = append(it.eng.effects, e)
	src := e.source()
	return Value{Open: true, Nil: mayNil | mayNonNil, L: Label{{src, 1}}, Text: Label{{src, 0}}, Type: errT}
}

func calleeOf1(h knowledge.HealthCall) string {
	if h.Recv != "" {
		return "(*" + h.Path + "." + h.Recv + ")." + h.Name
	}
	return h.Path + "." + h.Name
}

// askedBy is what people call what a built check asks.
func (it *Interp) askedBy(h knowledge.HealthCall, o *Object) string {
	for _, a := range it.builtFrom(h, o) {
		if d, ok := it.driverOf(a, 0); ok {
			if drv, ok := it.eng.kb.LookupDriver(d); ok {
				return drv.Display
			}
		}
	}
	if d, ok := it.eng.kb.LookupDriver(strings.TrimRight(lastSegment(h.Path), "0123456789")); ok {
		return d.Display
	}
	switch lastSegment(h.Path) + " " + h.Kind {
	case "mongo database":
		return "MongoDB"
	case "redis cache":
		return "Redis"
	case "rabbitmq queue":
		return "RabbitMQ"
	}
	switch h.Kind {
	case "http":
		return "HTTP service"
	case "grpc":
		return "gRPC service"
	case "tcp":
		return "TCP endpoint"
	case "dns":
		return "DNS"
	}
	return ""
}
