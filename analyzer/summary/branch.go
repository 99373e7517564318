package summary

import (
	"go/ast"
	"go/token"
)

func (it *Interp) ifStmt(s *ast.IfStmt) flow {
	if s.Init != nil {
		it.stmt(s.Init)
	}
	cond := it.decide(it.eval(s.Cond))
	if c := cond.truthy(); c != 0 && isBool(cond) {
		if c > 0 {
			return it.block(s.Body.List)
		}
		if s.Else != nil {
			return it.stmt(s.Else)
		}
		return flowNext
	}
	return it.alternatives([]branch{
		{cond.L, func() flow { return it.block(s.Body.List) }},
		{cond.L.negate(), func() flow {
			if s.Else != nil {
				return it.stmt(s.Else)
			}
			return flowNext
		}},
	})
}

func isBool(v Value) bool {
	c, ok := v.isConst()
	return ok && c.Kind().String() == "Bool"
}

// branch is one way of a decision with the control label it adds.
type branch struct {
	label Label
	run   func() flow
}

// alternatives runs branches from one state and merges what they leave.
func (it *Interp) alternatives(bs []branch) flow {
	base, since := it.frame.pc, it.eng.nextID
	alt := &node{kind: nodeAlt}
	var ways []exit
	out := flow(0)
	var exitLabel Label
	exited, fork := false, it.fork()
	for i, b := range bs {
		mark := len(it.journal)
		it.frame.pc = base.union(b.label)
		var f flow
		var n *node
		it.chooses(fork, i, func() { n = it.collect(nodeSeq, func() { f = b.run() }) })
		n.exits = f&flowNext == 0 && f&(flowReturn|flowExit) != 0
		alt.add(n)
		out |= f
		if f&flowNext != 0 {
			ways = append(ways, exit{state: it.hence(), pc: it.frame.pc})
		}
		if f&^flowNext != 0 {
			exited = true
		}
		exitLabel = exitLabel.union(it.frame.pc)
		it.rollback(mark)
	}
	if !alt.empty() {
		it.cur.add(alt)
	}
	it.merge(len(it.journal), ways, since, nil)
	switch {
	case len(ways) == 1 && exited:
		it.frame.pc = ways[0].pc
	case exited:
		it.frame.pc = exitLabel
	default:
		it.frame.pc = base
	}
	return out
}

func (it *Interp) switchStmt(s *ast.SwitchStmt, label string) flow {
	if s.Init != nil {
		it.stmt(s.Init)
	}
	var tag Value
	if s.Tag != nil {
		tag = it.eval(s.Tag)
	}
	lf := it.pushLoop(label, false)
	var bs []branch
	hasDefault := false
	var rest Label // what the earlier cases did not hold
	var def *ast.CaseClause
	decided := false
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		if cc.List == nil {
			hasDefault, def = true, cc
			continue
		}
		var l Label
		can, must := false, false
		for _, e := range cc.List {
			var m Value
			if s.Tag != nil {
				m = it.compare(token.EQL, tag, it.eval(e))
			} else {
				m = it.decide(it.eval(e))
			}
			switch t := m.truthy(); {
			case isBool(m) && t > 0:
				can, must = true, true
			case isBool(m) && t < 0:
			default:
				can = true
				l = l.union(m.L)
			}
		}
		if decided || !can {
			continue
		}
		body := it.caseBody(s.Body.List, cc)
		bs = append(bs, branch{l.union(rest), func() flow { return it.block(body) }})
		rest = rest.union(l.negate())
		if must {
			decided = true
		}
	}
	if !decided {
		if hasDefault {
			body := it.caseBody(s.Body.List, def)
			bs = append(bs, branch{rest, func() flow { return it.block(body) }})
		} else {
			bs = append(bs, branch{rest, func() flow { return flowNext }})
		}
	}
	f := it.alternatives(bs)
	return it.popLoop(lf, f)
}

// caseBody is a clause's body with the bodies that it falls through to.
func (it *Interp) caseBody(list []ast.Stmt, cc *ast.CaseClause) []ast.Stmt {
	body := cc.Body
	if len(body) == 0 {
		return body
	}
	if b, ok := body[len(body)-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
		for i, c := range list {
			if c == ast.Stmt(cc) && i+1 < len(list) {
				if next, ok := list[i+1].(*ast.CaseClause); ok {
					return append(body[:len(body)-1:len(body)-1], it.caseBody(list, next)...)
				}
			}
		}
	}
	return body
}

