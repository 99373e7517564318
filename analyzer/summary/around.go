package summary

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/probelint/probelint/analyzer/load"
)

// This file asks what stands around a call in the function that makes it.

// DirectlyFatal reports log.Fatal(call()), and a test of the call's error that does not tell http.ErrServerClosed apart.
func DirectlyFatal(p *load.Package, fn ast.Node, pos, end token.Pos) bool {
	path := PathTo(fn, pos, end)
	if len(path) > 1 {
		if c, ok := path[len(path)-2].(*ast.CallExpr); ok && reporter(p, c) == FateExits {
			return true
		}
	}
	if FateOf(p, fn, pos, end) != FateExits {
		return false
	}
	told := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "ErrServerClosed" {
			told = true
		}
		return !told
	})
	return !told
}

// NothingAfter reports whether what follows the call in its function only reports: no channel is closed, no context
// cancelled, nothing deferred.
func NothingAfter(p *load.Package, fn ast.Node, pos, end token.Pos) bool {
	body := bodyOf(fn)
	if body == nil {
		return false
	}
	behind := false
	for _, s := range body.List {
		if _, ok := s.(*ast.DeferStmt); ok {
			return false
		}
		if s.Pos() <= pos && end <= s.End() {
			behind = true
			if _, ok := s.(*ast.ForStmt); ok {
				return false
			}
			continue
		}
		if !behind {
			continue
		}
		switch fateOfList(p, []ast.Stmt{s}) {
		case FateLogged, FateDropped:
		default:
			return false
		}
	}
	return behind
}

// AsksInLoop reports a moment in a loop that goes on until something answers: without a counter, and with no comparison in
// it that could be one.
func AsksInLoop(m Moment) bool {
	for _, s := range m.Stack {
		for _, n := range PathTo(s.Node, s.Pos, s.End) {
			l, ok := n.(*ast.ForStmt)
			if !ok || l.Init != nil || l.Post != nil {
				continue
			}
			counted := false
			ast.Inspect(l, func(x ast.Node) bool {
				if b, ok := x.(*ast.BinaryExpr); ok {
					switch b.Op {
					case token.LSS, token.LEQ, token.GTR, token.GEQ:
						counted = true
					}
				}
				if sel, ok := x.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Done" || sel.Sel.Name == "Deadline" || sel.Sel.Name == "Before" || sel.Sel.Name == "After") {
					counted = true // it ends with a context or at a time
				}
				return !counted
			})
			if !counted {
				return true
			}
		}
	}
	return false
}

// Certain reports a moment that no branch stands before.
func Certain(m Moment) bool {
	for _, s := range m.Stack {
		path := PathTo(s.Node, s.Pos, s.End)
		for i, n := range path {
			switch n := n.(type) {
			case *ast.IfStmt:
				if i+1 < len(path) && path[i+1] != n.Init && path[i+1] != n.Cond {
					return false
				}
			case *ast.CaseClause, *ast.CommClause, *ast.SelectStmt:
				return false
			}
		}
	}
	return true
}

// IsDDL reports a statement that changes a schema.
func IsDDL(statement string) bool { return ddl(statement) }

// AssignedAt is the package variable or field that the result of a call is stored to, nil where there is none.
func AssignedAt(p *load.Package, fn ast.Node, pos, end token.Pos) types.Object {
	path := PathTo(fn, pos, end)
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ParenExpr, *ast.CallExpr:
			continue
		case *ast.AssignStmt:
			switch l := ast.Unparen(n.Lhs[0]).(type) {
			case *ast.Ident:
				if v, ok := p.Info.ObjectOf(l).(*types.Var); ok && v.Name() != "_" {
					return v // of the package, or one that a literal captures
				}
			case *ast.SelectorExpr:
				return p.Info.ObjectOf(l.Sel)
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// StoredBy are the fields and package variables that a function itself stores to.
func (x *Index) StoredBy(fn ast.Node) []types.Object {
	var out []types.Object
	for o, by := range x.writers {
		if !by[fn] {
			continue
		}
		if v, ok := o.(*types.Var); ok && (v.IsField() || v.Pkg() != nil && v.Parent() == v.Pkg().Scope()) {
			out = append(out, o)
		}
	}
	return out
}

// Reads reports whether a handler mentions a variable or field, itself or in the functions that it calls.
func (g *Engine) Reads(handler Value, o types.Object) bool {
	seen := map[ast.Node]bool{}
	var look func(p *load.Package, n ast.Node, depth int) bool
	look = func(p *load.Package, n ast.Node, depth int) bool {
		if n == nil || seen[n] || depth > 4 {
			return false
		}
		seen[n] = true
		found := false
		ast.Inspect(n, func(x ast.Node) bool {
			id, ok := x.(*ast.Ident)
			if !ok || found {
				return !found
			}
			switch u := p.Info.Uses[id].(type) {
			case *types.Var:
				found = types.Object(u) == o
			case *types.Func:
				if d, ok := g.decls[u.Origin()]; ok {
					found = look(d.pkg, d.decl, depth+1)
				}
			}
			return !found
		})
		return found
	}
	for _, t := range handler.Terms {
		switch t := t.(type) {
		case *Closure:
			if look(t.Pkg, t.Lit, 0) {
				return true
			}
		case *Func:
			if d, ok := g.decls[t.Fn.Origin()]; ok && look(d.pkg, d.decl, 0) {
				return true
			}
		case *Object:
			if t.Type == nil {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(t.Type)), true, nil, "ServeHTTP")
			if fn, ok := obj.(*types.Func); ok {
				if d, ok := g.decls[fn.Origin()]; ok && look(d.pkg, d.decl, 0) {
					return true
				}
			}
		}
	}
	return false
}

// Around is the name of the function that a literal stands in, "" for a declaration and in main.
func (g *Engine) Around(n ast.Node) string {
	d, ok := g.enclosing[n].(*ast.FuncDecl)
	if !ok || d.Name.Name == "main" || d.Name.Name == "init" {
		return ""
	}
	return g.symbolOf(d)
}

// Mentioned reports a function that main, an init function or the initialiser of a variable with a name leads to, by
// mention alone: one that it denies is dead code.
func (g *Engine) Mentioned(fn *ast.FuncDecl) bool {
	reach := g.graph.reaching([]ast.Node{fn})
	for n := range reach {
		d, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if d.Recv == nil && (d.Name.Name == "main" && g.infoOf[d] == g.main || d.Name.Name == "init") {
			return true
		}
	}
	for v, ref := range g.inits {
		if v.Name() == "_" {
			continue
		}
		found := false
		ast.Inspect(ref.spec, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok && !found {
				if f, ok := ref.pkg.Info.Uses[id].(*types.Func); ok {
					if d, ok := g.decls[f.Origin()]; ok && reach[d.decl] {
						found = true
					}
				}
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}
