package summary

import (
	"go/ast"
	"go/token"
)

// selectStmt takes each case as possible. A case that waits for a timer or a context bounds the others.
func (it *Interp) selectStmt(s *ast.SelectStmt, label string) flow {
	lf := it.pushLoop(label, false)
	var race *Deadline
	hasDefault := false
	var waited []*Object
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		if cc.Comm == nil {
			hasDefault = true
			continue
		}
		ch := recvExpr(cc.Comm)
		if ch == nil {
			continue
		}
		v := it.eval(ch)
		if d := it.timerOf(v); d != nil {
			if race == nil {
				race = d
			}
		} else if !isDone(v) {
			for _, t := range v.Terms {
				if o, ok := t.(*Object); ok {
					waited = append(waited, o)
				}
			}
		}
	}
	pendingBefore := it.spawn
	if len(waited) > 0 && !hasDefault {
		n := it.collect(nodeSeq, func() {
			for _, o := range waited {
				it.joinAll(o)
			}
		})
		if !n.empty() {
			if race != nil {
				r := &node{kind: nodeRace, race: race}
				r.add(n)
				n = r
				race.Answer = true
			}
			it.cur.add(n)
		}
	}
	signal := it.awaitsAny(s)
	it.sticks(s, waited, pendingBefore)
	var bs []branch
	var others Label // the default is taken where no other case can be
	def := -1
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		l := Label(nil)
		if ch := recvExpr(cc.Comm); ch != nil {
			v := it.quiet(ch)
			l = v.L.blur()
			if it.timerOf(v) != nil || isDone(v) {
				// the deadline wins when what is waited for does not answer
				for _, o := range waited {
					for _, e := range it.effectsOf(o, pendingBefore) {
						l = l.with(Cause{e.source(), 1})
					}
				}
			}
			for _, t := range v.Terms {
				if o, ok := t.(*Object); ok && o.Kind == List && isChan(o.Type) && it.request && !it.isLocalChan(o, pendingBefore) {
					it.named(o, ch)
					l = l.with(Cause{it.anyItem(o, nil).source(), 0})
				}
			}
		}
		others = others.union(l.blur())
		if cc.Comm == nil {
			def = len(bs)
		}
		bs = append(bs, branch{l, func() flow {
			if it.request || cc.Comm == nil {
				if cc.Comm != nil {
					it.stmt(cc.Comm)
				}
				return it.block(cc.Body)
			}
			it.aside(func() { it.stmt(cc.Comm) })
			var f flow
			if signal != nil && signal != cc {
				it.aside(func() { f = it.block(cc.Body) }) // not what happens at a signal
			} else {
				f = it.block(cc.Body)
			}
			return f
		}})
	}
	if def >= 0 {
		bs[def].label = bs[def].label.union(others)
	}
	if len(bs) == 0 {
		it.popLoop(lf, 0)
		return flowExit
	}
	return it.popLoop(lf, it.alternatives(bs))
}

// isLocalChan reports whether a channel was made by this request and is fed by it.
func (it *Interp) isLocalChan(o *Object, sp []*spawned) bool {
	for _, s := range sp {
		if contains(s.chs, o) {
			return true
		}
	}
	return it.sentHere(o)
}

// named calls the elements of a channel as its variable is called.
func (it *Interp) named(o *Object, e ast.Expr) {
	c := it.anyItem(o, nil)
	id := rootIdent(e)
	if c.Name != "element" || id == nil {
		return
	}
	if v := it.info().ObjectOf(id); v != nil {
		c.Name, c.Pos = v.Name(), v.Pos()
	}
}

func (it *Interp) effectsOf(o *Object, sp []*spawned) []*Effect {
	var out []*Effect
	for _, s := range sp {
		if contains(s.chs, o) {
			s.node.walk(func(e *Effect) { out = append(out, e) })
		}
	}
	return out
}

func recvExpr(s ast.Stmt) ast.Expr {
	var e ast.Expr
	switch s := s.(type) {
	case *ast.ExprStmt:
		e = s.X
	case *ast.AssignStmt:
		if len(s.Rhs) == 1 {
			e = s.Rhs[0]
		}
	}
	if e == nil {
		return nil
	}
	if u, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}

// timerOf is the deadline that a timer's channel or a context's Done stands for.
func (it *Interp) timerOf(v Value) *Deadline {
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		if o.Lib != nil && o.Lib.Path == "time" && (o.Lib.Name == "After" || o.Lib.Name == "NewTimer") && len(o.Lib.Args) > 0 {
			return &Deadline{Dur: o.Lib.Args[0], Pos: o.Pos, End: o.Pos, born: o.ID}
		}
		if o.Kind == Context && o.Ctx != nil && len(o.Ctx.Deadlines) > 0 {
			return o.Ctx.Deadlines[len(o.Ctx.Deadlines)-1]
		}
	}
	return nil
}

func isDone(v Value) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Kind == Context {
			return true
		}
	}
	return false
}
