package summary

import (
	"go/ast"
	"go/types"
)

// maxSkippedSteps bounds what all skipped calls of a program may cost when handlers turn out to read what they store.
const maxSkippedSteps = 400_000

// maxResuming bounds how deep goroutines are followed that begin while another is caught up with.
const maxResuming = 3

// buildSpawning finds the first-party functions that lead to a go statement, or to a store.
func (x *Index) buildSpawning() scan {
	var spawns, stores []ast.Node
	enter := func(d declRef) (func(ast.Node), func()) {
		look := func(n ast.Node) {
			switch n := n.(type) {
			case *ast.GoStmt:
				spawns = append(spawns, d.decl)
			case *ast.CallExpr: // errgroup.Go(f), wg.Go(f), a pool's Submit(f), time.AfterFunc(d, f)
				for _, a := range n.Args {
					if isFunc(d.pkg.Info.TypeOf(a)) {
						spawns = append(spawns, d.decl)
						break
					}
				}
			}
		}
		return look, func() {}
	}
	return scan{enter, func() {
		for fns := range x.writers {
			for fn := range x.writers[fns] {
				if lit := x.enclosing[fn]; lit != nil {
					fn = lit
				}
				stores = append(stores, fn)
			}
		}
		x.spawning, x.storing = x.graph.reaching(spawns), x.graph.reaching(stores)
	}}
}

// putOff keeps a call that start-up does not enter, until a handler reads what it stores: behind an open listener it is
// work that goes on beside the handlers, before it the goroutines are that it starts.
func (it *Interp) putOff(d declRef, s *site) {
	g := it.eng
	switch {
	case it.request || it.background || s.e == nil || !it.live() || !g.storing[d.decl]:
		return
	case it.serving:
		w := &goroutine{roots: []ast.Node{d.decl}, skipped: true}
		it.keepFor(w, s.e, true, func() { it.enterDecl(d, s) })
	case g.spawning[d.decl]:
		w := &goroutine{roots: []ast.Node{d.decl}, skipped: true}
		it.keepFor(w, s.e, false, func() { it.enterDecl(d, s) })
	}
}

// keepFor keeps work of start-up for later, as a goroutine of its own or in the flow that it stood in.
func (it *Interp) keepFor(g *goroutine, n ast.Node, beside bool, run func()) {
	frame, signaled := it.frame, it.signaled
	for x := frame; x != nil; x = x.parent {
		x.escapes = true // the call is evaluated later
	}
	g.run = func() {
		saved, bg, serving, cur, weak, late := it.frame, it.background, it.serving, it.cur, it.weak, it.late
		now := it.signaled
		it.frame, it.cur, it.background, it.serving, it.late, it.signaled = frame, &node{}, beside, beside, true, signaled
		if beside {
			it.spawnNode(run, n)
		} else {
			it.weakly(run)
		}
		it.detachAll()
		it.frame, it.background, it.serving, it.cur, it.weak, it.late = saved, bg, serving, cur, weak, late
		it.signaled = now
		it.exited = false
	}
	if it.eng.resuming > 0 { // a goroutine that starts itself anew, or one that each of many turns starts
		if it.eng.resumed[n] || it.eng.resuming > maxResuming {
			return
		}
		it.eng.resumed[n] = true
	}
	g.choices = it.eng.life.choices
	it.eng.waiting = append(it.eng.waiting, g)
}

// asked are the causes of a label that are calls of other systems: what decides a verdict that is kept for later.
func asked(l Label) Label {
	var out Label
	for _, c := range l {
		if c.Src.Effect != nil {
			out = append(out, c)
		}
	}
	return out
}

// holdsOutcome reports a type whose values can be the outcome of a check: a word, a number, a boolean, an error, a time.
func holdsOutcome(t types.Type) bool {
	if t == nil {
		return true // an atomic's value, or the element of a list
	}
	if _, basic := t.Underlying().(*types.Basic); basic || isErrorType(t) || isTime(t) {
		return true
	}
	_, pointer := t.Underlying().(*types.Pointer)
	return pointer
}
