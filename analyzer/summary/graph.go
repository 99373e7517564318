package summary

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// graph is a coarse call graph over first-party declarations: an edge wherever one mentions another, interface methods by
// name. It only decides what start-up need not enter; precision comes from the interpreter.
type graph struct {
	callers map[ast.Node][]ast.Node // callee declaration -> declarations that mention it
	// serving reaches code that registers routes, opens listeners or stops them.
	serving map[ast.Node]bool
	// configuring reaches code that reads flags or fills a configuration.
	configuring map[ast.Node]bool
	// listening reaches code that opens a listener.
	listening map[ast.Node]bool
	byName    map[string][]ast.Node // methods by name
	storing   map[ast.Node]bool     // stores to a field, a package variable or a container itself
	// asking reaches a call that waits for another system.
	asking map[ast.Node]bool
	// dispatching reaches a ServeHTTP: a handler that hands the request on.
	dispatching map[ast.Node]bool
}

// scan is one question that is put to the body of every declaration. look is asked at each node of a body, left when it is
// behind; end when all are.
type scan struct {
	enter func(d declRef) (look func(ast.Node), left func())
	end   func()
}

// scanBodies walks the body of every declaration once for several questions.
func (x *Index) scanBodies(scans ...scan) {
	looks, lefts := make([]func(ast.Node), len(scans)), make([]func(), len(scans))
	for _, d := range x.decls {
		if d.decl.Body == nil {
			continue
		}
		for i, s := range scans {
			looks[i], lefts[i] = s.enter(d)
		}
		ast.Inspect(d.decl.Body, func(n ast.Node) bool {
			if n != nil {
				for _, look := range looks {
					look(n)
				}
			}
			return true
		})
		for _, left := range lefts {
			left()
		}
	}
	for _, s := range scans {
		s.end()
	}
}

// buildGraph builds the graph. It ends before what asks for it.
func (x *Index) buildGraph() scan {
	g := &graph{callers: map[ast.Node][]ast.Node{}, serving: map[ast.Node]bool{}, storing: map[ast.Node]bool{}}
	impl := newMethods()
	for fn, d := range x.decls {
		impl.add(fn, d.decl)
	}
	x.recvOf = impl.recvOf
	var seeds, handing, askers, opening, readers []ast.Node
	enter := func(d declRef) (func(ast.Node), func()) {
		seen := map[ast.Node]bool{}
		edge := func(to ast.Node) {
			if !seen[to] {
				seen[to] = true
				g.callers[to] = append(g.callers[to], d.decl)
			}
		}
		direct, asking, listens, reads := false, false, false, false
		look := func(n ast.Node) {
			id, ok := n.(*ast.Ident)
			if !ok {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						switch ast.Unparen(l).(type) {
						case *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
							g.storing[d.decl] = true
						}
					}
				case *ast.SelectorExpr:
					if x.servesBySelector(d.pkg, n) {
						direct, listens = true, true
					}
					if pn, ok := d.pkg.Info.Uses[rootIdent(n.X)].(*types.PkgName); ok && d.pkg.Info.Uses[n.Sel] == nil {
						x.noteStart(d.pkg, pn.Imported().Path(), "", n.Sel.Name, pn.Name()+"."+n.Sel.Name)
					}
				}
				return
			}
			fn, ok := d.pkg.Info.Uses[id].(*types.Func)
			if !ok {
				return
			}
			fn = fn.Origin()
			if t, ok := x.decls[fn]; ok {
				edge(t.decl)
				direct = direct || x.serves(fn)
				if fn.Name() == "ServeHTTP" {
					handing = append(handing, d.decl)
				}
				return
			}
			if fn.Name() == "ServeHTTP" {
				handing = append(handing, d.decl)
			}
			if path, recv, name, ok := knowledge.NameOf(fn); ok {
				x.noteStart(d.pkg, path, recv, name, shortName(fn))
			}
			direct, listens = direct || x.serves(fn), listens || x.listens(fn)
			asking = asking || x.asks(fn)
			reads = reads || readsConfig(fn)
			if isInterfaceMethod(fn) {
				for _, t := range impl.of(fn) {
					edge(t)
				}
			}
		}
		return look, func() {
			if direct {
				seeds = append(seeds, d.decl)
			}
			if reads {
				readers = append(readers, d.decl)
			}
			if listens {
				opening = append(opening, d.decl)
			}
			if asking {
				askers = append(askers, d.decl)
			}
		}
	}
	return scan{enter, func() {
		g.byName = impl.byName
		g.dispatching = g.reaching(handing)
		g.asking = g.reaching(askers)
		x.graph = g
		g.serving = g.reaching(seeds)
		g.listening = g.reaching(opening)
		g.configuring = g.reaching(readers)
	}}
}

