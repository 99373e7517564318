package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// Limits of one interpretation. Reaching one is said (Interp.cut), never hidden.
const (
	maxSteps     = 600_000
	maxLateSteps = 100_000
	maxHookSteps = 300_000
	maxJournal   = 2_000_000
	maxReqSteps  = 200_000
	maxLookSteps = 10_000
	maxLooks     = 24 // handlers of a program that were looked into up to that limit
	maxDepth     = 48
	maxRecursion = 2
	maxUnroll    = 24  // elements of one loop that are taken in turn
	maxUnrolled  = 256 // ... of nested loops together
	maxItems     = 48  // elements of a list that are told apart
	maxByType    = 8   // objects of one type that stand in for a receiver of which only the type is known
)

// Interp is one interpretation: of a program's start-up, or of one request.
type Interp struct {
	eng     *Engine
	request bool
	own     map[*Cell]*Value // what a request stored; see store.go
	journal []journalEntry
	ends    []*state  // ways that wait to be merged, by the place they continue
	recs    []changed // scratch of merge
	after   []int32

	frame *Frame
	cur   *node
	spawn []*spawned

	steps, depth int
	limit        int // of the command in hand; 0: none of its own
	// weak: stores join instead of replacing (goroutines, loops whose passes are not told apart), but for what was made
	// after weakFrom: it belongs to one pass.
	weak, weakFrom int
	// background is set while a goroutine of the start-up runs; every is the period of its innermost loop.
	background bool
	every      *Deadline
	// late is set while a goroutine runs because a handler reads what it stores: all of it is entered.
	late bool
	// serving: a listener is open, so what is stored from now on is state.
	serving bool
	// signaled: a signal has come.
	signaled bool
	// bounds are the deadlines that hold whatever context a call is given (middleware around the handler).
	stack map[ast.Node]int

	req      *ReqInfo
	respCell *Cell // the committed status of the response, a set of ints; 0 while it is open
	resp     *Response
	vals     Values
	cut      string
	unfollow []Unfollowed
	seenUnf  map[token.Pos]bool
	unrolled int  // passes of the loops around that are taken in turn
	exited   bool // the call in hand does not come back
	held     held

	// of frameworks: the chain of handlers and where it stands
	chain       []Value
	chainIdx    int
	abortCell   *Cell
	nextCell    *Cell // the rest of the chain was run
	pendingCell *Cell
	pending     Value
	framework   string
	errorsLeak  bool

	cachedBy       *LibCache
	commandNames   []string // the subcommand in hand
	opaqueWrappers int
	collectMuxes   func(*Object)
	userCtx        *Cell // what fiber's SetUserContext set
	declaring      int   // package variables in hand
	callbackCtx    *Ctx  // what a library gives the functions that it calls
	openRequest    bool  // nothing of the request is fixed: only routers are looked for
	// failing is the place of a call that fails in this request, whatever else happens.
	failing token.Pos
}

// Unfollowed is a call whose effect is not known and might matter.
type Unfollowed struct {
	Call, Why string
	Pos, End  token.Pos
}

func (it *Interp) info() *types.Info { return it.frame.pkg.Info }

// pc is the control label from the root of the interpretation down to here.
func (it *Interp) pc() Label {
	var l Label
	for f := it.frame; f != nil; f = f.caller {
		l = l.union(f.pc)
	}
	return l
}

func (it *Interp) get(c *Cell) Value {
	if v := it.now(c); v != nil {
		return *v
	}
	if it.request {
		return it.there(it.settled(c))
	}
	return it.initial(c)
}

// initial is what a cell holds before any store.
func (it *Interp) initial(c *Cell) Value {
	if c.Init == nil || isZero(*c.Init) {
		c.Init = ptr(zeroValue(c.Type))
	}
	return *c.Init
}

// settled is what a request finds in a cell after start-up.
func (it *Interp) settled(c *Cell) Value {
	it.eng.catchUp(c)
	if c.stored && !c.Late && !it.eng.mutatedElsewhere(c) {
		return deref(c.Final)
	}
	if !c.stored && !it.eng.mutatedElsewhere(c) {
		return it.initial(c)
	}
	v := deref(c.Hist)
	init := it.initial(c)
	if !c.stored || c.Late {
		v = join(v, init)
	}
	if it.eng.mutatedElsewhere(c) {
		v.Open = true
	}
	if len(v.Terms) > 0 && len(v.Scalars) == 0 && v.Nil == mayNonNil && !v.Open && !isTime(c.Type) {
		return v // an object that is there from the start and only replaced by another
	}
	return v.withLabel(Label{{c.source(), 0}})
}

func (it *Interp) set(c *Cell, v Value) {
	if v.Type == nil || c.Type != nil {
		v.Type = c.Type
	}
	it.keeps(c, v)
	given, now := &v, &v
	if !it.strong(c.born) {
		add := v
		if it.request && len(v.Scalars) > 0 {
			add = v.under(asked(it.pc())) // where it was there before, no other way of the branch will tell them apart
		}
		now = ptr(join(it.get(c), add))
	}
	it.write(c, now)
	if !it.request {
		if it.background && c.owner == nil && holdsOutcome(c.Type) {
			given = ptr(v.under(asked(it.pc()))) // what led to this store decides what handlers find
		}
		if c.Hist == nil {
			c.Hist = given
		} else if h := join(*c.Hist, *given); !h.shares(c.Hist) {
			c.Hist = ptr(h)
		}
		c.stored = true
		if it.background || it.serving {
			c.Late = true
			c.Draining = c.Draining || it.signaled
			c.StorePos = it.here()
		}
	}
}

