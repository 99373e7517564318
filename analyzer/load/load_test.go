package load

import (
	"context"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/source"
)

// extract writes an archive of testdata to a temporary directory.
func extract(t testing.TB, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// loadArchive loads the directories below an archive, "." where none is given. The module cache is its modcache.
func loadArchive(t testing.TB, name string, dirs ...string) *Result {
	t.Helper()
	dir := extract(t, name)
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	e := &env{goroot: testGoroot(t), modcache: filepath.Join(dir, "modcache"), version: "go1.26.0"}
	return loadDir(t, dir, e, dirs...)
}

func loadDir(t testing.TB, dir string, e *env, dirs ...string) *Result {
	t.Helper()
	o := Options{Set: source.NewSet(dir), env: e}
	for _, d := range dirs {
		o.Dirs = append(o.Dirs, filepath.Join(dir, d))
	}
	r, err := Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func paths(l []*Package) []string {
	var out []string
	for _, p := range l {
		out = append(out, p.Path)
	}
	return out
}

func wantPackages(t *testing.T, r *Result, want ...string) {
	t.Helper()
	if got := paths(r.Packages); !slices.Equal(got, want) {
		t.Errorf("packages %q, want %q", got, want)
	}
}

// wantClean checks that everything is typed.
func wantClean(t *testing.T, r *Result) {
	t.Helper()
	for _, p := range r.Packages {
		for _, err := range p.Errors {
			t.Errorf("%s: %v", p.Path, err)
		}
	}
	if r.Calls != r.TypedCalls {
		t.Errorf("%d of %d calls typed", r.TypedCalls, r.Calls)
	}
	for _, l := range r.Limits {
		if l.Minor && strings.HasPrefix(l.Because, "each file is for another build") {
			continue
		}
		t.Errorf("limit %q because %q", l.What, l.Because)
	}
	if len(r.Findings) > 0 {
		t.Errorf("findings: %+v", r.Findings)
	}
}

func wantLimit(t *testing.T, r *Result, what, because string) {
	t.Helper()
	for _, l := range r.Limits {
		if strings.Contains(l.What, what) && strings.Contains(l.Because, because) {
			return
		}
	}
	t.Errorf("no limit with %q because %q in %+v", what, because, r.Limits)
}

func TestNormal(t *testing.T) {
	r := loadArchive(t, "normal")
	wantPackages(t, r, "example.com/app/internal/health", "example.com/app/cmd/server")
	wantClean(t, r)
	h := r.ByPath["example.com/app/internal/health"]
	if h.Dir != "internal/health" || h.Module != "example.com/app" || h.Name != "health" || h.IllTyped {
		t.Errorf("package %+v", h)
	}
	obj, _, _ := types.LookupFieldOrMethod(h.Types.Scope().Lookup("Handler").Type(), true, h.Types, "ServeHTTP")
	pkg, decl := r.FuncDecl(obj.(*types.Func))
	if pkg != h || decl == nil || decl.Body == nil || decl.Doc == nil {
		t.Fatalf("declaration of ServeHTTP: %v %v", pkg, decl)
	}
	sp := r.Span(decl.Name.Pos(), decl.Name.End())
	f, err := r.set.Get(sp.File)
	if err != nil || sp.File != "internal/health/health.go" || string(f.Data[sp.Start:sp.End]) != "ServeHTTP" || sp.Line != 15 {
		t.Errorf("span %+v (%v)", sp, err)
	}
	if r.PackageOf(decl.Pos()) != h {
		t.Error("PackageOf")
	}
	// The dependency was read as far as it is used.
	lib := r.Import("example.org/lib")
	ping, _, _ := types.LookupFieldOrMethod(lib.Scope().Lookup("Client").Type(), true, lib, "Ping")
	if ping == nil || ping.Type().String() != "func(ctx context.Context) error" {
		t.Errorf("Ping is %v", ping)
	}
	if got := r.Span(ping.Pos(), ping.Pos()); !got.IsZero() {
		t.Errorf("a dependency has the span %+v", got)
	}
	if p, d := r.FuncDecl(ping.(*types.Func)); p != nil || d != nil {
		t.Error("a dependency has a declaration")
	}
	if r.Import("example.org/lib/internal/wire") != nil {
		t.Error("a package that only unexported fields need was loaded")
	}
	handler := r.Import("net/http").Scope().Lookup("Handler")
	if !types.Implements(types.NewPointer(h.Types.Scope().Lookup("Handler").Type()), handler.Type().Underlying().(*types.Interface)) {
		t.Error("the handler does not implement http.Handler")
	}
}

func TestPackageDir(t *testing.T) {
	// A directory below a module: its packages, and what they import.
	r := loadArchive(t, "normal", "internal")
	wantPackages(t, r, "example.com/app/internal/health")
	r = loadArchive(t, "normal", "cmd", "cmd/server")
	wantPackages(t, r, "example.com/app/internal/health", "example.com/app/cmd/server")
}

func TestMissing(t *testing.T) {
	r := loadArchive(t, "missing")
	wantLimit(t, r, "github.com/gin-gonic/gin v1.10.0", "not in the module cache")
	wantLimit(t, r, "github.com/unknown-vendor/go-health v1.0.0 are unknown", "not in the module cache")
	wantLimit(t, r, "5 of 13 calls in Go code", "type errors in 1 package")
	p := r.Packages[0]
	if !p.IllTyped || len(p.Errors) != 1 {
		t.Errorf("errors %v: one is wanted, that of the unknown import", p.Errors)
	}
	typed := map[string]string{}
	ast.Inspect(p.Files[0], func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				typed[sel.Sel.Name] = "invalid type"
				if typ := p.Info.TypeOf(sel); typ != nil {
					typed[sel.Sel.Name] = typ.String()
				}
			}
		}
		return true
	})
	for name, want := range map[string]string{
		"GET":          "func(relativePath string, handlers ...github.com/gin-gonic/gin.HandlerFunc) github.com/gin-gonic/gin.IRoutes",
		"IsHealthy":    "func() bool",
		"NotInTheStub": "invalid type",
		"NewHandler":   "invalid type",
	} {
		if typed[name] != want {
			t.Errorf("%s is %s, want %s", name, typed[name], want)
		}
	}
	// The unknown package keeps the name that the code uses, so that the engine can name the call.
	for id, o := range p.Info.Uses {
		if pn, ok := o.(*types.PkgName); ok && id.Name == "health" {
			if pn.Imported().Path() != "github.com/unknown-vendor/go-health" {
				t.Errorf("health is %s", pn.Imported().Path())
			}
			return
		}
	}
	t.Error("health was not resolved to its import")
}

