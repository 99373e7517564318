package summary

import (
	"go/ast"

	"github.com/probelint/probelint/analyzer/load"
)

// goroutine is work that start-up begins and that leads to no listener. It is interpreted only when a handler reads
// something that it stores.
type goroutine struct {
	run   func()
	roots []ast.Node
	done  bool
	// skipped: a call of start-up that was not entered.
	skipped bool
	// call is that of the go statement, pkg where it stands.
	call *ast.CallExpr
	pkg  *load.Package
	// choices are those of start-up that led to it.
	choices []Choice
}

// catchUp runs the goroutines that store to a cell.
func (g *Engine) catchUp(c *Cell) {
	if c.Var == nil || g.caught[c.Var] || len(g.waiting) == 0 {
		return
	}
	g.caught[c.Var] = true
	var targets []ast.Node
	for w := range g.writers[c.Var] {
		targets = append(targets, w)
	}
	targets = append(targets, g.aliases.of(c)...)
	if len(targets) == 0 {
		return
	}
	for _, w := range targets {
		if d := g.enclosing[w]; d != nil {
			targets = append(targets, d)
		}
	}
	reach := g.graph.reaching(targets)
	for i := 0; i < len(g.waiting); i++ { // what runs may start more
		w := g.waiting[i]
		if w.done || w.skipped && g.skippedSteps > maxSkippedSteps {
			continue
		}
		for _, r := range w.roots {
			if reach[r] {
				w.done = true
				g.resuming++
				used := g.resume(w.run)
				g.resuming--
				if w.skipped {
					g.skippedSteps += used
				}
				break
			}
		}
	}
}

// resume runs start-up work later than it was begun, and tells how many steps that took.
func (g *Engine) resume(run func()) (used int) {
	it := g.setup
	steps := it.steps
	it.steps = max(0, maxSteps-maxLateSteps)
	mark := len(it.journal)
	from := it.steps
	it.aside(run)
	used = it.steps - from
	it.steps = steps
	it.conclude(mark)
	return used
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
	for _, fn := range g.aliases.of(c) {
		if !g.visited[fn] {
			return true
		}
	}
	return false
}

// nameOfAtomic ties an atomic's cell to the variable or field that holds it, so that its stores are found.
func (g *Engine) tieAtomic(it *Interp, s *site, c *Cell) {
	if s.e == nil {
		return
	}
	sel, ok := ast.Unparen(s.e.Fun).(*ast.SelectorExpr)
	if !ok {
		return
	}
	t := it.typeOf(sel.X)
	if t != nil && isPointerLike(t) {
		c.pointed = true
	}
	if n := namedOf(t); n != nil {
		c.pointee = n
	}
	if c.Var != nil {
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
