package knowledge

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// TestSymbolsExist reads the standard library and each module that the module cache holds from source, without building it, and compares the tables
// with it: every symbol is declared, on that type, with those parameters and results. What the cache does not hold is skipped;
// GOMODCACHE names another cache. A module in another major version than a table names is not compared.
func TestSymbolsExist(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip("no go command to ask for the module cache")
	}
	l := &sourceLoader{cache: strings.TrimSpace(string(out)), fset: token.NewFileSet(), pkgs: map[string]*types.Package{}}
	b := Default()
	checked, absent := 0, 0
	for _, p := range b.packages {
		pkg := l.load(p.path)
		if pkg == nil {
			absent++
			continue
		}
		checked++
		t.Run(p.path, func(t *testing.T) {
			for _, c := range b.Calls[p.calls.lo:p.calls.hi] {
				s := l.check(t, pkg, c.Recv, c.Name, c.Sig, c.IsField || c.IsVar)
				s.param(t, "ctx", c.Ctx, isContext)
				s.result(t, "err", c.Err, isError)
				s.param(t, "dur", c.Dur, func(x types.Type) bool { return isDuration(x) || c.Unit != 0 })
			}
			for _, c := range b.Routes[p.routes.lo:p.routes.hi] {
				s := l.check(t, pkg, c.Recv, c.Name, c.Sig, c.IsVar)
				s.param(t, "ctx", c.Ctx, isContext)
				s.result(t, "err", c.Err, isError)
				s.param(t, "dur", c.Dur, isDuration)
				s.param(t, "status", c.Status, isInteger)
				s.param(t, "handler", c.Handler, notBasic)
				s.param(t, "method", c.Method, nil)
				s.param(t, "pattern", c.Pattern, nil)
				s.param(t, "prefix", c.Prefix, isString)
				s.param(t, "body", c.Body, nil)
				s.param(t, "leaks", c.Leaks, nil)
			}
			for _, c := range b.Checks[p.checks.lo:p.checks.hi] {
				s := l.check(t, pkg, c.Recv, c.Name, c.Sig, c.IsVar)
				s.param(t, "ctx", c.Ctx, isContext)
				s.result(t, "err", c.Err, isError)
				s.param(t, "check", c.Check, notBasic)
				s.param(t, "label", c.Label, isString)
				s.param(t, "dur", c.Dur, isDuration)
				s.param(t, "pattern", c.Pattern, isString)
				s.param(t, "handler", c.Handler, notBasic)
				s.param(t, "status", c.Status, isInteger)
			}
			for _, c := range b.Wrappers[p.wrappers.lo:p.wrappers.hi] {
				s := l.check(t, pkg, c.Recv, c.Name, c.Sig, c.IsVar)
				s.param(t, "ctx", c.Ctx, isContext)
				s.result(t, "err", c.Err, isError)
				s.param(t, "dur", c.Dur, func(x types.Type) bool { return isDuration(x) || c.Unit != 0 })
				s.param(t, "handler", c.Handler, notBasic)
			}
			for _, c := range b.tables.Settings[p.settings.lo:p.settings.hi] {
				if c.Recv != "dsn" && lookup(pkg, c.Recv, c.Name) == nil {
					t.Errorf("setting %s is not declared", join(c.Recv, c.Name))
				}
			}
			for _, c := range b.tables.Symbols[p.symbols.lo:p.symbols.hi] {
				if lookup(pkg, c.Recv, c.Name) == nil {
					t.Errorf("%s %s is not declared", c.Kind, join(c.Recv, c.Name))
				}
			}
		})
	}
	t.Logf("%d of %d import paths compared, %d not in the module cache", checked, checked+absent, absent)
}

// declared is a function type under comparison; the zero value compares nothing.
type declared struct {
	name string
	sig  *types.Signature
}

func (d declared) param(t *testing.T, what string, i int, is func(types.Type) bool) {
	if d.sig == nil || i < 0 {
		return
	}
	if i >= d.sig.Params().Len() {
		t.Errorf("%s: %s is parameter %d of %d", d.name, what, i, d.sig.Params().Len())
		return
	}
	x := d.sig.Params().At(i).Type()
	if s, ok := x.(*types.Slice); ok && d.sig.Variadic() && i == d.sig.Params().Len()-1 {
		x = s.Elem()
	}
	if is != nil && known(x) && !is(x) {
		t.Errorf("%s: %s is parameter %d, whose type is %s", d.name, what, i, x)
	}
}

func (d declared) result(t *testing.T, what string, i int, is func(types.Type) bool) {
	if d.sig == nil || i < 0 {
		return
	}
	if i >= d.sig.Results().Len() {
		t.Errorf("%s: %s is result %d of %d", d.name, what, i, d.sig.Results().Len())
		return
	}
	if x := d.sig.Results().At(i).Type(); known(x) && !is(x) {
		t.Errorf("%s: %s is result %d, whose type is %s", d.name, what, i, x)
	}
}

func join(recv, name string) string {
	if recv == "" {
		return name
	}
	return recv + "." + name
}

