package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"sort"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

// Engine interprets one program: a main package and what it imports. Everything that start-up makes lives here.
type Engine struct {
	*Index
	main    *load.Package
	nextID  int
	globals map[*types.Var]*Cell
	byType  map[*types.TypeName][]*Object // the first maxByType of each
	visited map[ast.Node]bool
	handed  map[*Object]bool
	ages    map[*Source]*Age
	effects []*Effect
	inputs  map[string]*Source
	routes  []*Route
	servers []*Server
	literal []*Object // http.Server values
	orphans map[string]*Object
	defMux  *Object
	defCli  *Object
	shut    []Shutdown
	types   map[string]types.Type
	setup   *Interp
	busy    map[*types.Var]bool
	behind  map[any][]*Object
	looked  int // see maxLooks
	// satisfied remembers which types have the methods of which interfaces.
	satisfied map[pair]bool
	// instanced are the first-party types of which there are objects, as places in Index.named; reached is what calls of an
	// interface's method may reach.
	instanced []int
	reached   map[*types.Func]reached
	lits      map[*ast.FuncLit]bool
	caught    map[types.Object]bool
	synced    map[token.Pos]bool // calls that wait for a local copy and that start-up made before a port was open
	waiting   []*goroutine
	// skippedSteps is what skipped calls have cost.
	skippedSteps int
	// resuming counts the goroutines in hand that were left for later, resumed are the go statements met meanwhile.
	resuming int
	resumed  map[ast.Node]bool
	hooks    []*hook
	tooMany  int      // commands that were not run, because they were many
	gaps     []string // what keeps routes unknown
	// managers are those of controller-runtime, apiServer the GenericAPIServer of k8s.io/apiserver.
	managers  []*Object
	apiServer *Object
	// registries are the checks that package-level functions of a health library register, by library.
	registries map[string]*checkSet
	toldHealth map[string]Value // handlers for the endpoints of a library that opens its own listener
	// commands are those of a command line library, flags the flags by name, viper what it was told.
	commands    map[*Object]*command
	commandList []*Object
	flags       map[string]Scalar
	viper       *viperState
	names       []string // of commands
	ranCommands map[commandKey]bool
	life        life
	sweep       uint64 // number of the last pass over cells
	// given are the settings that lead to a listener, picks the functions that a setting picks from a map.
	given map[Cause]bool
	picks map[pickKey]Term
}

// Server is one listener.
type Server struct {
	Addr     Value
	Handler  Value
	TLS      bool
	Kind     string
	Pos      token.Pos
	End      token.Pos
	Started  bool
	Object   *Object
	Unserved bool // routes that no listener was seen to serve
	// Commands are the subcommands through which it is reached; empty: always.
	Commands []string

	catchAll *Route
}

// Shutdown is a call that stops a server.
type Shutdown struct {
	Pos, End token.Pos
	Callee   string
}

// Start interprets the start-up of a main package.
func Start(x *Index, main *load.Package) *Engine {
	g := &Engine{
		Index: x, main: main, globals: map[*types.Var]*Cell{}, byType: map[*types.TypeName][]*Object{}, visited: map[ast.Node]bool{},
		handed: map[*Object]bool{}, ages: map[*Source]*Age{}, inputs: map[string]*Source{}, orphans: map[string]*Object{},
		types: map[string]types.Type{}, lits: map[*ast.FuncLit]bool{}, caught: map[types.Object]bool{}, resumed: map[ast.Node]bool{}, busy: map[*types.Var]bool{}, satisfied: map[pair]bool{}, reached: map[*types.Func]reached{},
	}
	it := g.newInterp()
	g.setup = it
	pkgs := g.reachable()
	for _, p := range pkgs {
		g.enterPackage(it, p)
	}
	g.importedRoutes(it, pkgs)
	if fn, ok := main.Types.Scope().Lookup("main").(*types.Func); ok {
		g.run(it, main, fn)
	}
	it.frame = g.root(main, main.Path)
	it.runHooks()
	it.note(Moment{Kind: MomentEnd})
	it.aside(func() {
		g.leftCommands(it)
		g.missed(it, pkgs)
	})
	it.conclude(0)
	return g
}

func (g *Engine) newInterp() *Interp {
	it := &Interp{eng: g, own: map[*Cell]*Value{}, stack: map[ast.Node]int{}, cur: &node{}}
	return it
}

