package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

func (it *Interp) forStmt(s *ast.ForStmt, label string) flow {
	if s.Init != nil {
		it.stmt(s.Init)
	}
	if s.Cond == nil && s.Init == nil && s.Post == nil {
		return it.loopBody(label, s, nil, true, func() flow { return it.block(s.Body.List) })
	}
	return it.loopBody(label, s, func() Value {
		if s.Cond == nil {
			return unknown(types.Typ[types.Bool], nil)
		}
		return it.eval(s.Cond)
	}, false, func() flow {
		f := it.block(s.Body.List)
		if s.Post != nil && f&(flowNext|flowContinue) != 0 {
			it.stmt(s.Post)
		}
		return f
	})
}

// loopBody interprets a loop whose passes are not told apart: the body once, with stores that join.
func (it *Interp) loopBody(label string, n ast.Node, cond func() Value, endless bool, body func() flow) flow {
	every := it.every
	if it.background {
		if d := it.periodOf(n); d != nil {
			it.every = d
		}
	}
	defer func() { it.every = every }()

	lf := it.pushLoop(label, true)
	base := it.frame.pc
	var condL Label
	skip := endless
	if cond != nil {
		v := cond()
		if v.truthy() < 0 && isBool(v) {
			it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
			return flowNext
		}
		condL = v.L.blur()
	}
	it.frame.pc = base.union(condL)
	var f flow
	loop := it.collect(nodeLoop, func() { it.weakly(func() { f = body() }) })
	if !loop.empty() {
		it.cur.add(loop)
	}
	it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]

	ways := lf.breaks
	pc := base
	if !skip {
		ways = append(ways, exit{pc: base.union(condL)}) // no pass at all
	}
	ways = append(ways, lf.conts...)
	if f&flowNext != 0 {
		ways = append(ways, exit{cells: it.touched(lf.mark), pc: it.frame.pc})
	}
	exits := f & (flowReturn | flowExit)
	if endless && len(lf.breaks) == 0 {
		if exits == 0 {
			exits = flowExit
		}
		return exits
	}
	it.rollback(lf.mark)
	it.merge(ways)
	for _, w := range lf.breaks {
		pc = pc.union(w.pc)
	}
	if exits != 0 {
		pc = pc.union(it.frame.pc)
	}
	it.frame.pc = pc
	return exits | flowNext
}

// rangeStmt runs the body for each known element, else once for all.
func (it *Interp) rangeStmt(s *ast.RangeStmt, label string) flow {
	x := it.eval(s.X)
	if fn, ok := rangeFunc(it.typeOf(s.X)); ok {
		return it.rangeOverFunc(s, label, x, fn)
	}
	lists := 0
	var cells []*Cell
	var keys []Value
	exact := !x.Open && len(x.Terms) == 1
	for _, t := range x.Terms {
		o, ok := t.(*Object)
		if !ok || o.Items == nil {
			exact = false
			continue
		}
		lists++
		if isChan(o.Type) {
			exact = false
		}
		cells = append(cells, o.Items.List...)
		keys = append(keys, o.Items.Keys...)
		if o.Items.Any != nil {
			cells = append(cells, o.Items.Any)
			exact = false
		}
	}
	bind := func(i int, c *Cell) {
		key, val := unknown(nil, nil), unknown(nil, x.L)
		if i < len(keys) && len(keys) == len(cells) {
			key = keys[i]
		}
		if c != nil {
			val = it.get(c).withLabel(x.L)
		}
		if isInteger(it.typeOf(s.X)) || isChan(it.typeOf(s.X)) {
			key = val
		}
		it.bindRange(s, s.Key, key)
		it.bindRange(s, s.Value, val)
	}
	if len(cells) == 0 || len(cells) > maxUnroll || isChan(it.typeOf(s.X)) {
		if lists > 0 && exact && len(cells) == 0 && lists == 1 && !it.request {
			// an empty list: nothing runs, but a registration in the body counts once the list is filled
			return flowNext
		}
		every := it.every
		if it.background {
			if d := it.tickerOf(x); d != nil {
				it.every = d
			}
		}
		f := it.loopBody(label, s, nil, false, func() flow {
			var c *Cell
			if len(cells) > 0 {
				c = cells[0]
				for _, o := range cells[1:] {
					v := join(it.get(c), it.get(o))
					c = &Cell{Name: "element", Type: v.Type, Final: v, Hist: v, stored: true}
					it.store[c] = v
				}
			}
			bind(len(keys), c)
			return it.block(s.Body.List)
		})
		it.every = every
		return f
	}
	// each element in turn
	out := flow(0)
	lf := it.pushLoop(label, true)
	for i, c := range cells {
		bind(i, c)
		f := it.block(s.Body.List)
		out |= f & (flowReturn | flowExit)
		if len(lf.conts) > 0 {
			ways := lf.conts
			lf.conts = nil
			pc := it.frame.pc
			if f&flowNext != 0 {
				ways = append(ways, exit{cells: it.touched(lf.mark), pc: pc})
			}
			for _, w := range ways {
				pc = pc.union(w.pc)
			}
			it.rollback(lf.mark)
			it.merge(ways)
			it.frame.pc = pc
			f |= flowNext
		}
		if f&flowNext == 0 {
			it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
			return it.afterBreaks(lf, out, false)
		}
	}
	it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
	return it.afterBreaks(lf, out, true)
}

