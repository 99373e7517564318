package endpoint_test

import (
	"bytes"
	"context"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/internal/model"
)

// TestStress edits the programs of the archives at random, statement by statement and expression by expression, and asks
// every route: no panic, no long run. It does a few by default, and goes on for PROBELINT_STRESS (a duration) where that is
// set.
func TestStress(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var archives [][]txtar.File
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, a.Files)
	}
	end := time.Now()
	if d, err := time.ParseDuration(os.Getenv("PROBELINT_STRESS")); err == nil {
		end = end.Add(d)
	}
	seed := uint64(1)
	if os.Getenv("PROBELINT_STRESS") != "" {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", seed)
	n := 0
	for ; n < 12 || time.Now().Before(end); n++ {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		var files []txtar.File
		for _, f := range archives[r.IntN(len(archives))] {
			if strings.HasSuffix(f.Name, ".go") {
				f.Data = scramble(f.Data, r)
			}
			if f.Name != "want" {
				files = append(files, f)
			}
		}
		stress(t, files)
		if t.Failed() {
			dir, err := os.MkdirTemp("", "stress")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "fail.txtar"), txtar.Format(&txtar.Archive{Files: files}), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Fatalf("edit %d of seed %d, kept in %s", n, seed, dir)
		}
	}
	t.Logf("%d programs", n)
}

func stress(t *testing.T, files []txtar.File) {
	start := time.Now()
	a := endpoint.Analyze(context.Background(), loadFiles(t, files))
	complain := func(us []model.Unfollowed) {
		for _, u := range us {
			if strings.Contains(u.Why, "the analysis failed") {
				t.Errorf("%s: %s", u.Call, u.Why)
			}
		}
	}
	for _, p := range a.Programs() {
		complain(p.Stopped)
		for _, s := range p.Servers {
			for _, route := range s.Routes {
				complain(a.Endpoint(p, route, model.Request{Method: "GET", Path: strings.NewReplacer("{", "", "}", "").Replace(route.Pattern)}, nil).Unfollowed)
			}
		}
	}
	if d := time.Since(start); d > fuzzLimit {
		t.Errorf("the analysis took %s", d)
	}
}

// scramble makes one to six edits.
func scramble(src []byte, r *rand.Rand) []byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, parser.SkipObjectResolution)
	if err != nil {
		return src
	}
	var lists []*[]ast.Stmt
	var exprs []*ast.Expr
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			lists = append(lists, &n.List)
		case *ast.CaseClause:
			lists = append(lists, &n.Body)
		case *ast.CallExpr:
			exprs = append(exprs, &n.Fun)
			for i := range n.Args {
				exprs = append(exprs, &n.Args[i])
			}
		case *ast.BinaryExpr:
			exprs = append(exprs, &n.X, &n.Y)
		case *ast.IfStmt:
			exprs = append(exprs, &n.Cond)
		case *ast.AssignStmt:
			for i := range n.Rhs {
				exprs = append(exprs, &n.Rhs[i])
			}
		case *ast.ReturnStmt:
			for i := range n.Results {
				exprs = append(exprs, &n.Results[i])
			}
		case *ast.SelectorExpr:
			exprs = append(exprs, &n.X)
		}
		return true
	})
	if len(lists) == 0 || len(exprs) == 0 {
		return src
	}
	for range 1 + r.IntN(6) {
		l := lists[r.IntN(len(lists))]
		switch k := r.IntN(7); {
		case k == 0 && len(*l) > 0: // drop
			i := r.IntN(len(*l))
			*l = append((*l)[:i:i], (*l)[i+1:]...)
		case k == 1 && len(*l) > 0: // double
			*l = append(*l, (*l)[r.IntN(len(*l))])
		case k == 2 && len(*l) > 1: // swap
			i, j := r.IntN(len(*l)), r.IntN(len(*l))
			(*l)[i], (*l)[j] = (*l)[j], (*l)[i]
		case k == 3 && len(*l) > 0: // in a loop
			i := r.IntN(len(*l))
			(*l)[i] = &ast.ForStmt{Body: &ast.BlockStmt{List: []ast.Stmt{(*l)[i]}}}
		case k == 4 && len(*l) > 0: // beside
			i := r.IntN(len(*l))
			(*l)[i] = &ast.GoStmt{Call: &ast.CallExpr{Fun: &ast.FuncLit{Type: &ast.FuncType{Params: &ast.FieldList{}}, Body: &ast.BlockStmt{List: []ast.Stmt{(*l)[i]}}}}}
		default: // an expression becomes another one of the file
			e, o := exprs[r.IntN(len(exprs))], exprs[r.IntN(len(exprs))]
			if !within(*o, *e) {
				*e = *o
			}
		}
	}
	var out bytes.Buffer
	if err := format.Node(&out, fset, f); err != nil {
		return src
	}
	return out.Bytes()
}

// within reports whether b lies in a, so that a in the place of b would be a circle.
func within(a, b ast.Expr) bool {
	found := false
	ast.Inspect(a, func(n ast.Node) bool {
		found = found || n == ast.Node(b)
		return !found
	})
	return found
}