// root is a frame outside any function of a package.
func (g *Engine) root(p *load.Package, symbol string) *Frame {
	return &Frame{vars: map[types.Object]*Cell{}, pkg: p, symbol: symbol}
}

// reachable are the first-party packages that main imports, each after its imports.
func (g *Engine) reachable() []*load.Package {
	seen := map[string]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p.Path()] {
			return
		}
		seen[p.Path()] = true
		for _, q := range p.Imports() {
			if g.firstParty(q.Path()) {
				visit(q)
			}
		}
	}
	visit(g.main.Types)
	var out []*load.Package
	for _, p := range g.load.Packages {
		if p == g.main || seen[p.Path] && p.Name != "main" {
			out = append(out, p)
		}
	}
	return out
}

// enterPackage runs a package's variable initialisers and init functions.
func (g *Engine) enterPackage(it *Interp, p *load.Package) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if gd, ok := d.(*ast.GenDecl); ok && gd.Tok == token.VAR {
				for _, sp := range gd.Specs {
					for _, id := range sp.(*ast.ValueSpec).Names {
						if v, ok := p.Info.Defs[id].(*types.Var); ok {
							g.global(it, v)
						}
					}
				}
			}
		}
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "init" && fd.Body != nil {
				it.frame = g.root(p, p.Path)
				it.enter(p, fd, fd.Type, fd.Body, p.Path+".init", nil, nil, &site{})
				it.exited = false
			}
		}
	}
}

func (g *Engine) run(it *Interp, p *load.Package, fn *types.Func) {
	d, ok := g.decls[fn]
	if !ok || d.decl.Body == nil {
		return
	}
	it.frame = g.root(p, p.Path)
	it.enter(p, d.decl, d.decl.Type, d.decl.Body, g.symbolOf(d.decl), nil, nil, &site{})
	it.exited = false
	it.detachAll()
}

// global is the cell of a package variable; its initialiser is run when it is first asked for.
func (g *Engine) global(it *Interp, v *types.Var) *Cell {
	if c, ok := g.globals[v]; ok {
		return c
	}
	c := &Cell{Name: v.Name(), Pos: v.Pos(), Var: v, Type: v.Type()}
	g.globals[v] = c
	ref, ok := g.inits[v]
	if !ok {
		if v.Pkg() == nil || !g.firstParty(v.Pkg().Path()) {
			c.Init = ptr(unknown(v.Type(), nil))
			c.Final, c.Hist, c.stored = c.Init, c.Init, true
		}
		return c
	}
	run := it
	if it.request {
		run = g.setup
	}
	frame, cur, serving, bg, weak := run.frame, run.cur, run.serving, run.background, run.weak
	run.frame, run.cur, run.serving, run.background, run.weak = g.root(ref.pkg, ref.pkg.Path), &node{}, false, false, 0
	run.declaring++
	run.valueSpec(ref.spec, func(id *ast.Ident) *Cell {
		o, _ := ref.pkg.Info.Defs[id].(*types.Var)
		if o == nil {
			return nil
		}
		if o == v {
			return c
		}
		if x, ok := g.globals[o]; ok {
			return x
		}
		x := &Cell{Name: o.Name(), Pos: o.Pos(), Var: o, Type: o.Type()}
		g.globals[o] = x
		return x
	})
	run.declaring--
	run.frame, run.cur, run.serving, run.background, run.weak = frame, cur, serving, bg, weak
	if it.request {
		c.Final = c.now
	}
	return c
}

func (x *Index) firstParty(path string) bool { _, ok := x.load.ByPath[path]; return ok }

func (g *Engine) symbolOf(n ast.Node) string { return g.symbols[n] }

// objectsOf are the objects of a first-party type that start-up made.
func (g *Engine) objectsOf(it *Interp, n *types.Named) []*Object {
	if n.Obj().Pkg() == nil || !g.firstParty(n.Obj().Pkg().Path()) {
		return nil
	}
	if !it.request && it != g.setup {
		return nil
	}
	return g.byType[n.Origin().Obj()]
}

func (g *Engine) inputSource(name string) *Source {
	s := g.inputs[name]
	if s == nil {
		s = &Source{Kind: Input, Name: name}
		g.inputs[name] = s
	}
	return s
}

