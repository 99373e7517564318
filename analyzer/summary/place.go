package summary

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Entry is a function of the program that was handed the request while it was followed.
type Entry struct {
	Symbol   string
	Node     ast.Node
	Pos, End token.Pos // the name or the func keyword, to the end
}

// enterHandler notes that a function takes over the request: one that is called through a value and takes nothing but the
// request, or one that a function which looks at the path calls.
func (it *Interp) enterHandler(info *types.Info, n ast.Node, ft *ast.FuncType, symbol string, byName bool) {
	if it.req == nil || it.openRequest || !it.eng.takesRequestOnly(info, ft, byName) {
		return
	}
	if byName && (it.frame == nil || !it.req.pathRead[it.frame.node]) {
		return
	}
	e := Entry{Symbol: symbol, Node: n, Pos: n.Pos(), End: n.End()}
	if d, ok := n.(*ast.FuncDecl); ok {
		e.Pos = d.Name.Pos()
	}
	it.req.entries = append(it.req.entries, entry{e, it.callers()})
}

type entry struct {
	Entry
	callers []ast.Node
}

func (it *Interp) callers() []ast.Node {
	var out []ast.Node
	for f := it.frame; f != nil && len(out) < 32; f = f.caller {
		if f.node != nil {
			out = append(out, f.node)
		}
	}
	return out
}

// takesRequestOnly reports a function whose parameters are the request, what answers it, and contexts. One that is called by
// its name must be given both the request and what answers it, since helpers take one of them.
func (g *Engine) takesRequestOnly(info *types.Info, ft *ast.FuncType, byName bool) bool {
	if ft.Params == nil {
		return false
	}
	request, writer := false, false
	for _, f := range ft.Params.List {
		t := info.TypeOf(f.Type)
		p, n := typeName(t)
		switch {
		case isContextType(t):
		case p == "net/http" && n == "Request":
			request = true
		case p == "net/http" && n == "ResponseWriter":
			writer = true
		case g.isWebContext(p, n):
			request, writer = true, true
		default:
			return false
		}
	}
	return writer && request || request && !byName && answersByResult(info, ft)
}

// answersByResult reports a function that is given the request alone and whose result is the answer: an error, a value to
// encode. Text, numbers and verdicts are what helpers return.
func answersByResult(info *types.Info, ft *ast.FuncType) bool {
	if ft.Results == nil {
		return false
	}
	for _, f := range ft.Results.List {
		t := info.TypeOf(f.Type)
		if t == nil {
			return false
		}
		if _, basic := t.Underlying().(*types.Basic); basic {
			return false
		}
	}
	return true
}

// readPath notes that the function in hand looks at the path of the request.
func (it *Interp) readPath() {
	if it.req == nil || it.frame == nil {
		return
	}
	if it.req.pathRead == nil {
		it.req.pathRead, it.req.pathNeed = map[ast.Node]bool{}, map[ast.Node]bool{}
	}
	it.req.pathRead[it.frame.node] = true
	for _, n := range it.callers() {
		it.req.pathNeed[n] = true
	}
}

// Answering is the innermost function below a handler that was handed the request; ok is false where there is none.
func (r *Result) Answering(handler ast.Node) (Entry, bool) {
	if r.Interp == nil || r.Interp.req == nil || handler == nil {
		return Entry{}, false
	}
	var out Entry
	found := false
	for _, e := range r.Interp.req.entries {
		for _, c := range e.callers {
			if c == handler && e.Node != handler {
				out, found = e.Entry, true
				break
			}
		}
	}
	return out, found
}

// ReadsPath reports whether a function looked at the path of the request itself, NeedsPath whether it or what it called did.
func (r *Result) ReadsPath(fn ast.Node) bool { return r.Interp.req.pathRead[fn] }

// NeedsPath is described at ReadsPath.
func (r *Result) NeedsPath(fn ast.Node) bool { return r.Interp.req.pathNeed[fn] }

// Stored is the verdict that a health library keeps, nil where it runs its checks for each request.
func (r *Result) Stored() *LibCache { return r.Interp.cachedBy }

// BranchOf is the branch of a function that looks at the path and in which a position lies: a case of a switch on it, or the
// body of an if.
func BranchOf(fn ast.Node, pos, end token.Pos) (ast.Node, bool) {
	path := PathTo(fn, pos, end)
	for i, n := range path {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			for _, c := range path[i+1:] {
				if cc, ok := c.(*ast.CaseClause); ok {
					if n.Tag != nil && asksPath(n.Tag) || asksAnyPath(cc.List) {
						return cc, true
					}
					break
				}
			}
		case *ast.IfStmt:
			if asksPath(n.Cond) && n.Body.Pos() <= pos && end <= n.Body.End() {
				return n, true
			}
		}
	}
	return nil, false
}

func asksAnyPath(es []ast.Expr) bool {
	for _, e := range es {
		if asksPath(e) {
			return true
		}
	}
	return false
}

// asksPath reports an expression that speaks of a path.
func asksPath(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && (id.Name == "Path" || id.Name == "path" || id.Name == "FullPath" || id.Name == "RequestURI") {
			found = true
		}
		return !found
	})
	return found
}

// AnswersAlike reports a library's handler that answers any path the same: a file server says 404 to what is no file.
func (g *Engine) AnswersAlike(v Value) bool {
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind != HandlerOf {
			return false
		}
		switch o.Wrap.Kind {
		case "notfound", "redirect", "files", "checks":
		default:
			return false
		}
	}
	return len(v.Terms) > 0
}
