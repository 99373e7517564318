package summary

import (
	"go/constant"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// locate finds what is asked, where that is written: a driver's name, an address.
func (it *Interp) locate(e *Effect, c knowledge.Call, s *site) {
	if c.Entry == "database/sql" || c.Kind == "database" {
		if d, ok := it.driverOf(s.recv, 0); ok {
			if drv, ok := it.eng.kb.LookupDriver(d); ok {
				e.Name = drv.Display
				if drv.File {
					e.Scope, e.Shared = model.FileSys, false
				}
			}
		}
	}
	if c.Effect == knowledge.File {
		e.Scope = model.FileSys
	}
	where := append(append([]Value(nil), s.args...), it.requestArgs(s)...)
	if c.Kind == "grpc" {
		where = append(where, it.dialled(s.recv, 0)...)
	}
	for _, a := range where {
		t, ok := it.prefix(a)
		if len(a.Scalars) > 0 && (len(a.Scalars) > 1 || a.Open) {
			own, other := false, a.Open
			for _, x := range a.Scalars {
				if t, ok := it.prefix(Value{Scalars: []Scalar{x}}); ok && isLoopbackTarget(t, c) {
					own = true
				} else {
					other = true
				}
			}
			if own && !other {
				e.Scope, e.Shared = model.Loopback, false
			}
			e.Doubt = e.Doubt || !ok && own && other // of alternatives that no setting decides
		}
		switch {
		case ok && isLoopbackTarget(t, c):
			e.Scope, e.Shared = model.Loopback, false
			e.Target = t
		case e.Target == "" && c.Kind == "http" && it.pattern(a) != "":
			e.Target = it.pattern(a)
		case ok && strings.Contains(t, "://") && e.Target == "":
			e.Target = t
		}
	}
	if strings.HasPrefix(c.Kind, "file") {
		e.Scope = model.FileSys
	}
}

func (it *Interp) requestArgs(s *site) []Value {
	var out []Value
	for _, a := range s.args {
		if lib := libOf(a); lib != nil && lib.Path == "net/http" && lib.Name == "Request" {
			out = append(out, lib.Args...)
		}
	}
	return out
}

// prefix is the text that a value starts with for this container, as far as it is known.
func (it *Interp) prefix(v Value) (string, bool) {
	if len(v.Scalars) == 1 && v.Scalars[0].Sym != nil && v.Scalars[0].Sym.Op == opConcat {
		text, known := "", false
		for _, a := range v.Scalars[0].Sym.Args {
			if a.Sym != nil && a.Sym.Op != opConcat {
				c, _, ok := (Value{Scalars: []Scalar{a}}).Resolve(it.vals)
				if !ok || c.Kind() != constant.String && c.Kind() != constant.Int {
					break
				}
			}
			t, ok := it.part(a)
			if !ok {
				break
			}
			text, known = text+t, true
			if a.Sym != nil && a.Sym.Op == opConcat {
				if _, _, whole := (Value{Scalars: []Scalar{a}}).Resolve(it.vals); !whole {
					break
				}
			}
		}
		return text, known
	}
	c, _, ok := v.Resolve(it.vals)
	if !ok || c.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c), true
}

// pattern is a joined address as people write it down: `$NAME` for a setting that no manifest says, `...` for a part of which
// nothing is known. It is empty where the value is known whole, or where no part is.
func (it *Interp) pattern(v Value) string {
	if len(v.Scalars) != 1 || v.Scalars[0].Sym == nil || v.Scalars[0].Sym.Op != opConcat {
		return ""
	}
	if _, _, whole := v.Resolve(it.vals); whole {
		return ""
	}
	var b strings.Builder
	known := false
	for _, p := range v.Scalars[0].Sym.parts(nil) {
		c, _, ok, _ := p.resolve(it.vals)
		switch {
		case ok && (c.Kind() == constant.String || c.Kind() == constant.Int):
			known = known || c.Kind() == constant.String && constant.StringVal(c) != ""
			b.WriteString(textOf(Scalar{C: c}))
		case p.Sym != nil && (p.Sym.Op == opEnv || p.Sym.Op == opFlag) && p.Sym.Name != "":
			b.WriteString("$" + p.Sym.Name)
		default:
			b.WriteString("...")
		}
	}
	if !known || !strings.Contains(b.String(), "/") {
		return ""
	}
	return b.String()
}

