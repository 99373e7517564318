package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// Cell is one place that holds a value: a variable, a field, an element.
type Cell struct {
	Name string
	Pos  token.Pos
	Var  types.Object // the variable or field, where there is one
	Type types.Type
	// Final is the value at the end of start-up, Hist the join of all values ever stored, Init the value before the first
	// store.
	Final, Hist, Init *Value
	stored            bool
	now               *Value // in start-up
	seen              uint64 // the last sweep over cells that met it, and
	slot              int32  // where it noted it
	// Late: stored to by a goroutine, by a handler, or after a listener was open. Such a cell is state.
	Late    bool
	src     *Source
	owner   *Frame // whose variable it is
	pointed bool   // an atomic that is reached through a pointer
	pointee types.Type
	born    int  // number of the variable, or of the object whose field it is; 0 where it was there before
	element bool // of a container: born with its first value
	of      int  // ID of the object whose field it is
	// Draining: stored to after a signal. Load: a number that goes up and down with the work.
	Draining, Load bool
	// StorePos is the last late store.
	StorePos token.Pos
}

// Source is what stands for the cell as a cause.
func (c *Cell) Source() *Source { return c.source() }

func (c *Cell) source() *Source {
	if c.src == nil {
		c.src = &Source{Kind: State, Cell: c, Name: c.Name, Pos: c.Pos}
	}
	return c.src
}

// ObjKind tells the objects apart that the interpreter knows the behaviour of.
type ObjKind uint8

// The kinds of object.
const (
	Plain        ObjKind = iota // a struct, first-party or not
	List                        // slice, array, map, channel: see Items
	Context                     // context.Context
	Router                      // a mux, router or group
	ServerObj                   // an HTTP or gRPC server
	Request                     // *http.Request of the probe
	Writer                      // http.ResponseWriter of the probe
	HandlerOf                   // a handler made by a library around another (TimeoutHandler, StripPrefix)
	MiddlewareOf                // a middleware made by a library
	GoError                     // a value made by errors.New and the like
	WebContext                  // gin.Context, echo.Context, fiber.Ctx
	Atomic                      // a sync/atomic value
	Library                     // any other object of a library
)

// Object is one allocation in one calling context.
type Object struct {
	ID     int
	Kind   ObjKind
	Type   types.Type
	Pos    token.Pos
	Fields map[string]*Cell
	Items  *Items
	Ctx    *Ctx
	Mux    *Mux
	Server *Server
	Lib    *Lib
	// unbuffered is the make of a channel without a buffer.
	unbuffered *ast.CallExpr
	Wrap       *Wrap
	Route      *Route       // of a builder chain (gorilla/mux)
	home       types.Object // the variable or field that an atomic lies in
	Signal     bool         // a channel or context that ends with a signal
	checks     *checkSet    // of a health library\'s object
	end        token.Pos
	when       Label // the settings under which start-up makes it
}

// Lib is an object of a library: the call that made it and its arguments.
type Lib struct {
	Path, Name string // import path and function or type
	Args       []Value
	Entry      string
}

// Items are the elements of a container. Exact: List holds all elements in order. Any is the join of elements whose place
// is not known.
type Items struct {
	List  []*Cell
	Keys  []Value
	Any   *Cell
	Exact bool
}

// Closure is a function literal with the frame it captured.
type Closure struct {
	Lit *ast.FuncLit
	Env *Frame
	Pkg *load.Package
	// when are the settings under which it is called.
	when Label
}

// Frame holds the variables of one activation.
type Frame struct {
	parent *Frame // lexically enclosing activation, for closures
	vars   map[types.Object]*Cell
	pkg    *load.Package
	symbol string
	node   ast.Node // FuncDecl or FuncLit

	caller  *Frame
	callPos token.Pos // in the caller
	callEnd token.Pos

	pc      Label // control label relative to the function's entry
	results []*Cell
	exits   []exit
	owned   []*Cell // all variables ever declared, until the function ends
	pend    int     // ways that waited at entry
	loops   []*loopFrame
	mark    int // journal length at entry
	since   int // last object at entry
	defers  []func()
	// escapes: a closure or a pointer may keep its variables.
	escapes bool
}

type loopFrame struct {
	label  string
	mark   int
	since  int
	breaks []exit
	conts  []exit
	isLoop bool
}

func (f *Frame) lookup(o types.Object) *Cell {
	for ; f != nil; f = f.parent {
		if c, ok := f.vars[o]; ok {
			return c
		}
	}
	return nil
}

func (f *Frame) declare(o types.Object) *Cell {
	c := &Cell{Name: o.Name(), Pos: o.Pos(), Var: o, Type: o.Type(), owner: f}
	f.vars[o] = c
	f.owned = append(f.owned, c)
	return c
}

func ptr(v Value) *Value { return &v }

func deref(v *Value) Value {
	if v == nil {
		return Value{}
	}
	return *v
}
