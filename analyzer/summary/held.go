package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// Conn is a client or connection that a request builds for itself.
type Conn struct {
	Pos, End token.Pos
	Callee   string
	Entry    string
	Name     string  // what people call the other side
	src      *Source // its constructor: +1 is the side on which that failed
	open     *Cell   // true from here until it is closed
	obj      *Object
	// Escapes: it is kept somewhere that outlives the request, or handed to code that was not read.
	Escapes bool
}

// Closed reports whether every way to the end of the request, but the one on which the constructor failed, closes it.
func (it *Interp) closed(c *Conn) bool {
	v := it.get(c.open)
	if v.Open {
		return false
	}
	for _, s := range v.Scalars {
		if s.C == nil || s.C.ExactString() != "true" {
			continue
		}
		failed := false
		for _, x := range s.L {
			failed = failed || x.Src == c.src && x.Sense > 0
		}
		if !failed {
			return false
		}
	}
	return true
}

// Body is a response of another service whose body has to be closed.
type Body struct {
	Effect  *Effect
	Closed  bool
	Escapes bool
}

// Stuck is a goroutine that can wait for ever to send its result.
type Stuck struct {
	Pos, End         token.Pos // the make of the channel
	ExitPos, ExitEnd token.Pos // the case that leaves without receiving
}

// held is what one request takes and has to give back.
type held struct {
	invoked  *Ctx // the context that a gRPC interceptor went on with
	conns    []*Conn
	bodies   []*Body
	stuck    []Stuck
	length   *Cell // bytes of constant body so far
	wrappers []KnownWrapper
	unsent   []Unexecuted
	write    *Source // of the errors of writing the answer
	flush    *Cell   // true where the response was flushed on the way here
	cacheSet *HeaderSet
	first    int // objects with this ID or a later one were made by the request
}

// holdsPool are the kinds of client whose constructor makes a pool or a socket.
func holdsPool(c knowledge.Call) bool {
	switch c.Kind {
	case "database", "cache", "queue", "grpc":
	default:
		return false
	}
	if c.Entry == "connect-client" || c.Entry == "net" || c.Op != "open" && c.Op != "connect" {
		return false
	}
	switch c.Effect {
	case knowledge.Lazy, knowledge.Connect, knowledge.Maybe:
		return c.Recv == "" || c.Name == "CreateSession"
	}
	return false
}

// connects notes a constructor that runs in the request, and gives its error a cause of its own.
func (it *Interp) connects(c knowledge.Call, s *site, v Value) Value {
	if !it.request {
		return v
	}
	if n := len(it.eng.effects); n > 0 && c.Effect.Waits() && it.eng.effects[n-1].Pos == posOf(s) {
		it.answered(it.eng.effects[n-1], v)
	}
	if !holdsPool(c) {
		return v
	}
	var obj *Object
	vals := v.Tuple
	if len(vals) == 0 {
		vals = []Value{v}
	}
	for _, t := range vals[0].Terms {
		if o, ok := t.(*Object); ok {
			obj = o
		}
	}
	if obj == nil {
		return v
	}
	pos, end := sitePos(s)
	k := &Conn{Pos: pos, End: end, Callee: s.callee(), Entry: c.Entry, obj: obj}
	if cl, ok := it.eng.kb.LookupClient(c.Entry); ok {
		k.Name = cl.Display
	}
	if d, ok := it.driverOf(termValue(obj, obj.Type), 0); ok {
		if drv, ok := it.eng.kb.LookupDriver(d); ok {
			k.Name = drv.Display
		}
	}
	k.src = &Source{Kind: Opaque, Name: s.short(), Pos: pos}
	for _, x := range v.L {
		if x.Src.Effect != nil && x.Src.Effect.Pos == pos {
			k.src = x.Src
		}
	}
	k.open = &Cell{Name: "connection", Type: types.Typ[types.Bool], Pos: pos, Init: ptr(boolValue(false))}
	it.put(k.open, boolValue(true))
	it.held.conns = append(it.held.conns, k)
	if n := len(v.Tuple); n > 1 && isErrorType(v.Tuple[n-1].Type) {
		t := append([]Value(nil), v.Tuple...)
		e := t[n-1]
		found := false
		for _, x := range e.L {
			if x.Src.Effect != nil && x.Src.Effect.Pos == pos {
				k.src, found = x.Src, true
			}
		}
		if !found {
			e.L = e.L.union(Label{{k.src, 1}})
			e.Nil, e.Open = mayNil|mayNonNil, true
		}
		t[n-1] = e
		v.Tuple = t
	}
	return v
}

// isClosing are the methods that give back what a client holds.
func isClosing(name string) bool {
	switch name {
	case "Close", "CloseNow", "Disconnect", "Release", "Quit", "Shutdown", "Destroy", "Stop", "Terminate", "MustClose":
		return true
	}
	return false
}

// gives notes a call that closes something, or hands it to code that is not read.
func (it *Interp) gives(s *site) {
	if !it.request || len(it.held.conns)+len(it.held.bodies) == 0 {
		return
	}
	if s.method && isClosing(s.name) {
		it.closes(s.recv)
		return
	}
	if s.fn != nil {
		if _, ok := it.eng.decls[s.fn]; ok {
			return
		}
	}
	if isReader(s.path) {
		return
	}
	for _, a := range s.args {
		for _, b := range it.held.bodies {
			if carriesBody(a) && a.L.Has(b.Effect) {
				b.Escapes = true
			}
		}
	}
}

// isReader are the packages of the standard library that read a body and leave it open.
func isReader(path string) bool {
	switch path {
	case "io", "io/ioutil", "bufio", "bytes", "fmt", "log", "log/slog", "strings", "errors", "net/http/httputil":
		return true
	}
	return strings.HasPrefix(path, "encoding/") || strings.HasPrefix(path, "compress/")
}

