package summary

import (
	"go/ast"
	"go/types"
)

// MayAsk reports a handler that leads to a call which waits for another system, by mention.
func (g *Engine) MayAsk(handler Value) bool {
	n := g.HandlerDecl(handler)
	if n == nil {
		return false
	}
	lit, ok := n.(*ast.FuncLit)
	if !ok {
		return g.graph.asking[n]
	}
	p := g.infoOf[n]
	if p == nil {
		return false
	}
	found := false
	ast.Inspect(lit.Body, func(x ast.Node) bool {
		if id, ok := x.(*ast.Ident); ok && !found {
			if fn, ok := p.Info.Uses[id].(*types.Func); ok {
				d, own := g.decls[fn.Origin()]
				found = own && g.graph.asking[d.decl] || !own && g.asks(fn)
			}
		}
		return !found
	})
	return found
}
