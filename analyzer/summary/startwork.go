package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// buildWork finds the first-party functions that do long work, and those that may wait for something, by direct calls
// alone: the interpreter enters the former at start-up even where nothing else leads there, and a skipped call of the
// latter is taken to wait.
func (x *Index) buildWork() scan {
	callers := map[ast.Node][]ast.Node{}
	var work, waits []ast.Node
	enter := func(d declRef) (func(ast.Node), func()) {
		node := ast.Node(d.decl)
		works, blocks, exec, sql := false, false, false, false
		look := func(n ast.Node) {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				blocks = blocks || n.Op == token.ARROW
			case *ast.SelectStmt:
				blocks = true
			case *ast.BasicLit:
				sql = sql || n.Kind == token.STRING && ddl(strings.Trim(n.Value, "`\""))
			case *ast.CallExpr:
				fn := calleeOf(d.pkg, n)
				if fn == nil {
					return
				}
				fn = fn.Origin()
				if t, ok := x.decls[fn]; ok {
					callers[t.decl] = append(callers[t.decl], node)
					return
				}
				path, _, name, ok := knowledge.NameOf(fn)
				if !ok {
					return
				}
				blocks = blocks || name == "Wait"
				exec = exec || strings.HasPrefix(name, "Exec")
				works = works || path == "time" && name == "Sleep" || longWork(path, name) != ""
			}
		}
		return look, func() {
			if works || exec && sql {
				work = append(work, node)
			}
			if blocks {
				waits = append(waits, node)
			}
		}
	}
	return scan{enter, func() {
		g := &graph{callers: callers}
		x.work, x.waits = g.reaching(work), g.reaching(waits)
	}}
}

// startWork reports a function that start-up enters only for the long work that it does before a listener is open, or for
// the pause that it makes after a signal.
func (it *Interp) startWork(d declRef) bool {
	return it.live() && (!it.serving && it.eng.life.thread == 0 || it.signaled) && it.depth < 12 && it.eng.work[d.decl]
}

// skips notes a call that is not interpreted.
func (it *Interp) skips(d declRef, s *site) {
	if it.live() && it.serving && (it.eng.waits[d.decl] || it.eng.work[d.decl]) {
		it.noteCall(MomentSkip, s)
	}
}

// atStart notes what a library does at start-up.
func (it *Interp) atStart(s *site) {
	if !it.live() {
		return
	}
	if op := longWork(s.path, s.name); op != "" {
		it.works(op, "", s)
		return
	}
	it.foreign(s)
}

// statementOf is the SQL text of a call, that of a schema change where there are several.
func statementOf(s *site) string {
	out := ""
	for _, a := range s.args {
		for _, x := range a.Scalars {
			if x.C == nil || x.C.Kind() != constant.String {
				continue
			}
			if t := constant.StringVal(x.C); out == "" && strings.ContainsRune(t, ' ') || ddl(t) {
				out = t
			}
		}
	}
	return out
}

// LoopOf says how often the statement at pos is run by the loops around it in its function: 1 without any, 0 where that is
// not known.
func LoopOf(p *load.Package, fn ast.Node, pos token.Pos) int {
	n := 1
	body := bodyOf(fn)
	if body == nil {
		return 1
	}
	ast.Inspect(body, func(x ast.Node) bool {
		if x == nil || pos < x.Pos() || pos >= x.End() {
			return x == nil || false
		}
		switch l := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt:
			n *= countOf(p, l)
		case *ast.RangeStmt:
			k := 0
			if tv, ok := p.Info.Types[l.X]; ok && tv.Value != nil {
				if v, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact {
					k = int(v)
				}
			}
			if c, ok := l.X.(*ast.CompositeLit); ok {
				k = len(c.Elts)
			}
			n *= k
		}
		return true
	})
	return n
}

// countOf is N of `for i := 0; i < N; i++`, 0 where it is something else.
func countOf(p *load.Package, l *ast.ForStmt) int {
	init, ok := l.Init.(*ast.AssignStmt)
	cond, ok2 := l.Cond.(*ast.BinaryExpr)
	_, ok3 := l.Post.(*ast.IncDecStmt)
	if !ok || !ok2 || !ok3 || len(init.Rhs) != 1 {
		return 0
	}
	num := func(e ast.Expr) (int, bool) {
		tv, ok := p.Info.Types[e]
		if !ok || tv.Value == nil {
			return 0, false
		}
		v, exact := constant.Int64Val(constant.ToInt(tv.Value))
		return int(v), exact
	}
	from, ok := num(init.Rhs[0])
	to, ok2 := num(cond.Y)
	if !ok || !ok2 {
		return 0
	}
	switch cond.Op {
	case token.LSS:
		return max(0, to-from)
	case token.LEQ:
		return max(0, to-from+1)
	}
	return 0
}
