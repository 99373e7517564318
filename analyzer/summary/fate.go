package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

// Fate says what happens to the error of a call in the function that makes it.
type Fate uint8

// The fates. FateUsed stands for all that is none of the others, and for what was not understood.
const (
	FateUsed     Fate = iota
	FateDropped       // never looked at
	FateLogged        // only logged
	FateExits         // ends the process
	FateReturned      // handed to the caller
)

// FateOf is what becomes of the error of the call from pos to end in a function.
func FateOf(p *load.Package, fn ast.Node, pos, end token.Pos) Fate {
	path := PathTo(fn, pos, end)
	if len(path) == 0 {
		return FateUsed
	}
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.CallExpr:
			switch kind := reporter(p, n); kind {
			case FateExits, FateLogged:
				return kind
			}
			return FateUsed
		case *ast.ParenExpr:
			continue
		case *ast.GoStmt, *ast.ExprStmt:
			return FateDropped
		case *ast.ReturnStmt:
			return FateReturned
		case *ast.AssignStmt:
			return fateOfAssign(p, n, fn)
		default:
			return FateUsed
		}
	}
	return FateUsed
}

// fateOfAssign follows `err := call()` to the next statements.
func fateOfAssign(p *load.Package, s *ast.AssignStmt, fn ast.Node) Fate {
	id, ok := s.Lhs[len(s.Lhs)-1].(*ast.Ident)
	if !ok {
		return FateUsed
	}
	if id.Name == "_" {
		return FateDropped
	}
	o := p.Info.ObjectOf(id)
	if o == nil {
		return FateUsed
	}
	seen := map[Fate]bool{}
	var in []ast.Node
	ast.Inspect(bodyOf(fn), func(x ast.Node) bool {
		if x == nil {
			in = in[:len(in)-1]
			return true
		}
		in = append(in, x)
		if u, ok := x.(*ast.Ident); ok && u != id && u.Pos() > s.Pos() && p.Info.ObjectOf(u) == o {
			seen[fateOfUse(p, in)] = true
		}
		return true
	})
	for _, f := range []Fate{FateUsed, FateReturned, FateExits, FateLogged} {
		if seen[f] {
			return f
		}
	}
	return FateDropped
}

// fateOfUse is what one mention of an error does with it.
func fateOfUse(p *load.Package, in []ast.Node) Fate {
	for i := len(in) - 2; i >= 0; i-- {
		switch n := in[i].(type) {
		case *ast.CallExpr:
			if fn := calleeOf(p, n); fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "errors" && fn.Name() == "Is" {
				continue // a test: what it guards counts
			}
			if k := reporter(p, n); k != FateUsed {
				return k
			}
			if isErrorText(n) {
				continue
			}
			return FateUsed
		case *ast.BinaryExpr, *ast.UnaryExpr, *ast.ParenExpr, *ast.SelectorExpr:
			continue
		case *ast.IfStmt:
			return fateOfBranch(p, n)
		case *ast.ReturnStmt:
			return FateReturned
		default:
			return FateUsed
		}
	}
	return FateUsed
}

func isErrorText(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Error" && len(c.Args) == 0
}

// fateOfBranch is what `if err != nil { ... }` does: only log, end the process, or more.
func fateOfBranch(p *load.Package, n *ast.IfStmt) Fate {
	if n.Else != nil {
		return FateUsed
	}
	return fateOfList(p, n.Body.List)
}

func fateOfList(p *load.Package, list []ast.Stmt) Fate {
	out := FateDropped
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			c, ok := s.X.(*ast.CallExpr)
			if !ok {
				return FateUsed
			}
			switch k := reporter(p, c); k {
			case FateLogged:
				if out == FateDropped {
					out = FateLogged
				}
			case FateExits:
				return FateExits
			default:
				return FateUsed
			}
		case *ast.IfStmt:
			if s.Else != nil || s.Init != nil {
				return FateUsed
			}
			switch f := fateOfList(p, s.Body.List); f {
			case FateLogged, FateDropped:
				if out == FateDropped {
					out = f
				}
			default:
				return f
			}
		case *ast.ReturnStmt:
			if len(s.Results) > 0 {
				return FateReturned
			}
		default:
			return FateUsed
		}
	}
	return out
}