func (it *Interp) afterBreaks(lf *loopFrame, out flow, reached bool) flow {
	if len(lf.breaks) == 0 {
		if reached {
			out |= flowNext
		}
		return out
	}
	ways := lf.breaks
	pc := it.frame.pc
	if reached {
		ways = append(ways, exit{cells: it.touched(lf.mark), pc: pc})
	}
	for _, w := range lf.breaks {
		pc = pc.union(w.pc)
	}
	it.rollback(lf.mark)
	it.merge(ways)
	it.frame.pc = pc
	return out | flowNext
}

func (it *Interp) bindRange(s *ast.RangeStmt, e ast.Expr, v Value) {
	if e == nil {
		return
	}
	if s.Tok == token.DEFINE {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			if o := it.info().Defs[id]; o != nil {
				if v.Type == nil {
					v.Type = o.Type()
				}
				it.set(it.frame.declare(o), v)
			}
		}
		return
	}
	it.assignTo(e, v)
}

func (it *Interp) rangeOverFunc(s *ast.RangeStmt, label string, x Value, sig *types.Signature) flow {
	return it.loopBody(label, s, nil, false, func() flow {
		it.bindRange(s, s.Key, unknown(nil, x.L))
		it.bindRange(s, s.Value, unknown(nil, x.L))
		_ = sig
		return it.block(s.Body.List)
	})
}

func rangeFunc(t types.Type) (*types.Signature, bool) {
	if t == nil {
		return nil, false
	}
	s, ok := t.Underlying().(*types.Signature)
	return s, ok
}

func isChan(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// periodOf finds the pause of a background loop: time.Sleep, a ticker, time.After or a timer in its body.
func (it *Interp) periodOf(n ast.Node) *Deadline {
	var found *Deadline
	ast.Inspect(n, func(x ast.Node) bool {
		if found != nil {
			return false
		}
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			path, recv, name := it.calleeName(x)
			if path == "time" && recv == "" && (name == "Sleep" || name == "After" || name == "Tick" || name == "NewTimer") && len(x.Args) == 1 {
				found = &Deadline{Dur: it.quiet(x.Args[0]), Pos: x.Pos(), End: x.End()}
			}
			if path == "time" && recv == "Timer" && name == "Reset" && len(x.Args) == 1 {
				found = &Deadline{Dur: it.quiet(x.Args[0]), Pos: x.Pos(), End: x.End()}
			}
		case *ast.UnaryExpr:
			if x.Op == token.ARROW {
				if d := it.tickerOf(it.quiet(x.X)); d != nil {
					found = d
				}
			}
		}
		return true
	})
	return found
}

// quiet evaluates an expression without keeping its effects.
func (it *Interp) quiet(e ast.Expr) Value {
	var v Value
	mark := len(it.journal)
	it.collect(nodeSeq, func() { v = it.eval(e) })
	it.rollback(mark)
	return v
}

// tickerOf is the period of a ticker's channel.
func (it *Interp) tickerOf(v Value) *Deadline {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == "time" && len(o.Lib.Args) > 0 &&
			(o.Lib.Name == "NewTicker" || o.Lib.Name == "Tick" || o.Lib.Name == "After" || o.Lib.Name == "NewTimer") {
			return &Deadline{Dur: o.Lib.Args[0], Pos: o.Pos, End: o.Pos}
		}
	}
	return nil
}

// goStmt runs a goroutine's body as something that happens beside what follows.
func (it *Interp) goStmt(call *ast.CallExpr) {
	if !it.request && !it.goServes(call) {
		it.later(call, func() { it.call(call) })
		return
	}
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
		}
		return !found
	})
	return found
}

// later keeps a goroutine of start-up until a handler reads what it stores.
func (it *Interp) later(n ast.Node, run func()) {
	g := &goroutine{roots: it.mentioned(n)}
	frame := it.frame
	g.run = func() {
		saved, bg, serving, cur, weak := it.frame, it.background, it.serving, it.cur, it.weak
		it.frame, it.cur, it.background, it.serving = frame, &node{}, true, true
		it.spawnNode(run, n)
		it.detachAll()
		it.frame, it.background, it.serving, it.cur, it.weak = saved, bg, serving, cur, weak
		it.exited = false
	}
	it.eng.waiting = append(it.eng.waiting, g)
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
					for _, d := range it.eng.methodsNamed(fn.Name()) {
						out = append(out, d)
					}
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
	sp.node = it.collect(nodeSeq, func() { it.weakly(run) })
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
	par := &node{kind: nodePar}
	var rest []*spawned
	for _, s := range it.spawn {
		if only != nil && !contains(s.chs, only) {
			rest = append(rest, s)
			continue
		}
		par.add(s.node)
	}
	it.spawn = rest
	if !par.empty() {
		it.cur.add(par)
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
	f := it.frame
	// arguments are evaluated here, the call at the end; evaluating both at the end differs only for reassigned variables
	f.defers = append(f.defers, func() { it.call(call) })
}

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
	_ = pendingBefore
	var bs []branch
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
				if o, ok := t.(*Object); ok && o.Kind == List && isChan(o.Type) && it.request && !it.isLocalChan(o, waited) {
					l = l.with(Cause{it.anyItem(o, nil).source(), 0})
				}
			}
		}
		bs = append(bs, branch{l, func() flow {
			if cc.Comm != nil {
				it.stmt(cc.Comm)
			}
			return it.block(cc.Body)
		}})
	}
	if len(bs) == 0 {
		it.popLoop(lf, 0)
		return flowExit
	}
	return it.popLoop(lf, it.alternatives(bs))
}

// isLocalChan reports whether a channel was made by this request and is fed by it.
func (it *Interp) isLocalChan(o *Object, waited []*Object) bool { return contains(waited, o) }

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
			return &Deadline{Dur: o.Lib.Args[0], Pos: o.Pos, End: o.Pos}
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