// part is the text of one part of a concatenation: a number is its digits ("localhost:" and a port).
func (it *Interp) part(a Scalar) (string, bool) {
	v := Value{Scalars: []Scalar{a}}
	if a.Sym == nil || a.Sym.Op != opConcat {
		if c, _, ok := v.Resolve(it.vals); ok && c.Kind() == constant.Int {
			return c.ExactString(), true
		}
	}
	return it.prefix(v)
}

func isLoopbackTarget(t string, c knowledge.Call) bool {
	if c.Kind != "http" && c.Kind != "tcp" && c.Kind != "grpc" && c.Kind != "dns" {
		return false
	}
	t = strings.TrimPrefix(strings.TrimPrefix(t, "http://"), "https://")
	for _, p := range []string{"localhost", "127.", "[::1]", "unix:", "unix", ":"} { // no host is this one
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}

// dialled are the addresses that the connection of a gRPC client was made with.
func (it *Interp) dialled(v Value, depth int) []Value {
	var out []Value
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil || depth > 4 {
			continue
		}
		if o.Lib.Path == "google.golang.org/grpc" {
			switch o.Lib.Name {
			case "Dial", "NewClient":
				out = append(out, o.Lib.Args[:min(1, len(o.Lib.Args))]...)
			case "DialContext":
				out = append(out, o.Lib.Args[min(1, len(o.Lib.Args)):min(2, len(o.Lib.Args))]...)
			}
			continue
		}
		for _, a := range o.Lib.Args {
			out = append(out, it.dialled(a, depth+1)...)
		}
	}
	return out
}

// bound finds what limits the wait of a call: deadlines of its context, of the client, or nothing.
func (it *Interp) bound(e *Effect, c knowledge.Call, client knowledge.Client, s *site) {
	ctxIdx := c.Ctx
	if ctxIdx < 0 && s.fn != nil {
		if sig, ok := s.fn.Type().(*types.Signature); ok && sig.Params().Len() > 0 && isContextType(sig.Params().At(0).Type()) {
			ctxIdx = 0
		}
	}
	var ctx *Ctx
	if ctxIdx >= 0 {
		ctx = it.ctxOf(s.arg(ctxIdx))
	}
	for _, a := range s.args { // http.Request carries its context
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o.Ctx != nil && o.Lib != nil && o.Lib.Name == "Request" {
				ctx = o.Ctx
			} else if ok && ctx == nil && ctxIdx < 0 {
				ctx = it.carried(o)
			}
		}
	}
	for _, t := range s.recv.Terms { // db.WithContext(ctx)
		if o, ok := t.(*Object); ok && ctx == nil {
			ctx = it.boundCtx(o, 0)
		}
	}
	if ctx == nil && ctxIdx < 0 {
		ctx = it.iterated(s.recv)
	}
	honors := client.Honors
	if honors == knowledge.CtxNo && client.CtxIf != "" && it.optionSet(s.recv, client.CtxIf, 0) {
		honors = knowledge.CtxYes
	}
	e.Bound = model.BoundNone
	if ctx != nil {
		if honors == knowledge.CtxNo {
			e.Ignored = ctx.Deadlines
		} else {
			e.Bounds = ctx.Deadlines
		}
		switch {
		case len(e.Bounds) > 0:
			e.Bound = model.BoundDeadline
		case ctx.Root == RootRequest && honors != knowledge.CtxNo:
			e.Bound = model.BoundRequest
		case ctx.Root == RootUnknown && honors != knowledge.CtxNo:
			e.Bound = model.BoundUnknown
		}
	}
	it.driverIgnores(e, ctx)
	if c.Kind == "grpc" {
		base := ctx
		if base == nil {
			base = &Ctx{}
		}
		if ds := it.intercepted(s.recv, base); len(ds) > 0 {
			e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], ds...)
			e.Bound = model.BoundDeadline
		}
	}
	if c.Dur >= 0 && c.Dur < len(s.args) {
		e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], &Deadline{Dur: s.arg(c.Dur), Pos: e.Pos, End: e.End, born: it.stamp()})
		e.Bound = model.BoundDeadline
		return
	}
	it.clientBounds(e, c, client, honors, s)
}