// reporter tells calls that log and calls that end the process from all others.
func reporter(p *load.Package, c *ast.CallExpr) Fate {
	name, path, recv := "", "", ""
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
		switch x := f.X.(type) {
		case *ast.CallExpr: // logger.With(...).Error(...), log.Error().Err(err).Msg(...)
			if s, ok := x.Fun.(*ast.SelectorExpr); ok {
				recv = chainRoot(s)
			}
		case *ast.Ident:
			recv = x.Name
		case *ast.SelectorExpr:
			recv = x.Sel.Name
		}
	}
	if fn := calleeOf(p, c); fn != nil && fn.Pkg() != nil {
		path = fn.Pkg().Path()
	}
	if b, ok := p.Info.Uses[identOf(c.Fun)].(*types.Builtin); ok && b.Name() == "panic" {
		return FateExits
	}
	lower := strings.ToLower(name)
	logs := path == "log" || path == "log/slog" || isLogPath(path) || strings.Contains(strings.ToLower(recv), "log") || path == "fmt" && (strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Fprint"))
	switch {
	case path == "os" && name == "Exit", path == "runtime" && name == "Goexit":
		return FateExits
	case logs && (strings.HasPrefix(lower, "fatal") || strings.HasPrefix(lower, "panic") || lower == "dpanic"):
		return FateExits
	case logs && chainHas(c, "Fatal", "Panic"):
		return FateExits
	case logs:
		return FateLogged
	}
	return FateUsed
}

func identOf(e ast.Expr) *ast.Ident {
	switch f := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

func chainRoot(s *ast.SelectorExpr) string {
	for {
		switch x := s.X.(type) {
		case *ast.CallExpr:
			n, ok := x.Fun.(*ast.SelectorExpr)
			if !ok {
				return s.Sel.Name
			}
			s = n
		case *ast.Ident:
			return x.Name
		case *ast.SelectorExpr:
			return x.Sel.Name
		default:
			return s.Sel.Name
		}
	}
}

// chainHas reports a call in a chain by name: log.Fatal().Err(err).Send().
func chainHas(c *ast.CallExpr, names ...string) bool {
	for c != nil {
		s, ok := c.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		for _, n := range names {
			if strings.HasPrefix(s.Sel.Name, n) {
				return true
			}
		}
		c, _ = s.X.(*ast.CallExpr)
	}
	return false
}

func isLogPath(path string) bool {
	for _, p := range []string{"github.com/sirupsen/logrus", "go.uber.org/zap", "github.com/rs/zerolog", "k8s.io/klog", "github.com/golang/glog", "github.com/go-kit/log", "github.com/go-logr/logr", "github.com/hashicorp/go-hclog", "github.com/charmbracelet/log", "github.com/apex/log", "github.com/inconshreveable/log15"} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// PathTo is the way from a function's body down to the call from pos to end, the outermost node first.
func PathTo(fn ast.Node, pos, end token.Pos) []ast.Node {
	var path, found []ast.Node
	body := bodyOf(fn)
	if body == nil {
		return nil
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			path = path[:len(path)-1]
			return true
		}
		path = append(path, n)
		if c, ok := n.(*ast.CallExpr); ok && found == nil && c.Pos() == pos && c.End() == end {
			found = append([]ast.Node(nil), path...)
		}
		return true
	})
	return found
}

func bodyOf(fn ast.Node) *ast.BlockStmt {
	switch f := fn.(type) {
	case *ast.FuncDecl:
		return f.Body
	case *ast.FuncLit:
		return f.Body
	}
	return nil
}
