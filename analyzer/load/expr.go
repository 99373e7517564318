package load

import (
	"go/ast"
	"go/token"
)

// ExprEnd is the end of the outermost expression that begins at a position of first-party code, so that a span of it is not
// empty: all of `2 * time.Second` where the 2 stands. Where none begins there it is the end of the name.
func (r *Result) ExprEnd(pos token.Pos) token.Pos {
	end := token.NoPos
	for _, p := range r.Packages {
		for _, f := range p.Files {
			if pos < f.FileStart || pos >= f.FileEnd {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if n == nil || end.IsValid() || pos < n.Pos() || pos >= n.End() {
					return false
				}
				if x, ok := n.(ast.Expr); ok && x.Pos() == pos {
					end = x.End()
				}
				return true
			})
		}
	}
	if !end.IsValid() {
		return r.NameEnd(pos)
	}
	return end
}