func TestWork(t *testing.T) {
	r := loadArchive(t, "work", "app")
	wantPackages(t, r, "example.com/shared/health", "example.com/app")
	wantClean(t, r)
	if r.ByPath["example.com/shared/health"].Dir != "shared/health" {
		t.Error("directory of the shared package")
	}
	r = loadArchive(t, "work", "app", "shared")
	wantPackages(t, r, "example.com/shared/health", "example.com/app", "example.com/shared/other")
}

func TestReplace(t *testing.T) {
	r := loadArchive(t, "replace")
	wantPackages(t, r, "example.com/kit/ping", "example.com/app")
	wantClean(t, r)
	r = loadArchive(t, "replace", ".", "kit")
	wantPackages(t, r, "example.com/kit/ping", "example.com/app", "example.com/kit/unused")
}

func TestVendor(t *testing.T) {
	r := loadArchive(t, "vendor")
	wantPackages(t, r, "example.com/app")
	wantClean(t, r)
}

func TestBroken(t *testing.T) {
	r := loadArchive(t, "broken")
	wantPackages(t, r, "example.com/app", "example.com/app/soft", "example.com/app/uses")
	if len(r.Findings) != 2 {
		t.Fatalf("findings %+v", r.Findings)
	}
	f := r.Findings[0]
	if f.Rule != "unreadable-input" || f.Title != "`b.go` does not parse as Go" || f.Primary.Span.File != "b.go" || f.Primary.Span.Line != 5 {
		t.Errorf("finding %+v", f)
	}
	if !strings.Contains(f.Primary.Text, "expected operand") {
		t.Errorf("label %q", f.Primary.Text)
	}
	if p := r.ByPath["example.com/app"]; len(p.Files) != 1 || !p.IllTyped {
		t.Errorf("package %+v", p)
	}
	if p := r.ByPath["example.com/app/soft"]; p.IllTyped {
		t.Errorf("unused things count as type errors: %v", p.Errors)
	}
	wantLimit(t, r, "example.com/app/onlybad are unknown", "no file of the package could be read")
}

