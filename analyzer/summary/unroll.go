package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// maxIndexed bounds the passes of a counting loop that are told apart.
const maxIndexed = 8

// passByPass runs `for i := a; i < b; i++` and `for i := b; i >= a; i--` pass by pass where the bounds are known and the
// body takes elements by i: that is how a chain of middleware is built.
func (it *Interp) passByPass(s *ast.ForStmt, label string) (flow, bool) {
	values, o := it.counted(s)
	if o == nil || len(values) > maxIndexed || !indexes(s.Body, o, it.info()) || storesTo(s.Body, o, it.info()) {
		return 0, false
	}
	lf := it.pushLoop(label, true)
	c := it.newVar(it.frame, o)
	out := flow(0)
	for _, n := range values {
		it.set(c, constValue(constant.MakeInt64(n), o.Type(), s.Pos()))
		f := it.block(s.Body.List)
		out |= f & (flowReturn | flowExit)
		if f = it.continues(lf, f); f&flowNext == 0 {
			it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
			return it.afterBreaks(lf, out, false), true
		}
	}
	it.frame.loops = it.frame.loops[:len(it.frame.loops)-1]
	return it.afterBreaks(lf, out, true), true
}

// continues merges the ways that reached the end of a pass by continue.
func (it *Interp) continues(lf *loopFrame, f flow) flow {
	if len(lf.conts) == 0 {
		return f
	}
	ways := lf.conts
	lf.conts = nil
	pc := it.frame.pc
	if f&flowNext != 0 {
		ways = append(ways, exit{state: it.hence(), pc: pc})
	}
	for _, w := range ways {
		pc = pc.union(w.pc)
	}
	it.merge(lf.mark, ways, lf.since, nil)
	it.frame.pc = pc
	return f | flowNext
}

// counted are the values of a counting loop's variable, nil where they are not known.
func (it *Interp) counted(s *ast.ForStmt) ([]int64, types.Object) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 {
		return nil, nil
	}
	id, ok := init.Lhs[0].(*ast.Ident)
	if !ok {
		return nil, nil
	}
	o := it.info().Defs[id]
	is := func(e ast.Expr) bool {
		x, ok := ast.Unparen(e).(*ast.Ident)
		return ok && o != nil && it.info().Uses[x] == o
	}
	post, ok := s.Post.(*ast.IncDecStmt)
	cond, ok2 := s.Cond.(*ast.BinaryExpr)
	if !ok || !ok2 || !is(post.X) || !is(cond.X) {
		return nil, nil
	}
	from, ok := Int(it.quiet(init.Rhs[0]))
	to, ok2 := Int(it.quiet(cond.Y))
	if !ok || !ok2 {
		return nil, nil
	}
	step := int64(1)
	if post.Tok == token.DEC {
		step = -1
	}
	var out []int64
	for n := int64(from); len(out) <= maxIndexed; n += step {
		r, ok := compareConst(cond.Op, constant.MakeInt64(n), constant.MakeInt64(int64(to)))
		if !ok {
			return nil, nil
		}
		if !r {
			return out, o
		}
		out = append(out, n)
	}
	return nil, nil
}

// indexes reports whether the body takes an element by the variable.
func indexes(body *ast.BlockStmt, o types.Object, info *types.Info) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		if x, ok := n.(*ast.IndexExpr); ok {
			ast.Inspect(x.Index, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				found = found || ok && info.Uses[id] == o
				return !found
			})
		}
		return !found
	})
	return found
}

// storesTo reports whether the body changes the variable.
func storesTo(body *ast.BlockStmt, o types.Object, info *types.Info) bool {
	found := false
	is := func(e ast.Expr) {
		id, ok := ast.Unparen(e).(*ast.Ident)
		found = found || ok && info.Uses[id] == o
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				is(l)
			}
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				is(n.X)
			}
		}
		return !found
	})
	return found
}