// reaching are all declarations from which one of the targets is reached.
func (g *graph) reaching(targets []ast.Node) map[ast.Node]bool {
	out := map[ast.Node]bool{}
	todo := append([]ast.Node(nil), targets...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if out[n] {
			continue
		}
		out[n] = true
		todo = append(todo, g.callers[n]...)
	}
	return out
}

// serves reports an external function that registers, serves or stops.
func (x *Index) serves(fn *types.Func) bool {
	path, recv, name, ok := knowledge.NameOf(fn)
	if !ok {
		return false
	}
	if c, ok := x.kb.LookupRouter(path, recv, name); ok {
		switch c.Role {
		case knowledge.RouterWrite, knowledge.RouterCtx, knowledge.RouterParam, knowledge.RouterFlush:
			return false
		}
		return true
	}
	if _, ok := x.kb.LookupHealth(path, recv, name); ok {
		return true
	}
	if path == grpcPath && name == "RegisterService" || isCommandLib(path) && runsCommands(name) {
		return true
	}
	return path == "os/signal"
}

// readsConfig reports a function of a library for flags or configuration.
func readsConfig(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	p := fn.Pkg().Path()
	if p == "flag" || p == "github.com/spf13/pflag" {
		return true
	}
	for _, l := range configLibs {
		if strings.HasPrefix(p, l.prefix) {
			return true
		}
	}
	return false
}

// listens reports an external function that opens a listener.
func (x *Index) listens(fn *types.Func) bool {
	path, recv, name, ok := knowledge.NameOf(fn)
	if !ok {
		return false
	}
	if c, ok := x.kb.LookupRouter(path, recv, name); ok {
		return c.Role == knowledge.RouterServe
	}
	switch path {
	case "net":
		return strings.HasPrefix(name, "Listen")
	case "net/http", grpcPath:
		return strings.HasPrefix(name, "Listen") || strings.HasPrefix(name, "Serve")
	}
	if name == "Start" || name == "Run" || name == "NewManager" || name == "PrepareRun" || name == "Serve" {
		return strings.HasPrefix(path, controllerRuntime) || strings.HasPrefix(path, "k8s.io/apiserver")
	}
	c, ok := x.kb.LookupHealth(path, recv, name)
	return ok && (c.Role == knowledge.HealthServe || recv == "GenericAPIServer" || recv == "Manager")
}

// servingNames are the methods of the routers that a package imports, for those whose types are not known.
func (x *Index) servingNames(p *load.Package) map[string]bool {
	var out map[string]bool
	for _, f := range p.Files {
		for _, imp := range f.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil || path == "net/http" {
				continue
			}
			for _, name := range x.kb.ServingMethods(path) {
				if out == nil {
					out = map[string]bool{}
				}
				out[name] = true
			}
		}
	}
	return out
}

// servesBySelector is serves for a package whose types are not known.
func (x *Index) servesBySelector(p *load.Package, sel *ast.SelectorExpr) bool {
	if p.Info.Uses[sel.Sel] != nil {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return x.serving[p][sel.Sel.Name]
	}
	pn, ok := p.Info.Uses[id].(*types.PkgName)
	if !ok {
		return x.serving[p][sel.Sel.Name]
	}
	_, ok = x.kb.LookupRouter(pn.Imported().Path(), "", sel.Sel.Name)
	return ok
}

