package summary

import (
	"go/ast"
)

// goroutine is work that start-up begins and that leads to no listener. It is interpreted only when a handler reads
// something that it stores.
type goroutine struct {
	run   func()
	roots []ast.Node
	done  bool
}

// catchUp runs the goroutines that store to a cell.
func (g *Engine) catchUp(c *Cell) {
	if c.Var == nil || g.caught[c.Var] || len(g.waiting) == 0 {
		return
	}
	g.caught[c.Var] = true
	writers := g.writers[c.Var]
	if len(writers) == 0 {
		return
	}
	var targets []ast.Node
	for w := range writers {
		targets = append(targets, w)
		if d := g.enclosing[w]; d != nil {
			targets = append(targets, d)
		}
	}
	reach := g.graph.reaching(targets)
	for _, w := range g.waiting {
		if w.done {
			continue
		}
		for _, r := range w.roots {
			if reach[r] {
				w.done = true
				g.resume(w.run)
				break
			}
		}
	}
}

// resume runs start-up work later than it was begun.
func (g *Engine) resume(run func()) {
	it := g.setup
	steps := it.steps
	it.steps = max(0, maxSteps-maxLateSteps)
	it.aside(run)
	it.steps = steps
	for c, v := range it.store {
		c.Final = v
	}
}

// mutatedElsewhere reports whether a cell is stored to by a function that start-up did not run: a handler, a callback.
func (g *Engine) mutatedElsewhere(c *Cell) bool {
	if c.Var == nil {
		return false
	}
	for fn := range g.writers[c.Var] {
		if _, ok := fn.(*ast.ValueSpec); ok {
			continue
		}
		if !g.visited[fn] {
			return true
		}
	}
	return false
}

// nameOfAtomic ties an atomic's cell to the variable or field that holds it, so that its stores are found.
func (g *Engine) tieAtomic(it *Interp, s *site, c *Cell) {
	if c.Var != nil || s.e == nil {
		return
	}
	sel, ok := ast.Unparen(s.e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	switch x := ast.Unparen(sel.X).(type) {
	case *ast.Ident:
		c.Var = it.info().Uses[x]
	case *ast.SelectorExpr:
		c.Var = it.info().Uses[x.Sel]
	}
	if c.Var != nil {
		c.Name, c.Pos = c.Var.Name(), c.Var.Pos()
	}
}
