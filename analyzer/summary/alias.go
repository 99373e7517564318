package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// aliases tell which variables may be stored to through a pointer, and by whom: `*p = v`, `atomic.StoreInt32(p, 1)` and
// `p.Store(true)` name the pointer and not the variable.
type aliases struct {
	taken   map[types.Object]bool // variables and fields whose address is taken
	writers map[string][]ast.Node // functions that store through a pointer, by the type of what it points to
}

func newAliases() aliases {
	return aliases{taken: map[types.Object]bool{}, writers: map[string][]ast.Node{}}
}

// note looks at one node of a function.
func (a *aliases) note(p *load.Package, n ast.Node, fn ast.Node) {
	through := func(t types.Type) {
		if t == nil {
			return
		}
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			k := ptr.Elem().String()
			a.writers[k] = append(a.writers[k], fn)
		}
	}
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			if id := rootIdent(n.X); id != nil {
				if o := p.Info.Uses[id]; o != nil {
					a.taken[o] = true
				}
			}
		}
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			if s, ok := ast.Unparen(l).(*ast.StarExpr); ok {
				through(p.Info.TypeOf(s.X))
			}
		}
	case *ast.CallExpr:
		sel, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || !isMutator(sel.Sel.Name) {
			return
		}
		if t := p.Info.TypeOf(sel.X); isAtomic(namedOf(t)) {
			through(t)
			return
		}
		if fn, ok := p.Info.Uses[sel.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && len(n.Args) > 0 {
			if u, ok := ast.Unparen(n.Args[0]).(*ast.UnaryExpr); !ok || u.Op != token.AND {
				through(p.Info.TypeOf(n.Args[0]))
			}
		}
	}
}

// of are the functions that may store to a cell through a pointer.
func (a *aliases) of(c *Cell) []ast.Node {
	if !c.pointed && (c.Var == nil || !a.taken[c.Var]) {
		return nil
	}
	t := c.pointee
	if t == nil {
		t = c.Type
	}
	if c.Var != nil && t == nil {
		t = c.Var.Type()
	}
	if t == nil {
		return nil
	}
	return a.writers[t.String()]
}