func carriesBody(v Value) bool {
	if p, n := typeName(v.Type); p == "net/http" && n == "Response" || p == "io" {
		return true
	}
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok {
			if p, n := typeName(o.Type); p == "net/http" && n == "Response" {
				return true
			}
		}
	}
	return false
}

// closes marks what a value is, or comes from, as given back.
func (it *Interp) closes(v Value) {
	for _, b := range it.held.bodies {
		if v.L.Has(b.Effect) {
			b.Closed = true
		}
	}
	for _, t := range v.Terms {
		for _, c := range it.held.conns {
			if t == Term(c.obj) {
				it.put(c.open, boolValue(false))
			}
		}
	}
}

// closesLater is a deferred call: what it closes is closed on every way from here on.
func (it *Interp) closesLater(call *ast.CallExpr) {
	if !it.request || len(it.held.conns) == 0 {
		return
	}
	ast.Inspect(call, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && isClosing(sel.Sel.Name) {
			it.closes(it.quiet(sel.X))
		}
		return true
	})
	for _, a := range call.Args { // a helper that is given what it closes
		it.closes(it.quiet(a))
	}
}

// keeps notes a store of a connection into something that outlives the request.
func (it *Interp) keeps(c *Cell, v Value) {
	if len(it.held.conns) == 0 || c.owner != nil {
		return
	}
	global := false
	if x, ok := c.Var.(*types.Var); ok && x.Pkg() != nil && x.Parent() == x.Pkg().Scope() {
		global = true
	}
	if !global && (c.of == 0 || c.of >= it.held.first) {
		return
	}
	for _, t := range v.Terms {
		for _, k := range it.held.conns {
			if t == Term(k.obj) {
				k.Escapes = true
			}
		}
	}
}

// answered notes the response of another service.
func (it *Interp) answered(e *Effect, v Value) {
	vals := v.Tuple
	if len(vals) == 0 {
		vals = []Value{v}
	}
	for _, x := range vals {
		if p, n := typeName(x.Type); p == "net/http" && n == "Response" {
			it.held.bodies = append(it.held.bodies, &Body{Effect: e})
			return
		}
	}
}

// sticks notes a select that can leave a goroutine alone with its result: the channel has no buffer, the goroutine sends
// plainly, and a case that waits for a timer or a context ends the wait.
func (it *Interp) sticks(s *ast.SelectStmt, waited []*Object, sp []*spawned) {
	if !it.request {
		return
	}
	var exit *ast.CommClause
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CommClause)
		if !ok || cc.Comm == nil {
			return // a default case: not this wait
		}
		if ch := recvExpr(cc.Comm); ch != nil {
			if v := it.quiet(ch); it.timerOf(v) != nil || isDone(v) {
				exit = cc
			}
		}
	}
	if exit == nil || !returns(exit) && !endsBody(it.frame.node, s) {
		return
	}
	for _, o := range waited {
		if o.unbuffered == nil || o.ID < it.held.first {
			continue
		}
		for _, p := range sp {
			if contains(p.plain, o) {
				it.held.stuck = append(it.held.stuck, Stuck{Pos: o.unbuffered.Pos(), End: o.unbuffered.End(), ExitPos: exit.Pos(), ExitEnd: exit.Colon})
			}
		}
	}
}

// returns reports a case that returns.
func returns(c *ast.CommClause) bool {
	for _, s := range c.Body {
		if _, ok := s.(*ast.ReturnStmt); ok {
			return true
		}
	}
	return false
}

// endsBody reports the last statement of a function: after it nothing receives.
func endsBody(fn ast.Node, s ast.Stmt) bool {
	var body *ast.BlockStmt
	switch fn := fn.(type) {
	case *ast.FuncDecl:
		body = fn.Body
	case *ast.FuncLit:
		body = fn.Body
	}
	return body != nil && len(body.List) > 0 && body.List[len(body.List)-1] == s
}

// plainSends are the channels that a goroutine's literal sends to outside a select.
func (it *Interp) plainSends(n ast.Node) []*Object {
	var out []*Object
	inSelect := map[ast.Stmt]bool{}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.CommClause:
			if x.Comm != nil {
				inSelect[x.Comm] = true
			}
		case *ast.SendStmt:
			if inSelect[x] {
				return true
			}
			id, ok := ast.Unparen(x.Chan).(*ast.Ident)
			if !ok {
				return true
			}
			if c := it.cellOf(it.info().ObjectOf(id)); c != nil {
				for _, t := range it.get(c).Terms {
					if o, ok := t.(*Object); ok {
						out = append(out, o)
					}
				}
			}
		}
		return true
	})
	return out
}

// way is the path from the handler to a call, innermost first.
func (it *Interp) way(pos, end token.Pos) []Step {
	var out []Step
	for f := it.frame; f != nil && len(out) < 16; f = f.caller {
		if f.node != nil {
			out = append(out, Step{Pkg: f.pkg, Node: f.node, Symbol: f.symbol, Pos: pos, End: end})
		}
		pos, end = f.callPos, f.callEnd
	}
	return out
}

// Connections are the clients that the request built for itself.
func (r *Result) Connections() []*Conn { return r.Interp.held.conns }

// IsClosed reports whether a connection is closed on every way.
func (r *Result) IsClosed(c *Conn) bool { return r.Interp.closed(c) }

// Bodies are the responses of other services.
func (r *Result) Bodies() []*Body { return r.Interp.held.bodies }

// Stuck are goroutines that the request can leave behind.
func (r *Result) Stuck() []Stuck { return r.Interp.held.stuck }
