package summary

import (
	"go/ast"
	"go/token"
	"go/types"
)

func (it *Interp) forStmt(s *ast.ForStmt, label string) flow {
	if s.Init != nil {
		it.stmt(s.Init)
	}
	if s.Cond == nil && s.Init == nil && s.Post == nil {
		return it.loopBody(label, s, 1, nil, true, func() flow { return it.block(s.Body.List) })
	}
	if f, ok := it.passByPass(s, label); ok {
		return f
	}
	return it.loopBody(label, s, it.passes(s), func() Value {
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

// maxPasses bounds the passes of a loop that are added up.
const maxPasses = 64

// passes are those of `for i := a; i < b; i++` with known bounds, else 1.
func (it *Interp) passes(s *ast.ForStmt) int {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return 1
	}
	post, ok := s.Post.(*ast.IncDecStmt)
	if !ok || post.Tok != token.INC {
		return 1
	}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ && cond.Op != token.NEQ {
		return 1
	}
	name := func(e ast.Expr) types.Object {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return nil
		}
		return it.info().ObjectOf(id)
	}
	if o := name(init.Lhs[0]); o == nil || name(cond.X) != o || name(post.X) != o {
		return 1
	}
	from, ok := Int(it.quiet(init.Rhs[0]))
	to, ok2 := Int(it.quiet(cond.Y))
	if !ok || !ok2 {
		return 1
	}
	if cond.Op == token.LEQ {
		to++
	}
	return max(1, to-from)
}

// loopBody interprets a loop whose passes are not told apart: the body once, with stores that join.
func (it *Interp) loopBody(label string, n ast.Node, times int, cond func() Value, endless bool, body func() flow) flow {
	every, bg := it.every, it.background
	if it.background || !it.request && it.serving {
		if d := it.periodOf(n); d != nil { // main's own loop behind the listener is as good as a goroutine's
			it.every, it.background = d, true
		}
	}
	defer func() { it.every, it.background = every, bg }()

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
	since := it.eng.nextID
	loop := it.collect(nodeLoop, func() { it.weakly(func() { f = body() }) })
	loop.times, loop.since = min(times, maxPasses), since
	if times > 1 {
		loop.walk(func(e *Effect) { e.Loop = max(e.Loop, 1) * times })
	}
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
		ways = append(ways, exit{state: it.hence(), pc: it.frame.pc})
	}
	exits := f & (flowReturn | flowExit)
	if endless && len(lf.breaks) == 0 {
		if exits == 0 {
			exits = flowExit
		}
		return exits
	}
	it.merge(lf.mark, ways, lf.since, nil)
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
	if isFunc(it.typeOf(s.X)) {
		return it.rangeOverFunc(s, label, x)
	}
	if it.request && isNilOnly(x) && (isSlice(x.Type) || isMap(x.Type)) {
		return flowNext
	}
	times := 1
	if n, ok := Int(x); ok && isInteger(it.typeOf(s.X)) {
		if times = n; n <= 0 {
			return flowNext
		}
	}
	lists := 0
	var cells []*Cell
	var keys []Value
	seen := map[*Cell]bool{} // lists that grew from one share their elements
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
			it.joinAll(o) // it ends when those that send have ended
		}
		for i, c := range o.Items.List {
			if seen[c] {
				continue
			}
			seen[c] = true
			cells = append(cells, c)
			if i < len(o.Items.Keys) {
				keys = append(keys, o.Items.Keys[i])
			}
		}
		if o.Items.Any != nil && !seen[o.Items.Any] {
			seen[o.Items.Any] = true
			cells = append(cells, o.Items.Any)
			exact = false
		}
	}
	if exact && len(cells) > maxUnroll {
		times = len(cells)
	}
	bind := func(i int, c *Cell) {
		key, val := unknown(nil, nil), unknown(nil, x.L)
		if isMap(x.Type) {
			key.L = x.L
		}
		if i < len(keys) && len(keys) == len(cells) {
			key = keys[i]
		} else if exact && i < len(cells) && isSlice(x.Type) {
			key = intValue(i)
		}
		if c != nil {
			val = it.get(c).withLabel(x.L)
		}
		if isInteger(it.typeOf(s.X)) {
			val = unknown(nil, x.L) // a number below it
		}
		if isInteger(it.typeOf(s.X)) || isChan(it.typeOf(s.X)) {
			key = val
		}
		it.bindRange(s, s.Key, key)
		it.bindRange(s, s.Value, val)
	}
	if len(cells) == 0 || len(cells) > maxUnroll || len(cells)*max(1, it.unrolled) > maxUnrolled || isChan(it.typeOf(s.X)) {
		if lists == 1 && exact && len(cells) == 0 && (!it.request || isSlice(x.Type)) {
			return flowNext // an empty list. A map may be filled by what start-up does not show.
		}
		every := it.every
		if it.background {
			if d := it.tickerOf(x); d != nil {
				it.every = d
			}
		}
		f := it.loopBody(label, s, times, nil, false, func() flow {
			var c *Cell
			if len(cells) > 0 {
				c = cells[0]
				for _, o := range cells[1:] {
					v := join(it.get(c), it.get(o))
					c = &Cell{element: true, Name: "element", Type: v.Type, Final: &v, Hist: &v, stored: true}
					it.place(c, &v)
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
	outer := it.unrolled
	it.unrolled = max(1, outer) * len(cells)
	defer func() { it.unrolled = outer }()
	lf := it.pushLoop(label, true)
	for i, c := range cells {
		bind(i, c)
		f := it.block(s.Body.List)
		out |= f & (flowReturn | flowExit)
		f = it.continues(lf, f)
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
		ways = append(ways, exit{state: it.hence(), pc: pc})
	}
	for _, w := range lf.breaks {
		pc = pc.union(w.pc)
	}
	it.merge(lf.mark, ways, lf.since, nil)
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
				it.set(it.newVar(it.frame, o), v)
			}
		}
		return
	}
	it.assignTo(e, v)
}

func (it *Interp) rangeOverFunc(s *ast.RangeStmt, label string, x Value) flow {
	return it.loopBody(label, s, 1, nil, false, func() flow {
		it.bindRange(s, s.Key, unknown(nil, x.L))
		it.bindRange(s, s.Value, unknown(nil, x.L))
		return it.block(s.Body.List)
	})
}

func isFunc(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

func isSlice(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Slice)
	return ok
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
	mark, effects := len(it.journal), len(it.eng.effects)
	it.collect(nodeSeq, func() { v = it.eval(e) })
	it.rollback(mark)
	it.eng.effects = it.eng.effects[:effects]
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
