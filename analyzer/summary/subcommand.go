package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

// commandLine is the framework of what a process does for its arguments: its exit status is the answer, 200 for 0.
const commandLine = "command line"

// Subcommands are what the program does for a word on its command line, as routes whose pattern is that word: the commands of a
// command line library, and the branches that compare an argument with it.
func (g *Engine) Subcommands() []Flat {
	var out []Flat
	add := func(name string, h Value, pos, end token.Pos) {
		if name == "" || len(h.Terms) == 0 {
			return
		}
		m := &Mux{Library: commandLine, Pos: pos}
		r := &Route{Method: "EXEC", Pattern: stringValue(name, nil), Handlers: []Value{h}, Mux: m, Pos: pos, End: end, CallPos: pos}
		out = append(out, Flat{Route: r, Method: "EXEC", Pattern: name, Handler: h, Mux: m, Direct: true})
	}
	it := g.newInterp()
	it.request = true
	for _, o := range g.commandList {
		name := it.commandName(g.commands[o])
		for _, f := range []string{"RunE", "Run", "Action"} {
			if c, ok := o.Fields[f]; ok {
				add(name, it.settled(c), o.Pos, o.Pos)
				break
			}
		}
	}
	for _, f := range g.main.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.IfStmt:
				if b, ok := ast.Unparen(n.Cond).(*ast.BinaryExpr); ok {
					if name, ok := argumentTest(g.main, b); ok {
						add(name, branchValue(g.main, n.Body), n.Body.Pos(), n.Body.End())
					}
				}
			case *ast.SwitchStmt:
				if n.Tag == nil || !isArgument(g.main, n.Tag) {
					return true
				}
				for _, s := range n.Body.List {
					c := s.(*ast.CaseClause)
					for _, e := range c.List {
						if name, ok := textOfExpr(g.main, e); ok {
							add(name, branchValue(g.main, &ast.BlockStmt{Lbrace: c.Colon, List: c.Body, Rbrace: c.End() - 1}), c.Pos(), c.End())
						}
					}
				}
			}
			return true
		})
	}
	return out
}

// branchValue is a branch as a function without parameters.
func branchValue(p *load.Package, body *ast.BlockStmt) Value {
	lit := &ast.FuncLit{Type: &ast.FuncType{Func: body.Lbrace, Params: &ast.FieldList{}}, Body: body}
	return Value{Terms: []Term{&Closure{Lit: lit, Pkg: p}}, Nil: mayNonNil}
}

// argumentTest is the text that a condition compares an argument with, alone or behind a test of how many there are.
func argumentTest(p *load.Package, b *ast.BinaryExpr) (string, bool) {
	switch b.Op {
	case token.LAND:
		for _, x := range []ast.Expr{b.X, b.Y} {
			if y, ok := ast.Unparen(x).(*ast.BinaryExpr); ok {
				if name, ok := argumentTest(p, y); ok {
					return name, true
				}
			}
		}
	case token.EQL:
		for _, x := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
			if isArgument(p, x[0]) {
				return textOfExpr(p, x[1])
			}
		}
	}
	return "", false
}

// isArgument reports os.Args[1] and flag.Arg(0).
func isArgument(p *load.Package, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		v, ok := p.Info.Uses[rootIdent(e.X)].(*types.Var)
		return ok && v.Pkg() != nil && v.Pkg().Path() == "os" && v.Name() == "Args"
	case *ast.CallExpr:
		fn, ok := p.Info.Uses[calleeIdent(e)].(*types.Func)
		return ok && fn.Pkg() != nil && fn.Pkg().Path() == "flag" && fn.Name() == "Arg"
	}
	return false
}

func textOfExpr(p *load.Package, e ast.Expr) (string, bool) {
	tv := p.Info.Types[e]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return "", false
	}
	name := strings.TrimLeft(constant.StringVal(tv.Value), "-")
	return name, name != "" && !strings.ContainsAny(name, " /")
}

// endsWell reports the end of a process that was started for a command and says that all is well; any other end is a failure, as a
// crash is.
func (it *Interp) endsWell(s *site) bool {
	if it.framework != commandLine || it.resp == nil || s.name != "Exit" {
		return false
	}
	code, ok := Int(s.arg(0))
	if !ok || code != 0 {
		return false
	}
	it.writeStatus(intValue(200), s)
	it.exited = true
	return true
}

// ForCommand reports a route that is a subcommand.
func (f Flat) ForCommand() bool { return f.Mux != nil && f.Mux.Library == commandLine }