func TestTags(t *testing.T) {
	r := loadArchive(t, "tags")
	wantPackages(t, r, "example.com/app")
	wantClean(t, r)
	var got []string
	for _, f := range r.Packages[0].Files {
		got = append(got, filepath.Base(r.Fset.File(f.FileStart).Name()))
	}
	if want := []string{"a.go", "b_linux.go", "c.go", "d_amd64.go", "linux_test_helper.go", "new.go"}; !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestGeneric(t *testing.T) {
	r := loadArchive(t, "generic")
	wantClean(t, r)
	n := 0
	main := r.ByPath["example.com/app"]
	for _, sel := range main.Info.Selections {
		if fn, ok := sel.Obj().(*types.Func); ok {
			p, d := r.FuncDecl(fn)
			if p == nil || p.Path != "example.com/app/pool" || d.Name.Name != fn.Name() {
				t.Errorf("declaration of %s: %v", fn, d)
			}
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d method calls", n)
	}
}

func TestCgo(t *testing.T) {
	r := loadArchive(t, "cgo")
	wantClean(t, r)
	for path, file := range map[string]string{"example.com/app/only": "only.go", "example.com/app/both": "without.go"} {
		p := r.ByPath[path]
		if p == nil || len(p.Files) != 1 || filepath.Base(r.Fset.File(p.Files[0].FileStart).Name()) != file {
			t.Errorf("%s: %+v", path, p)
		}
	}
}

func TestMains(t *testing.T) {
	r := loadArchive(t, "mains")
	if got, want := paths(r.Mains()), []string{"example.com/app/cmd/a", "example.com/app/cmd/b"}; !slices.Equal(got, want) {
		t.Errorf("mains %q, want %q", got, want)
	}
	if p := r.ByPath["example.com/app/lib"]; len(p.Files) != 2 || p.Name != "lib" || !p.IllTyped {
		t.Errorf("package of two names: %+v", p)
	}
	r = loadArchive(t, "mains", ".", "nested")
	if got := len(r.Mains()); got != 3 {
		t.Errorf("%d mains with the nested module", got)
	}
}

func TestDemand(t *testing.T) {
	r := loadArchive(t, "demand")
	wantClean(t, r)
	a := r.Import("example.org/a")
	for _, name := range []string{"helper", "Red", "small"} {
		// helper is in a body, Red belongs to the group of Blue, small is the value of Big.
		if got, want := a.Scope().Lookup(name) != nil, name != "helper"; got != want {
			t.Errorf("%s loaded: %v", name, got)
		}
	}
	named := a.Scope().Lookup("sealedImpl").Type().(*types.Named)
	var methods []string
	for m := range named.Methods() {
		methods = append(methods, m.Name())
	}
	slices.Sort(methods)
	if !slices.Equal(methods, []string{"Do", "sealed"}) {
		t.Errorf("methods of sealedImpl: %q", methods)
	}
}

func TestCycle(t *testing.T) {
	r := loadArchive(t, "cycle")
	if len(r.Packages) != 2 {
		t.Fatalf("packages %q", paths(r.Packages))
	}
	wantLimit(t, r, "1 of 2 calls", "import cycle")
}

func TestNothing(t *testing.T) {
	dir := t.TempDir()
	r := loadDir(t, dir, &env{goroot: testGoroot(t)}, ".", "absent")
	if len(r.Packages) != 0 || r.Calls != 0 {
		t.Errorf("%+v", r)
	}
}

// TestDeterministic loads twice and compares positions, order and limits.
func TestDeterministic(t *testing.T) {
	dir := extract(t, "missing")
	e := &env{goroot: testGoroot(t)}
	dump := func() string {
		r := loadDir(t, dir, e, ".")
		var b strings.Builder
		for _, p := range r.Packages {
			b.WriteString(p.Path)
			for _, f := range p.Files {
				b.WriteString(r.Fset.Position(f.Pos()).String())
			}
		}
		for _, l := range r.Limits {
			b.WriteString(l.What + l.Because)
		}
		return b.String()
	}
	if a, b := dump(), dump(); a != b {
		t.Errorf("two loads differ:\n%s\n%s", a, b)
	}
}