// clientBounds applies what is set where the client is made, else what the client does by itself.
func (it *Interp) clientBounds(e *Effect, c knowledge.Call, client knowledge.Client, honors knowledge.HonorsCtx, s *site) {
	entries := []string{c.Entry}
	own, hasDriver := it.driverClient(e)
	if hasDriver {
		entries = append(entries, own.Entry)
	}
	from := []Value{s.recv}
	if !s.method || s.recvT == "Script" {
		from = append(from, s.args...)
	}
	lim := it.limitsOf(entries, from...)
	connecting := c.Effect == knowledge.Connect || c.Op == "connect" || c.Op == "dial" || c.Op == "acquire"
	limited := false
	for _, scope := range scopesOf(connecting, lim.by) {
		for _, x := range lim.by[scope] {
			limited = true
			e.Bounds = append(e.Bounds[:len(e.Bounds):len(e.Bounds)], &Deadline{Dur: x.dur, Pos: x.pos, End: x.pos, Client: true, born: it.stamp()})
			e.Bound = model.BoundDeadline
		}
	}
	if limited {
		return
	}
	if !it.clientKnown(s) && e.Bound == model.BoundNone {
		e.Bound = model.BoundUnknown
	}
	e.Doubt = e.Doubt || lim.open && e.Bound == model.BoundNone
	limit := c.Limit
	if limit == 0 {
		limit = client.Limit(it.eng.version)
	}
	if limit == 0 && hasDriver && client.Honors == knowledge.CtxDepends {
		limit = own.Limit(it.eng.version)
	}
	if lim.off["read"] || lim.off["total"] {
		limit = 0
	}
	if limit > 0 && e.Bound != model.BoundDeadline {
		if e.Bound == model.BoundNone || e.Bound == model.BoundRequest && honors == knowledge.CtxNo {
			e.Bound = model.BoundClient
		}
		e.ClientLimit = limit
	}
}

// driverClient is the client behind database/sql and what is built on it.
func (it *Interp) driverClient(e *Effect) (knowledge.Client, bool) {
	if e.Kind != "database" {
		return knowledge.Client{}, false
	}
	name, ok := it.driverOf(e.Recv, 0)
	if !ok {
		return knowledge.Client{}, false
	}
	d, ok := it.eng.kb.LookupDriver(name)
	if !ok || d.Entry == "" || d.Entry == e.Entry {
		return knowledge.Client{}, false
	}
	return it.eng.kb.LookupClient(d.Entry)
}

// iterated is the context that a request gave to the query whose rows it goes through: Spanner's RowIterator keeps it.
func (it *Interp) iterated(v Value) *Ctx {
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Lib == nil || !it.request || o.ID < it.held.first {
			continue
		}
		_, name, _ := strings.Cut(o.Lib.Name, ".")
		if !strings.HasPrefix(name, "Query") && !strings.HasPrefix(name, "Read") && !strings.HasPrefix(name, "List") {
			continue
		}
		for _, a := range o.Lib.Args {
			for _, x := range a.Terms {
				if c, ok := x.(*Object); ok && c.Kind == Context && c.Ctx != nil {
					return c.Ctx
				}
			}
		}
	}
	return nil
}

// boundCtx is the context that a handle was bound to (gorm's WithContext).
func (it *Interp) boundCtx(o *Object, depth int) *Ctx {
	if o.Lib == nil || depth > 4 {
		return nil
	}
	for _, a := range o.Lib.Args {
		for _, t := range a.Terms {
			x, ok := t.(*Object)
			if !ok {
				continue
			}
			if x.Ctx != nil && x.Kind == Context {
				if strings.HasSuffix(o.Lib.Name, "WithContext") {
					return x.Ctx
				}
				continue
			}
			if c := it.boundCtx(x, depth+1); c != nil {
				return c
			}
		}
	}
	return nil
}

// optionSet reports whether an option of the client's construction is true.
func (it *Interp) optionSet(v Value, option string, depth int) bool {
	_, field, _ := strings.Cut(option, ".")
	if depth > 4 {
		return false
	}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		if c, ok := o.Fields[field]; ok {
			if b, ok := it.get(c).isConst(); ok && b.Kind() == constant.Bool && constant.BoolVal(b) {
				return true
			}
		}
		if o.Lib != nil {
			for _, a := range o.Lib.Args {
				if it.optionSet(a, option, depth+1) {
					return true
				}
			}
		}
	}
	return false
}

// clientKnown is false for a client of the standard library that comes from elsewhere: it may have a limit.
func (it *Interp) clientKnown(s *site) bool {
	switch s.path + "." + s.recvT {
	case "net/http.Client", "net.Dialer":
	default:
		return true // http.Get uses the default client, which has none
	}
	known := len(s.recv.Terms) > 0 && !s.recv.Open
	for _, t := range s.recv.Terms {
		o, ok := t.(*Object)
		known = known && ok && (o.Lib == nil || o.Lib.Path == s.path && o.Lib.Name == s.recvT)
	}
	return known
}

func number0(c constant.Value) constant.Value {
	if n := number(c); n != nil {
		return n
	}
	return constant.MakeInt64(0)
}
