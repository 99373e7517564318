package knowledge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The analyzers are started once per package under go vet, so importing the tables must cost nothing: no init function, no map
// and no call in a package variable, which the linker would have to run.
func TestImportRunsNoCode(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "gen") && !strings.HasPrefix(name, "generated_") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: func init", fset.Position(d.Pos()))
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.FuncLit:
						return false
					case *ast.MapType, *ast.CallExpr:
						t.Errorf("%s: a package variable is filled by code", fset.Position(n.Pos()))
					}
					return true
				})
			}
		}
	}
}

// The runtime agrees: a process that imports the package reports no initialisation of it.
func TestInitTrace(t *testing.T) {
	if os.Getenv("KNOWLEDGE_INITTRACE") != "" {
		if _, ok := LookupClient("lib/pq"); !ok {
			t.Fatal("the tables are empty")
		}
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInitTrace$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "KNOWLEDGE_INITTRACE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "init runtime") {
		t.Fatalf("no trace in\n%s", out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "init github.com/probelint/probelint/analyzer/knowledge") {
			t.Error(strings.TrimSpace(line))
		}
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		LookupCall("github.com/jackc/pgx/v5/pgxpool", "Pool", "Ping", Sig{})
		LookupCall("example.com/shop/store", "Store", "Get", Sig{Ctx0: true})
		LookupRouter("example.com/shop/store", "Store", "Get")
	}
}
