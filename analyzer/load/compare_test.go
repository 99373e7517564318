package load

import (
	"fmt"
	goimporter "go/importer"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// describe lists what a package exports, one line a fact: objects with their types, exported fields and methods. What
// dependencies are stripped of (unexported fields, struct tags) is left out.
func describe(pkg *types.Package, only func(string) bool) map[string]string {
	out := map[string]string{}
	qual := func(p *types.Package) string { return strings.TrimPrefix(p.Path(), "vendor/") }
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() || only != nil && !only(name) {
			continue
		}
		tn, ok := o.(*types.TypeName)
		if !ok {
			out[name] = types.TypeString(o.Type(), qual)
			if c, ok := o.(*types.Const); ok {
				out[name] += " = " + c.Val().ExactString()
			}
			continue
		}
		out[name] = "type"
		for _, t := range []types.Type{tn.Type(), types.NewPointer(tn.Type())} {
			ms := types.NewMethodSet(t)
			for m := range ms.Methods() {
				if m.Obj().Exported() {
					out[fmt.Sprintf("(%s).%s", types.TypeString(t, qual), m.Obj().Name())] = types.TypeString(m.Type(), qual)
				}
			}
		}
		switch u := tn.Type().Underlying().(type) {
		case *types.Struct:
			for f := range u.Fields() {
				if f.Exported() {
					out[name+"."+f.Name()] = types.TypeString(stripped(f.Type()), qual)
				}
			}
		case *types.Interface:
			for m := range u.Methods() {
				out[name+"."+m.Name()] = types.TypeString(m.Type(), qual)
			}
		default:
			out[name] = types.TypeString(u, qual)
		}
	}
	return out
}

// stripped leaves an anonymous struct type aside.
func stripped(t types.Type) types.Type {
	if _, ok := t.(*types.Struct); ok {
		return types.Typ[types.Invalid]
	}
	return t
}

func compare(t *testing.T, path string, want, got map[string]string) {
	t.Helper()
	n := 0
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range want {
			if !yield(k) {
				return
			}
		}
	}) {
		if got[k] != want[k] {
			if n++; n <= 5 {
				t.Errorf("%s: %s:\n got %q\nwant %q", path, k, got[k], want[k])
			}
		}
	}
	if n > 5 {
		t.Errorf("%s: %d differences more", path, n-5)
	}
}

// dotImports writes a module that asks for everything that the given packages export.
func dotImports(t testing.TB, gomod string, paths []string) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", gomod)
	for i, p := range paths {
		write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("package app\n\nimport . %q\n", p))
	}
	return dir
}

// TestAgainstGoTypes compares what is loaded of the standard library with what go/types says of its whole source.
func TestAgainstGoTypes(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks the whole closure of net/http")
	}
	root := testGoroot(t)
	paths := []string{"net/http", "database/sql", "reflect", "go/types", "sync", "crypto/tls", "log/slog", "maps", "slices", "os", "text/template", "iter"}
	r := loadDir(t, dotImports(t, "module example.com/app\n", paths), &env{goroot: root, version: "go1.26.0"}, ".")
	t.Setenv("CGO_ENABLED", "0")
	imp := goimporter.ForCompiler(token.NewFileSet(), "source", nil)
	total := 0
	for _, p := range paths {
		full, err := imp.Import(p)
		if err != nil {
			t.Fatal(err)
		}
		want := describe(full, nil)
		total += len(want)
		compare(t, p, want, describe(r.Import(p), nil))
	}
	if total < 2000 {
		t.Errorf("only %d facts compared", total)
	}
}

// TestStubsAgainstModules compares stubs with the real modules, those that are in the module cache.
func TestStubsAgainstModules(t *testing.T) {
	e := findEnv(t.Context())
	if e.goroot == "" {
		t.Skip("no Go installation")
	}
	compared := 0
	for path, mod := range map[string]string{
		"github.com/spf13/cobra":       "github.com/spf13/cobra v1.10.2",
		"golang.org/x/sync/errgroup":   "golang.org/x/sync v0.25.0",
		"golang.org/x/sync/semaphore":  "golang.org/x/sync v0.25.0",
		"golang.org/x/net/http2":       "golang.org/x/net v0.58.0",
		"github.com/gin-gonic/gin":     "github.com/gin-gonic/gin v1.12.0",
		"github.com/go-chi/chi/v5":     "github.com/go-chi/chi/v5 v5.5.0",
		"github.com/redis/go-redis/v9": "github.com/redis/go-redis/v9 v9.23.0",
		"github.com/jackc/pgx/v5":      "github.com/jackc/pgx/v5 v5.13.0",
		"google.golang.org/grpc":       "google.golang.org/grpc v1.85.0",
		"gorm.io/gorm":                 "gorm.io/gorm v1.31.2",
	} {
		name, version, _ := strings.Cut(mod, " ")
		if cacheDir(e.modcache, name, version) == "" {
			continue
		}
		dir := dotImports(t, "module example.com/app\n\nrequire "+mod+"\n", []string{path})
		real := loadDir(t, dir, e, ".").Import(path)
		stub := loadDir(t, dir, &env{goroot: e.goroot, version: e.version}, ".").Import(path)
		// Types of further modules may be missing from the cache: compare what is known.
		want := describe(real, nil)
		for k, v := range want {
			if strings.Contains(v, "invalid type") {
				delete(want, k)
			}
		}
		compare(t, path, want, describe(stub, nil))
		compared++
	}
	if compared == 0 {
		t.Skip("none of the modules is in the module cache")
	}
	t.Logf("%d stubs compared", compared)
}
