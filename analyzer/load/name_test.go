package load

import (
	"go/ast"
	"testing"
)

// A name has a span, wherever it is asked about.
func TestNameEnd(t *testing.T) {
	r := loadArchive(t, "normal")
	h := r.ByPath["example.com/app/internal/health"]
	names := 0
	ast.Inspect(h.Files[0], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names++
			if r.NameEnd(n.Pos()) < n.End() {
				t.Errorf("%s ends before its end", n.Name)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && r.NameEnd(x.Pos()) < n.Sel.End() {
				t.Errorf("%s.%s ends before its end", x.Name, n.Sel.Name)
			}
		case *ast.StarExpr:
			if got := r.NameEnd(n.Pos()); got != n.Pos()+1 {
				t.Errorf("a star has %d bytes", got-n.Pos())
			}
		}
		return true
	})
	if lib := r.Import("example.org/lib").Scope().Lookup("Client"); r.NameEnd(lib.Pos()) != lib.Pos() || names == 0 {
		t.Errorf("a name outside of first-party code has a span; %d names", names)
	}
}
