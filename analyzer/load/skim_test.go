package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// outline says what the real parser finds in a file, one line a declaration.
func outline(f *ast.File) []string {
	out := []string{"package " + f.Name.Name}
	for _, im := range f.Imports {
		p, _ := strconv.Unquote(im.Path.Value)
		name := ""
		if im.Name != nil {
			name = im.Name.Name
		}
		out = append(out, "import "+name+" "+p)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				out = append(out, "func "+d.Name.Name)
				break
			}
			out = append(out, "method "+recvName(d.Recv.List[0].Type)+"."+d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					out = append(out, "type "+s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						out = append(out, d.Tok.String()+" "+n.Name)
					}
				}
			}
		}
	}
	return out
}

func recvName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return recvName(e.X)
	case *ast.ParenExpr:
		return recvName(e.X)
	case *ast.IndexExpr:
		return recvName(e.X)
	case *ast.IndexListExpr:
		return recvName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return fmt.Sprintf("%T", e)
}

func skimOutline(src []byte) []string {
	s := skim(src)
	out := []string{"package " + s.name}
	for _, im := range s.imports {
		out = append(out, "import "+im.name+" "+im.path)
	}
	for _, d := range s.decls {
		switch d.kind {
		case kindFunc:
			out = append(out, "func "+d.names[0])
		case kindMethod:
			out = append(out, "method "+d.recv+"."+d.names[0])
		default:
			for _, n := range d.names {
				out = append(out, d.kind.keyword()+n)
			}
		}
	}
	return out
}

// checkSkim compares the skimmer with the parser on one file, and checks that each declaration parses alone, without body.
func checkSkim(t *testing.T, name string, src []byte) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return // not Go
	}
	if want, got := outline(f), skimOutline(src); !slices.Equal(want, got) {
		for i := range want {
			if i >= len(got) || want[i] != got[i] {
				t.Fatalf("%s: declaration %d: parser says %q, skimmer %q", name, i, want[i], append(got, "nothing")[min(i, len(got))])
			}
		}
		t.Fatalf("%s: skimmer finds %d declarations more: %q", name, len(got)-len(want), got[len(want):])
	}
	s := skim(src)
	one, err := parser.ParseFile(fset, name, joinDecls(src, s.decls), parser.SkipObjectResolution)
	if err != nil {
		t.Fatalf("%s: the outline does not parse: %v", name, err)
	}
	for _, d := range one.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
			t.Fatalf("%s: body of %s kept", name, fd.Name.Name)
		}
	}
}

func TestSkimOdd(t *testing.T) {
	for i, src := range []string{
		"package p; import (a \"b\"; . \"c\"); import _ \"d\"",
		"package p\nfunc f(x struct{ a int }) interface{ M() struct{} } { return nil }\nfunc g() {}",
		"package p\nfunc f() struct{}\nfunc g() map[string]interface{}\nfunc h() (a, b int)",
		"package p\nfunc f() func() struct{ x int } { return nil }\nvar x = func() { \"}\"; `}`; '}'; '\\''; /* } */ }",
		"package p\nconst (\na = 1\nb = 2e-3\n)\nconst (\nc = iota\nd\n_\n)\nconst e, f = 1, 2",
		"package p\ntype (\nA[T any] struct { b int }\nB = func(int) (int, error)\nC interface {\n~int | ~string\n}\n)\nfunc (a *A[T]) M() {}\nfunc (A[_]) N() { }",
		"package p\nvar (\nx, y int = 1,\n2\nz = []int{\n1}\n)\nfunc (p) m() {}; type p int",
		"package p /* x\n */ ; func f /* a\n */ ( /* { */ ) /* } */ { // }\n}",
		"package p\nvar r = 'a' + '\"' + '{'\nvar s = \"\\\"{\"\nfunc ф() {}",
	} {
		checkSkim(t, fmt.Sprintf("odd%d.go", i), []byte(src))
	}
}

func TestSkimStd(t *testing.T) {
	root := testGoroot(t)
	n := 0
	for _, dir := range []string{"net/http", "go/types", "runtime", "syscall", "reflect", "crypto/tls", "sync", "slices", "database/sql", "os", "cmd/compile/internal/syntax"} {
		err := filepath.WalkDir(filepath.Join(root, "src", dir), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.Contains(p, "testdata") {
				return nil
			}
			src, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			n++
			checkSkim(t, p, src)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 500 {
		t.Fatalf("only %d files compared", n)
	}
}

func FuzzSkim(f *testing.F) {
	f.Add([]byte("package p\nfunc f() {"))
	f.Add([]byte("package p\ntype ("))
	f.Fuzz(func(_ *testing.T, src []byte) { skim(src) })
}
