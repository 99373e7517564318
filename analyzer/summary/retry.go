package summary

import (
	"go/ast"
	"go/constant"
	"go/token"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// Again is a loop or a library's call that makes a call more than once.
type Again struct {
	Pos, End token.Pos // the pause, or the library's call
	Seconds  float64   // of the pause, 0 where it is not constant
	Attempts int       // 0 where that is not known
	// Endless: nothing but a success ends it; Request: the end of the request does as well.
	Endless, Request bool
}

// AgainOf finds what repeats a call with pauses on the way from the handler to it.
func AgainOf(kb *knowledge.Base, stack []Step) (Again, bool) {
	for _, s := range stack {
		path := PathTo(s.Node, s.Pos, s.End)
		for i := len(path) - 1; i >= 0; i-- {
			switch n := path[i].(type) {
			case *ast.ForStmt:
				if p := pauseIn(s.Pkg, n.Body); p != nil {
					a := pause(s.Pkg, p)
					a.Attempts = countOf(s.Pkg, n)
					a.Endless = endless(n)
					return a, true
				}
			case *ast.RangeStmt:
				if p := pauseIn(s.Pkg, n.Body); p != nil {
					return pause(s.Pkg, p), true
				}
			case *ast.CallExpr:
				if fn := calleeOf(s.Pkg, n); fn != nil {
					path, recv, name, ok := knowledge.NameOf(fn)
					if w, known := kb.LookupWrapper(path, recv, name); ok && known && w.Role == knowledge.WrapRetry {
						return Again{Pos: n.Pos(), End: n.End()}, true
					}
				}
			}
		}
	}
	return Again{}, false
}

// pauseIn is the call in a loop's body that waits for a time.
func pauseIn(p *load.Package, body *ast.BlockStmt) *ast.CallExpr {
	var found *ast.CallExpr
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok || found != nil {
			return false
		}
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn := calleeOf(p, c); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "time" {
			switch fn.Name() {
			case "Sleep", "After", "NewTimer", "Tick":
				found = c
			}
		}
		return true
	})
	return found
}

func pause(p *load.Package, c *ast.CallExpr) Again {
	a := Again{Pos: c.Pos(), End: c.End()}
	if len(c.Args) == 1 {
		if tv, ok := p.Info.Types[c.Args[0]]; ok && tv.Value != nil {
			if n, exact := constant.Int64Val(constant.ToInt(tv.Value)); exact {
				a.Seconds = float64(n) / 1e9
			}
		}
	}
	return a
}

// endless reports a loop that nothing in its text ends but the outcome of what it repeats: it counts nothing, looks at no
// clock, and waits for no context.
func endless(l *ast.ForStmt) bool {
	if l.Post != nil {
		return false
	}
	bounded := false
	look := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IncDecStmt:
			bounded = true
		case *ast.AssignStmt:
			bounded = bounded || n.Tok != token.ASSIGN && n.Tok != token.DEFINE
		case *ast.SelectStmt, *ast.RangeStmt:
			bounded = true
		case *ast.SelectorExpr:
			switch n.Sel.Name {
			case "Done", "Err", "Since", "Now", "Until", "Deadline", "Before", "Load":
				bounded = true
			}
		}
		return !bounded
	}
	if l.Cond != nil {
		ast.Inspect(l.Cond, look)
	}
	ast.Inspect(l.Body, look)
	return !bounded
}