func (g *Engine) defaultMux(it *Interp) *Object {
	if g.defMux == nil {
		g.defMux = it.newRouter("net/http", g.namedType("net/http", "ServeMux"), token.NoPos)
	}
	return g.defMux
}

func (g *Engine) defaultClient(it *Interp) *Object {
	if g.defCli == nil {
		g.defCli = it.object(Plain, g.namedType("net/http", "Client"), token.NoPos)
		g.defCli.Lib = &Lib{Path: "net/http", Name: "Client"}
	}
	return g.defCli
}

// namedType finds a type of a package that some first-party package imports.
func (g *Engine) namedType(path, name string) types.Type {
	key := path + "." + name
	if t, ok := g.types[key]; ok {
		return t
	}
	var t types.Type
	for _, p := range g.load.Packages {
		if p.Types == nil {
			continue
		}
		for _, q := range p.Types.Imports() {
			if q.Path() == path {
				if o := q.Scope().Lookup(name); o != nil {
					t = o.Type()
				}
			}
		}
		if t != nil {
			break
		}
	}
	g.types[key] = t
	return t
}

func (g *Engine) noteRoute(_ *Interp, r *Route) { g.routes = append(g.routes, r) }

// made notes values that matter by being made: a server that a library will start, a command that it will run.
func (g *Engine) made(it *Interp, o *Object) {
	if o.Lib != nil && !it.request {
		g.noteCommand(o)
		it.noteCLIFlag(o)
	}
	if o.Lib != nil && o.Lib.Path == "net/http" && o.Lib.Name == "Server" {
		o.Kind = ServerObj
		g.literal = append(g.literal, o)
	}
}

func (g *Engine) storePos(v Value) token.Pos {
	for _, s := range v.Scalars {
		if s.Pos.IsValid() {
			return s.Pos
		}
	}
	return token.NoPos
}

// muxesOf are the routers that a handler value leads to: itself, what it wraps, or what its code hands the request to.
func (g *Engine) muxesOf(v Value) []*Object { return g.routersIn(v, true) }

// muxesOfRoute are those that the handler of a route leads to. Of handlers that serve one path alone only closures are looked
// into, as middleware makes them: a function or method of its own answers itself, and an API has hundreds of those.
func (g *Engine) muxesOfRoute(r *Route) []*Object {
	if len(r.Handlers) == 0 {
		return nil
	}
	return g.routersIn(r.Handlers[len(r.Handlers)-1], r.subtree())
}

// subtree reports whether a route can take more than one path.
func (r *Route) subtree() bool {
	p, known := r.Pattern.str()
	if !known { // a base path that is configured, and a path of its own behind it
		p = strings.TrimPrefix(symbolicPattern(r.Pattern), "{prefix...}")
	}
	return r.Mount || r.CatchAll || p == "" || strings.HasSuffix(p, "/") || strings.ContainsAny(p, "*+") || strings.Contains(p, "...") || strings.Contains(p, ":path")
}

func (g *Engine) routersIn(v Value, subtree bool) []*Object {
	var out []*Object
	for _, t := range v.Terms {
		if f, ok := t.(*Func); ok && f.Recv != nil && (f.Fn.Name() == "ServeHTTP" || f.Fn.Name() == "Handler") { // as a function
			if _, own := g.decls[f.Fn.Origin()]; !own {
				out = append(out, g.routersIn(*f.Recv, subtree)...)
				continue
			}
		}
		if o, ok := t.(*Object); ok {
			switch {
			case o.Mux != nil:
				out = append(out, o)
				continue
			case o.Kind == HandlerOf && len(o.Wrap.Inner.Terms) > 0:
				out = append(out, g.routersIn(o.Wrap.Inner, subtree)...)
				continue
			}
		}
		if _, closure := t.(*Closure); closure || subtree {
			out = append(out, g.muxesBehind(t)...)
		}
	}
	return dedupObjects(out)
}

func dedupObjects(os []*Object) []*Object {
	seen := map[*Object]bool{}
	out := os[:0:0]
	for _, o := range os {
		if !seen[o] {
			seen[o] = true
			out = append(out, o)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].ID < out[j].ID })
	return out
}

func intValue(n int) Value {
	return constValue(constant.MakeInt64(int64(n)), types.Typ[types.Int], 0)
}
