package summary

import (
	"go/ast"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// goStmt runs a goroutine's body as something that happens beside what follows.
func (it *Interp) goStmt(call *ast.CallExpr) {
	if !it.request && !it.goServes(call) {
		it.later(call, func() { it.call(call) })
		return
	}
	it.eng.life.began(call)
	it.spawnNode(func() { it.call(call) }, call)
}

// goServes reports a goroutine that start-up has to run now: it opens a listener, registers, or waits for a signal.
func (it *Interp) goServes(call *ast.CallExpr) bool {
	found := false
	pkg := it.frame.pkg
	ast.Inspect(call, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if fn, ok := pkg.Info.Uses[n].(*types.Func); ok {
				fn = fn.Origin()
				if d, ok := it.eng.decls[fn]; ok {
					found = found || it.eng.graph.serving[d.decl]
				} else {
					found = found || it.eng.serves(fn)
				}
			}
		case *ast.SelectorExpr:
			found = found || it.eng.servesBySelector(pkg, n)
		case *ast.UnaryExpr:
			found = found || takesSignal(pkg.Info, n)
		}
		return !found
	})
	return found
}

// later keeps a goroutine of start-up until a handler reads what it stores.
func (it *Interp) later(n ast.Node, run func()) {
	g := &goroutine{roots: it.mentioned(n), pkg: it.frame.pkg}
	g.call, _ = n.(*ast.CallExpr)
	it.keepFor(g, n, true, run)
}

// mentioned are the declarations and literals that a piece of code names.
func (it *Interp) mentioned(n ast.Node) []ast.Node {
	var out []ast.Node
	add := func(v Value) {
		for _, t := range v.Terms {
			switch t := t.(type) {
			case *Closure:
				out = append(out, t.Lit)
				out = append(out, it.namedIn(t.Pkg, t.Lit)...)
			case *Func:
				if d, ok := it.eng.decls[t.Fn.Origin()]; ok {
					out = append(out, d.decl)
				}
			}
		}
	}
	if call, ok := n.(*ast.CallExpr); ok {
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
			add(it.quiet(id))
		}
		for _, a := range call.Args {
			if _, ok := it.typeOf(a).(*types.Signature); ok {
				add(it.quiet(a))
			}
		}
	}
	return append(out, it.namedIn(it.frame.pkg, n)...)
}

func (it *Interp) namedIn(pkg *load.Package, n ast.Node) []ast.Node {
	var out []ast.Node
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			out = append(out, x)
		case *ast.Ident:
			if fn, ok := pkg.Info.Uses[x].(*types.Func); ok {
				if d, ok := it.eng.decls[fn.Origin()]; ok {
					out = append(out, d.decl)
				} else if isInterfaceMethod(fn) {
					out = append(out, it.eng.methodsNamed(fn.Name())...)
				}
			}
		}
		return true
	})
	return out
}

func (it *Interp) spawnNode(run func(), n ast.Node) {
	sp := &spawned{}
	bg, every, serving := it.background, it.every, it.serving
	pc := it.frame.pc
	outer := it.spawn
	it.spawn = nil
	if !it.request {
		it.background = true
		it.every = nil
	}
	chs := it.sendTargets(n)
	sp.plain = it.plainSends(n)
	sp.node = it.collect(nodeSeq, func() { it.beside(n, func() { it.weakly(run) }) })
	it.detachAll()
	it.spawn = outer
	it.background, it.every = bg, every
	if it.serving && !serving && it.request {
		it.serving = serving
	}
	it.frame.pc = pc
	it.exited = false
	sp.chs = chs
	sp.node.walk(func(e *Effect) { e.Parallel = true })
	it.spawn = append(it.spawn, sp)
}

// sendTargets are the channels that a goroutine's literal sends to or closes.
func (it *Interp) sendTargets(n ast.Node) []*Object {
	var out []*Object
	ast.Inspect(n, func(x ast.Node) bool {
		var ch ast.Expr
		switch x := x.(type) {
		case *ast.SendStmt:
			ch = x.Chan
		case *ast.CallExpr:
			if id, ok := x.Fun.(*ast.Ident); ok && id.Name == "close" && len(x.Args) == 1 {
				ch = x.Args[0]
			}
		}
		if ch == nil {
			return true
		}
		id, ok := ast.Unparen(ch).(*ast.Ident)
		if !ok {
			return true
		}
		c := it.cellOf(it.info().ObjectOf(id))
		if c == nil {
			return true
		}
		for _, t := range it.get(c).Terms {
			if o, ok := t.(*Object); ok {
				out = append(out, o)
			}
		}
		return true
	})
	return out
}

// joinAll waits for every goroutine that was started: they ran side by side until here.
func (it *Interp) joinAll(only *Object) {
	var par *node
	var rest []*spawned
	for _, s := range it.spawn {
		switch {
		case only != nil && !contains(s.chs, only):
			rest = append(rest, s)
			continue
		case s.beside != nil: // it ran while another was waited for
			s.beside.add(s.node)
			continue
		case par == nil:
			par = &node{kind: nodePar}
		}
		par.add(s.node)
	}
	it.spawn = rest
	if par != nil {
		it.cur.add(par)
		for _, s := range rest {
			if s.beside == nil {
				s.beside = par
			}
		}
	}
}

func contains(os []*Object, o *Object) bool {
	for _, x := range os {
		if x == o {
			return true
		}
	}
	return false
}

// detachAll marks what nothing waited for.
func (it *Interp) detachAll() {
	for _, s := range it.spawn {
		s.node.walk(func(e *Effect) { e.Detached = true })
		n := &node{kind: nodePar}
		n.add(s.node)
		it.cur.add(n)
	}
	it.spawn = nil
}

func (it *Interp) deferStmt(call *ast.CallExpr) {
	it.closesLater(call)
	f := it.frame
	for x := f; x != nil; x = x.parent {
		x.escapes = true // the call is evaluated when the function has ended
	}
	// arguments are evaluated here, the call at the end; evaluating both at the end differs only for reassigned variables
	f.defers = append(f.defers, func() { it.call(call) })
}