// known reports whether a type was resolved: those of a module that is not in the cache are not.
func known(x types.Type) bool { return !strings.Contains(x.String(), "invalid type") }

func isContext(x types.Type) bool { return x.String() == "context.Context" }

// An error result may be a type that implements error.
func isError(x types.Type) bool { return strings.HasSuffix(strings.ToLower(x.String()), "error") }

func isDuration(x types.Type) bool { return x.String() == "time.Duration" }

func isInteger(x types.Type) bool {
	b, ok := x.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isString(x types.Type) bool {
	b, ok := x.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func notBasic(x types.Type) bool { _, ok := x.Underlying().(*types.Basic); return !ok }

// lookup finds a function, method or field, promoted ones included.
func lookup(pkg *types.Package, recv, name string) types.Object {
	if recv == "" {
		return pkg.Scope().Lookup(name)
	}
	on := pkg.Scope().Lookup(recv)
	if on == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(on.Type(), true, pkg, name)
	return obj
}

func (l *sourceLoader) check(t *testing.T, pkg *types.Package, recv, name, sig string, funcVar bool) declared {
	obj := lookup(pkg, recv, name)
	if obj == nil {
		if on := pkg.Scope().Lookup(recv); on != nil && l.hides(on.Type(), nil) {
			return declared{} // embeds a type of a module that is not in the cache
		}
		t.Errorf("%s is not declared", join(recv, name))
		return declared{}
	}
	if _, isFunc := obj.(*types.Func); isFunc == funcVar {
		t.Errorf("%s is a %T", join(recv, name), obj)
	}
	s, ok := obj.Type().Underlying().(*types.Signature)
	if !ok {
		return declared{}
	}
	have := strings.TrimPrefix(types.TypeString(s, func(p *types.Package) string {
		if p == pkg {
			return ""
		}
		return p.Name()
	}), "func")
	if sig != "" && known(s) && normal(sig) != normal(have) && testing.Verbose() {
		t.Logf("%s: signature is %s, data has %s", join(recv, name), have, sig)
	}
	return declared{join(recv, name), s}
}

func normal(sig string) string { return strings.ReplaceAll(sig, "interface{}", "any") }

// hides reports whether a type embeds one that could not be read.
func (l *sourceLoader) hides(x types.Type, seen []types.Type) bool {
	if p, ok := x.(*types.Pointer); ok {
		x = p.Elem()
	}
	if slices.Contains(seen, x) {
		return false
	}
	seen = append(seen, x)
	switch u := x.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() && (!known(f.Type()) || l.hides(f.Type(), seen)) {
				return true
			}
		}
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if !known(e) || l.hides(e, seen) {
				return true
			}
		}
	case *types.Basic:
		return u.Kind() == types.Invalid
	}
	return false
}

// sourceLoader type-checks the declarations of packages in the module cache. A package that it cannot find has no members.
type sourceLoader struct {
	cache string
	fset  *token.FileSet
	pkgs  map[string]*types.Package
}

// load returns nil where the cache does not hold the package.
func (l *sourceLoader) load(path string) *types.Package {
	if p, ok := l.pkgs[path]; ok {
		return p
	}
	l.pkgs[path] = nil
	if path == "unsafe" {
		return types.Unsafe
	}
	dir := l.dir(path)
	if dir == "" {
		return nil
	}
	var files []*ast.File
	ctxt := build.Default
	ctxt.CgoEnabled = false
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, n := range names {
		if ok, _ := ctxt.MatchFile(dir, filepath.Base(n)); !ok || strings.HasSuffix(n, "_test.go") {
			continue
		}
		if f, err := parser.ParseFile(l.fset, n, nil, parser.SkipObjectResolution); err == nil {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil
	}
	conf := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Importer: l, Error: func(error) {}}
	p, _ := conf.Check(path, l.fset, files, nil)
	l.pkgs[path] = p
	return p
}

// Import makes sourceLoader a types.Importer.
func (l *sourceLoader) Import(path string) (*types.Package, error) {
	if p := l.load(path); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not in the module cache", path)
}

// dir finds the directory of an import path: in the standard library, or else the newest version in the cache of the longest
// module path that holds it.
func (l *sourceLoader) dir(path string) string {
	for _, src := range []string{"src", filepath.Join("src", "vendor")} {
		dir := filepath.Join(build.Default.GOROOT, src, filepath.FromSlash(path))
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	for mod := path; mod != "." && mod != ""; mod = parent(mod) {
		escaped, err := module.EscapePath(mod)
		if err != nil {
			continue
		}
		versions, _ := filepath.Glob(filepath.Join(l.cache, filepath.FromSlash(escaped)+"@v*"))
		slices.SortFunc(versions, func(x, y string) int { return semver.Compare(versionOf(x), versionOf(y)) })
		for i := len(versions) - 1; i >= 0; i-- {
			dir := filepath.Join(versions[i], filepath.FromSlash(strings.TrimPrefix(path, mod)))
			if info, err := os.Stat(dir); err == nil && info.IsDir() {
				return dir
			}
		}
	}
	return ""
}

func versionOf(dir string) string { return dir[strings.LastIndexByte(dir, '@')+1:] }

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}