func (it *Interp) typeSwitch(s *ast.TypeSwitchStmt) flow {
	if s.Init != nil {
		it.stmt(s.Init)
	}
	var x ast.Expr
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x = a.Rhs[0]
	}
	ta, ok := ast.Unparen(x).(*ast.TypeAssertExpr)
	if !ok {
		return flowNext
	}
	v := it.eval(ta.X)
	lf := it.pushLoop("", false)
	var bs []branch
	hasDefault := false
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CaseClause)
		if !ok {
			continue
		}
		hasDefault = hasDefault || cc.List == nil
		bs = append(bs, branch{v.L.blur(), func() flow {
			if o := it.info().Implicits[cc]; o != nil {
				nv := v
				if len(cc.List) == 1 {
					nv = it.assertType(v, it.typeOf(cc.List[0]))
				}
				it.set(it.newVar(it.frame, o), nv)
			}
			return it.block(cc.Body)
		}})
	}
	if !hasDefault {
		bs = append(bs, branch{v.L.blur(), func() flow { return flowNext }})
	}
	return it.popLoop(lf, it.alternatives(bs))
}

func (it *Interp) pushLoop(label string, loop bool) *loopFrame {
	lf := &loopFrame{label: label, mark: len(it.journal), since: it.eng.nextID, isLoop: loop}
	it.frame.loops = append(it.frame.loops, lf)
	return lf
}

// popLoop merges the breaks of a switch or select into its end.
func (it *Interp) popLoop(lf *loopFrame, f flow) flow {
	it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
	if len(lf.breaks) == 0 {
		return f &^ flowBreak
	}
	ways := lf.breaks
	pc := it.frame.pc
	if f&flowNext != 0 {
		ways = append(ways, exit{state: it.hence(), pc: pc})
	}
	it.merge(lf.mark, ways, lf.since, nil)
	for _, w := range lf.breaks {
		pc = pc.union(w.pc)
	}
	it.frame.pc = pc
	return f&^flowBreak | flowNext
}

func (it *Interp) branch(s *ast.BranchStmt) flow {
	label := ""
	if s.Label != nil {
		label = s.Label.Name
	}
	for i := len(it.frame.loops) - 1; i >= 0; i-- {
		lf := it.frame.loops[i]
		if label != "" && lf.label != label {
			continue
		}
		switch s.Tok {
		case token.BREAK:
			lf.breaks = append(lf.breaks, exit{state: it.hence(), pc: it.frame.pc})
			return flowBreak
		case token.CONTINUE:
			if !lf.isLoop {
				continue
			}
			lf.conts = append(lf.conts, exit{state: it.hence(), pc: it.frame.pc})
			return flowContinue
		}
	}
	if s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH {
		return flowNext
	}
	return flowExit
}

// returnStmt is false where a call in it does not come back.
func (it *Interp) returnStmt(s *ast.ReturnStmt) bool {
	f := it.frame
	var v Value
	switch {
	case len(s.Results) == 0 && len(f.results) > 0:
		v = it.namedResults()
	case len(s.Results) == 1:
		v = it.eval(s.Results[0])
		if len(v.Tuple) == 1 {
			v = v.Tuple[0]
		}
	case len(s.Results) > 1:
		for _, r := range s.Results {
			v.Tuple = append(v.Tuple, it.eval(r))
		}
	}
	if it.exited {
		it.exited = false
		return false
	}
	if len(f.results) > 0 && len(s.Results) > 0 { // deferred functions may read and set named results
		vals := []Value{v}
		if len(f.results) > 1 {
			vals = it.tuple(v, len(f.results))
		}
		for i, c := range f.results {
			if i < len(vals) {
				it.set(c, vals[i])
			}
		}
	}
	f.exits = append(f.exits, exit{value: v, state: it.hence(), pc: f.pc})
	return true
}

func (it *Interp) namedResults() Value {
	f := it.frame
	if len(f.results) == 1 {
		return it.get(f.results[0])
	}
	var v Value
	for _, c := range f.results {
		v.Tuple = append(v.Tuple, it.get(c))
	}
	return v
}
