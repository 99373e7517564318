package archtest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// The limits of docs/architecture.md, in lines.
const (
	mainLimit = 25
	fileLimit = 450
)

func TestFilesStayShort(t *testing.T) {
	for _, f := range goFiles(t) {
		lines := bytes.Count(f.data, []byte("\n"))
		switch {
		case f.generated():
		case strings.HasPrefix(f.rel, "cmd/") && filepath.Base(f.rel) == "main.go" && lines >= mainLimit:
			t.Errorf("%s has %d lines: a main hands streams and arguments on, in fewer than %d", f.rel, lines, mainLimit)
		case lines >= fileLimit:
			t.Errorf("%s has %d lines: split it, the limit is %d", f.rel, lines, fileLimit)
		}
	}
}

// processState are the package variables that stand for state of the whole process, which no value can hold, by folder.
var processState = map[string]string{
	"internal/manifest/render": ": muted is changed at run time", // counts the builds that have muted os.Stderr, which kustomize prints to
}

// TestNoPackageState reports package variables that the code changes. Tables that are filled where they are declared, in
// init, or by sync.OnceValue are constants in all but name.
func TestNoPackageState(t *testing.T) {
	dirs := map[string][]goFile{}
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.rel, "_test.go") && !f.ignored() {
			dirs[filepath.Dir(f.rel)] = append(dirs[filepath.Dir(f.rel)], f)
		}
	}
	for dir, files := range dirs {
		for _, fault := range packageState(dir, files) {
			if known := processState[dir]; known == "" || !strings.Contains(fault, known) {
				t.Error(fault)
			}
		}
	}
}

func TestPackageStateIsDetected(t *testing.T) {
	tests := map[string]struct{ src, want string }{
		"assigned":      {`var n int; func f() { n = 1 }`, "x.go:1: n is changed"},
		"counted":       {`var n int; func f() { n++ }`, "n is changed"},
		"element":       {`var m = map[string]int{}; func f() { m["a"] = 1 }`, "m is changed"},
		"field":         {`var s struct{ n int }; func f() { s.n += 1 }`, "s is changed"},
		"through paren": {`var s []int; func f() { (s)[0] = 1 }`, "s is changed"},
		"mutex":         {`import "sync"; var mu sync.Mutex`, "mu is a sync.Mutex"},
		"atomic":        {`import "sync/atomic"; var n atomic.Int64`, "n is a atomic.Int64"},
		"table":         {`var m = map[string]int{"a": 1}; func f() int { return m["a"] }`, ""},
		"once":          {`import "sync"; var m = sync.OnceValue(func() int { return 1 })`, ""},
		"init":          {`var m map[string]int; func init() { m = map[string]int{} }`, ""},
		"shadowed":      {`var n int; func f() { n := 0; n = 1; _ = n }`, ""},
		"own field":     {`type t struct{ n int }; func (x *t) f() { x.n = 1 }`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := packageState("p", []goFile{{rel: "x.go", data: []byte("package p; " + tt.src + "\n")}})
			if tt.want == "" && len(got) == 0 {
				return
			}
			if len(got) != 1 || tt.want == "" || !strings.Contains(got[0], tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// packageState type-checks one package without its imports, which is enough to tell its own variables from locals.
func packageState(dir string, files []goFile) []string {
	fset := token.NewFileSet()
	var asts []*ast.File
	var out []string
	for _, f := range files {
		a, err := parser.ParseFile(fset, f.rel, f.data, parser.SkipObjectResolution)
		if err != nil {
			return []string{err.Error()}
		}
		asts = append(asts, a)
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}, FakeImportC: true}
	p, _ := conf.Check(dir, fset, asts, info) // imports are missing by intent

	changed := map[types.Object]token.Pos{}
	note := func(e ast.Expr) {
		id := base(e)
		if id == nil {
			return
		}
		if v, ok := info.Uses[id].(*types.Var); ok && v.Parent() == p.Scope() {
			if _, seen := changed[v]; !seen {
				changed[v] = id.Pos()
			}
		}
	}
	for _, a := range asts {
		for _, d := range a.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.Name == "init" && d.Recv == nil {
					continue
				}
				ast.Inspect(d, func(n ast.Node) bool {
					switch n := n.(type) {
					case *ast.AssignStmt:
						for _, l := range n.Lhs {
							note(l)
						}
					case *ast.IncDecStmt:
						note(n.X)
					}
					return true
				})
			case *ast.GenDecl:
				out = append(out, statefulTypes(fset, d)...)
			}
		}
	}
	for v, at := range changed {
		pos := fset.Position(at)
		out = append(out, fmt.Sprintf("%s:%d: %s is changed at run time: keep state in a value that is passed on", pos.Filename, pos.Line, v.Name()))
	}
	sort.Strings(out)
	return out
}

// statefulTypes finds package variables of a type that exists to be changed.
func statefulTypes(fset *token.FileSet, d *ast.GenDecl) []string {
	var out []string
	for _, s := range d.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok || d.Tok != token.VAR {
			continue
		}
		typ := v.Type
		if ix, ok := typ.(*ast.IndexExpr); ok { // atomic.Pointer[T]
			typ = ix.X
		}
		sel, ok := typ.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		if from, ok := sel.X.(*ast.Ident); ok && (from.Name == "sync" || from.Name == "atomic") {
			pos := fset.Position(v.Pos())
			out = append(out, fmt.Sprintf("%s:%d: %s is a %s.%s: keep state in a value that is passed on", pos.Filename, pos.Line, v.Names[0].Name, from.Name, sel.Sel.Name))
		}
	}
	return out
}

// base is the variable at the root of an assignable expression.
func base(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, errors.New(path + " is not loaded")
}

type goFile struct {
	rel  string
	data []byte
}

func (f goFile) generated() bool {
	a, err := parser.ParseFile(token.NewFileSet(), f.rel, f.data, parser.ParseComments|parser.PackageClauseOnly)
	return err == nil && ast.IsGenerated(a)
}

// ignored reports whether the file is a program of its own for `go run`.
func (f goFile) ignored() bool { return bytes.Contains(f.data, []byte("//go:build ignore")) }

// goFiles returns the Go files of this module, without examples and fixtures.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	dir := root(t)
	var out []goFile
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != dir && (name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_') {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out = append(out, goFile{filepath.ToSlash(rel), data})
		return nil
	})
	if err != nil {
		t.Fatalf("walking the module: %v", err)
	}
	if len(out) < 10 {
		t.Fatalf("found %d Go files below %s", len(out), dir)
	}
	return out
}