// strong reports whether a store replaces what was there, for a cell or object of that number.
func (it *Interp) strong(born int) bool { return it.weak == 0 || born > it.weakFrom }

// stamp is the next number.
func (it *Interp) stamp() int {
	it.eng.nextID++
	return it.eng.nextID
}

// newVar declares a variable of an activation.
func (it *Interp) newVar(f *Frame, o types.Object) *Cell {
	c := f.declare(o)
	c.born = it.stamp()
	return c
}

// here is the position of the innermost call.
func (it *Interp) here() token.Pos {
	if it.frame == nil {
		return token.NoPos
	}
	return it.frame.callPos
}

// stepLimit is where the interpretation stops: its own limit, or that of one of several commands.
func (it *Interp) stepLimit() int {
	switch {
	case it.request:
		return maxReqSteps
	case it.limit > 0:
		return it.limit
	}
	return maxSteps
}

func (it *Interp) step() bool {
	it.steps++
	if it.steps > it.stepLimit() || len(it.journal) > maxJournal {
		if it.cut == "" {
			it.cut = "the analysis stopped after its limit of steps"
		}
		return false
	}
	return true
}

func (it *Interp) unfollowed(call, why string, n ast.Node) {
	if it.seenUnf == nil {
		it.seenUnf = map[token.Pos]bool{}
	}
	if it.seenUnf[n.Pos()] {
		return
	}
	it.seenUnf[n.Pos()] = true
	it.unfollow = append(it.unfollow, Unfollowed{call, why, n.Pos(), n.End()})
}

// seq runs f with its effects collected in a node of its own.
func (it *Interp) collect(kind nodeKind, f func()) *node {
	saved := it.cur
	n := &node{kind: kind}
	it.cur = n
	f()
	it.cur = saved
	return n
}

// object allocates.
func (it *Interp) object(kind ObjKind, t types.Type, pos token.Pos) *Object {
	it.eng.nextID++
	o := &Object{ID: it.eng.nextID, Kind: kind, Type: t, Pos: pos}
	if n := namedOf(t); n != nil && kind == Plain && !it.request {
		t := n.Origin().Obj()
		known := it.eng.byType[t]
		if len(known) == 0 {
			it.eng.makes(t)
		}
		if len(known) < maxByType {
			it.eng.byType[t] = append(known, o)
		}
	}
	if !it.request {
		o.when = it.chosen()
	}
	return o
}

// field is the cell of a field of an object, made when first asked for.
func (it *Interp) field(o *Object, name string, v types.Object, t types.Type) *Cell {
	if o.Fields == nil {
		o.Fields = map[string]*Cell{}
	}
	c := o.Fields[name]
	if c == nil {
		c = &Cell{Name: name, Type: t, Var: v, of: o.ID, born: o.ID}
		if v != nil {
			c.Pos = v.Pos()
		}
		o.Fields[name] = c
		if o.Kind == Library || o.Lib != nil {
			v := unknown(t, nil) // a library fills its own fields
			if p, n := typeName(t); p == "net/http" && n == "Client" {
				v.Terms = []Term{it.object(Library, t, o.Pos)} // whose own fields can be set
			}
			c.Init = &v
		}
		if x, ok := v.(*types.Var); ok && x.Embedded() && o.Mux != nil {
			c.Init = ptr(termValue(o, t)) // gin.Engine embeds its RouterGroup: the routes are the router's
		}
	}
	return c
}

// zeroValue is the value of a variable that nothing was stored to.
func zeroValue(t types.Type) Value {
	if t == nil {
		return unknown(nil, nil)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return Value{Scalars: []Scalar{{C: constant.MakeBool(false)}}, Type: t}
		case u.Info()&types.IsNumeric != 0:
			return Value{Scalars: []Scalar{{C: constant.MakeInt64(0)}}, Type: t}
		case u.Info()&types.IsString != 0:
			return Value{Scalars: []Scalar{{C: constant.MakeString("")}}, Type: t}
		}
		return unknown(t, nil)
	case *types.Pointer, *types.Interface, *types.Signature, *types.Slice, *types.Map, *types.Chan:
		return nilValue(t)
	}
	return unknown(t, nil)
}

func isTime(t types.Type) bool {
	p, n := typeName(t)
	return p == "time" && n == "Time"
}

// namedOf is the named type of t or of what it points to.
func namedOf(t types.Type) *types.Named {
	if t == nil {
		return nil
	}
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// typeName is the import path and name of a named type or of what it points to.
func typeName(t types.Type) (path, name string) {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil {
		return "", ""
	}
	return n.Obj().Pkg().Path(), n.Obj().Name()
}