// worthEntering decides whether start-up goes into a function: where it leads to a listener, a route or a signal, where it
// makes something, or where it stores into what it is given. The rest of a program's work does not change what its health
// handlers are made of.
func (g *Engine) worthEntering(d declRef, s *site) bool {
	if g.graph.serving[d.decl] || g.graph.configuring[d.decl] {
		return true
	}
	if s.fn == nil {
		return true
	}
	sig, ok := s.fn.Type().(*types.Signature)
	if !ok {
		return true
	}
	for i := range sig.Results().Len() {
		if makesSomething(sig.Results().At(i).Type()) {
			return true
		}
	}
	return g.graph.storing[d.decl] || isConfigShaped(sig)
}

// isConfigShaped reports func(*T): a function that fills what it is given.
func isConfigShaped(sig *types.Signature) bool {
	for i := range sig.Params().Len() {
		if p, ok := types.Unalias(sig.Params().At(i).Type()).(*types.Pointer); ok && structOf(p.Elem()) != nil {
			return true
		}
	}
	return false
}

// makesSomething reports a result that handlers may hold: anything but an error and plain text without a name.
func makesSomething(t types.Type) bool {
	if isErrorType(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return makesSomething(u.Elem())
	case *types.Map:
		return makesSomething(u.Elem())
	}
	return true
}

// leadsToServing reports whether a function value is worth running as a goroutine or callback of start-up.
func (g *Engine) leadsToServing(t Term) bool {
	switch t := t.(type) {
	case *Func:
		d, ok := g.decls[t.Fn.Origin()]
		return ok && g.graph.serving[d.decl]
	case *Closure:
		return g.litServes(t)
	}
	return false
}

func (g *Engine) litServes(c *Closure) bool {
	if v, ok := g.lits[c.Lit]; ok {
		return v
	}
	found := false
	ast.Inspect(c.Lit.Body, func(n ast.Node) bool {
		if found {
			return false
		}
		switch n := n.(type) {
		case *ast.Ident:
			if fn, ok := c.Pkg.Info.Uses[n].(*types.Func); ok {
				fn = fn.Origin()
				if d, ok := g.decls[fn]; ok {
					found = found || g.graph.serving[d.decl]
				} else {
					found = found || g.serves(fn)
				}
			}
		case *ast.SelectorExpr:
			found = found || g.servesBySelector(c.Pkg, n)
		case *ast.UnaryExpr:
			// receiving: it may wait for a signal and then do something
		}
		return true
	})
	g.lits[c.Lit] = found
	return found
}

func (x *Index) methodsNamed(name string) []ast.Node { return x.graph.byName[name] }

// handsOn reports a handler that may hand the request to another.
func (g *Engine) handsOn(t Term) bool {
	found := false
	look := func(pkg *load.Package, n ast.Node) {
		ast.Inspect(n, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && !found {
				if id.Name == "ServeHTTP" {
					found = true
				}
				if fn, ok := pkg.Info.Uses[id].(*types.Func); ok {
					if d, ok := g.decls[fn.Origin()]; ok && g.graph.dispatching[d.decl] {
						found = true
					}
				}
			}
			return !found
		})
		// a handler that calls the handler it was given: next(w, r)
		ast.Inspect(n, func(x ast.Node) bool {
			if c, ok := x.(*ast.CallExpr); ok && !found && len(c.Args) == 2 {
				if v, ok := pkg.Info.Uses[calleeIdent2(c)].(*types.Var); ok && g.isHandlerType(v.Type()) {
					found = true
				}
			}
			return !found
		})
	}
	switch t := t.(type) {
	case *Closure:
		look(t.Pkg, t.Lit.Body)
	case *Func:
		if d, ok := g.decls[t.Fn.Origin()]; ok && d.decl.Body != nil {
			look(d.pkg, d.decl.Body)
		}
	case *Object:
		if t.Type == nil {
			return false
		}
		obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(t.Type)), true, nil, "ServeHTTP")
		if fn, ok := obj.(*types.Func); ok {
			if d, ok := g.decls[fn.Origin()]; ok && d.decl.Body != nil {
				look(d.pkg, d.decl.Body)
			} else {
				found = true // promoted from an embedded handler
			}
		}
	}
	return found
}

func calleeIdent2(c *ast.CallExpr) *ast.Ident {
	if id := calleeIdent(c); id != nil {
		return id
	}
	return &ast.Ident{}
}
