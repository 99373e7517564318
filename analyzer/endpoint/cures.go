package endpoint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// What a fix adds to Go code, where one answer is right and the code around the place has the usual shape. nil otherwise: the
// finding then only says what to do.

// cured is a text for a place behind a node, on a line of its own that begins like the node's.
func (b *builder) cured(after ast.Node, line string) *model.Insertion {
	col := b.a.load.Fset.Position(after.Pos()).Column
	if col < 2 {
		return nil
	}
	end := after.End()
	return &model.Insertion{At: b.span(end, end), Text: "\n" + strings.Repeat("\t", col-1) + line, Behind: "}"}
}

// block is the innermost list of statements around a place in a function, with the index of the statement that holds it, and the
// node that the list belongs to.
func block(path []ast.Node) (list []ast.Stmt, at int, of ast.Node) {
	for i := len(path) - 1; i > 0; i-- {
		st, ok := path[i].(ast.Stmt)
		if !ok {
			continue
		}
		switch n := path[i-1].(type) {
		case *ast.BlockStmt:
			list, of = n.List, n
			if i > 1 {
				of = path[i-2]
			}
		case *ast.CaseClause:
			list, of = n.Body, n
		default:
			continue
		}
		for j, s := range list {
			if s == st {
				return list, j, of
			}
		}
		return nil, 0, nil
	}
	return nil, 0, nil
}

// inLoop reports a place that a loop of its function runs more than once.
func inLoop(path []ast.Node) bool {
	for _, n := range path {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		}
	}
	return false
}

// returnBehind is the return that a branch lacks behind its error answer, in a handler that returns nothing.
func (b *builder) returnBehind(w summary.Write) *model.Insertion {
	for _, s := range w.Stack {
		if !b.isHandler(s) {
			continue
		}
		if results := resultsOf(s.Node); results != nil && len(results.List) > 0 {
			return nil
		}
		path := pathTo(s.Node, s.Pos, s.End)
		list, at, of := block(path)
		if list == nil || at != len(list)-1 {
			return nil
		}
		if _, ok := list[at].(*ast.ExprStmt); !ok {
			return nil
		}
		switch of.(type) {
		case *ast.IfStmt, *ast.CaseClause:
		default:
			return nil
		}
		c := b.cured(list[at], "return")
		if c != nil {
			c.Behind = ")"
		}
		return c
	}
	return nil
}

func resultsOf(n ast.Node) *ast.FieldList {
	switch f := n.(type) {
	case *ast.FuncDecl:
		return f.Type.Results
	case *ast.FuncLit:
		return f.Type.Results
	}
	return nil
}

// closeBehind is the deferred Close of a response, behind the test of its error.
func (b *builder) closeBehind(e *summary.Effect) *model.Insertion {
	if len(e.Stack) == 0 {
		return nil
	}
	s := e.Stack[0]
	path := pathTo(s.Node, e.Pos, e.End)
	list, at, _ := block(path)
	if list == nil || at+1 >= len(list) || inLoop(path) {
		return nil
	}
	as, ok := list[at].(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 2 || len(as.Rhs) != 1 || ast.Unparen(as.Rhs[0]).Pos() != e.Pos {
		return nil
	}
	res, ok1 := as.Lhs[0].(*ast.Ident)
	err, ok2 := as.Lhs[1].(*ast.Ident)
	test, ok3 := list[at+1].(*ast.IfStmt)
	if !ok1 || !ok2 || !ok3 || res.Name == "_" || test.Init != nil || test.Else != nil || !isNotNil(test.Cond, err.Name) || !ends(test.Body.List) {
		return nil
	}
	return b.cured(test, "defer "+res.Name+".Body.Close()")
}

func isNotNil(e ast.Expr, name string) bool {
	c, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || c.Op != token.NEQ {
		return false
	}
	x, ok1 := c.X.(*ast.Ident)
	y, ok2 := c.Y.(*ast.Ident)
	return ok1 && ok2 && x.Name == name && y.Name == "nil"
}

// buffer is the room that an unbuffered channel needs, where one goroutine sends once.
func (b *builder) buffer(s summary.Stuck) *model.Insertion {
	p := b.a.load.PackageOf(s.Pos)
	if p == nil {
		return nil
	}
	for _, f := range p.Files {
		if s.Pos < f.Pos() || f.End() <= s.Pos {
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || s.Pos < fn.Pos() || fn.End() <= s.Pos || !sendsOnce(p, fn, s) {
				continue
			}
			return &model.Insertion{At: b.span(s.End-1, s.End-1), Text: ", 1"}
		}
	}
	return nil
}

// sendsOnce reports a channel on which one statement sends, outside of loops.
func sendsOnce(p *load.Package, fn *ast.FuncDecl, s summary.Stuck) bool {
	path := pathTo(fn, s.Pos, s.End)
	list, at, _ := block(path)
	if list == nil {
		return false
	}
	as, ok := list[at].(*ast.AssignStmt)
	if !ok || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
		return false
	}
	id, ok := as.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	ch := p.Info.ObjectOf(id)
	n := 0
	ast.Inspect(fn.Body, func(x ast.Node) bool {
		if st, ok := x.(*ast.SendStmt); ok {
			if to, ok := ast.Unparen(st.Chan).(*ast.Ident); ok && ch != nil && p.Info.ObjectOf(to) == ch {
				n++
				if inLoop(pathTo(fn, st.Pos(), st.End())) {
					n++
				}
			}
		}
		return true
	})
	return n == 1
}

// bounded is where a call that only the request ends can be given a deadline: before its statement, which takes the new
// context. The function has no names ctx or cancel of its own, and its file imports what is needed.
func (b *builder) bounded(e *summary.Effect) *model.CtxPlace {
	if e.Bound != model.BoundRequest || len(e.Stack) == 0 || e.Looped {
		return nil
	}
	s := e.Stack[0]
	path := pathTo(s.Node, e.Pos, e.End)
	list, at, _ := block(path)
	if list == nil || inLoop(path) || !imports(s.Pkg, e.Pos, "context", "time") || declares(s.Node, "ctx", "cancel") {
		return nil
	}
	var call *ast.CallExpr
	for _, n := range path {
		if c, ok := n.(*ast.CallExpr); ok && c.Pos() == e.Pos && c.End() == e.End {
			call = c
		}
	}
	if call == nil {
		return nil
	}
	for _, a := range call.Args {
		c, ok := a.(*ast.CallExpr)
		if !ok || len(c.Args) != 0 || !isContext(s.Pkg.Info.TypeOf(a)) {
			continue
		}
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Context" {
			return nil
		}
		col := b.a.load.Fset.Position(list[at].Pos()).Column
		start := list[at].Pos()
		return &model.CtxPlace{At: b.span(start, start), Indent: strings.Repeat("\t", col-1), Arg: b.span(a.Pos(), a.End()), Expr: types.ExprString(a)}
	}
	return nil
}

func isContext(t types.Type) bool { return t != nil && t.String() == "context.Context" }

func imports(p *load.Package, pos token.Pos, paths ...string) bool {
	for _, f := range p.Files {
		if pos < f.Pos() || f.End() <= pos {
			continue
		}
		for _, want := range paths {
			found := false
			for _, im := range f.Imports {
				found = found || im.Name == nil && im.Path.Value == `"`+want+`"`
			}
			if !found {
				return false
			}
		}
		return true
	}
	return false
}

// declares reports a function that uses one of the names.
func declares(fn ast.Node, names ...string) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			for _, x := range names {
				found = found || id.Name == x
			}
		}
		return !found
	})
	return found
}
