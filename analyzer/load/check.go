package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// importer answers the imports of one node.
type importer struct {
	l *loader
	n *node
}

// Import returns the package of an import as written. Where there is none it returns an empty package with the name that
// the code is likely to use, and an error: go/types then knows not to complain about what the package lacks.
func (im importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	to := im.n.deps[path]
	switch {
	case to == nil:
		return nil, errors.New("not part of the analysis")
	case to.miss != nil:
		return types.NewPackage(path, im.l.missingName(im.n, to)), errors.New(to.miss.why)
	case to.types == nil:
		return nil, errors.New("import cycle")
	}
	return to.types, nil
}

// checkDep type-checks what was taken of a dependency.
func (l *loader) checkDep(n *node) {
	var files []*ast.File
	for _, f := range n.files {
		if len(f.kept) == 0 {
			continue
		}
		slices.SortStableFunc(f.kept, func(a, b keptDecl) int { return a.at - b.at })
		file := &ast.File{Package: f.ident.NamePos, Name: f.ident, FileStart: f.ident.NamePos, FileEnd: f.ident.NamePos}
		file.Decls = append(file.Decls, importDecls(f)...)
		for _, k := range f.kept {
			file.Decls = append(file.Decls, k.decl)
		}
		files = append(files, file)
		f.kept, f.src = nil, nil
	}
	n.files, n.index, n.methods = nil, nil, nil
	conf := types.Config{
		IgnoreFuncBodies: true,
		FakeImportC:      true,
		Importer:         importer{l, n},
		Error:            func(error) {},
		Sizes:            types.SizesFor("gc", targetArch),
	}
	// Errors are of no interest: a dependency compiles, and what was left out of it on purpose does not.
	n.types, _ = conf.Check(n.path, l.depFset, files, nil)
	if len(files) == 0 {
		n.types.SetName(n.pkgName(l))
	}
	n.types.MarkComplete()
	if n.part {
		markPartial(n.types)
	}
}

// partial imports a package with an error.
type partial struct{ pkg *types.Package }

func (p partial) Import(string) (*types.Package, error) {
	return p.pkg, errors.New("known in part")
}

// markPartial makes go/types take names that a package lacks as unknown instead of wrong. It does so for packages that
// were imported with an error, so one such import is made here, where nobody else has the package yet.
func markPartial(pkg *types.Package) {
	name := ast.NewIdent("p")
	spec := &ast.ImportSpec{Name: ast.NewIdent("_"), Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(pkg.Path())}}
	file := &ast.File{Name: name, Decls: []ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}}}
	conf := types.Config{Importer: partial{pkg}, Error: func(error) {}}
	_, _ = conf.Check("p", token.NewFileSet(), []*ast.File{file}, nil)
}

func importDecls(f *depFile) []ast.Decl {
	var out []ast.Decl
	for _, name := range slices.Sorted(nodeKeys(f.used)) {
		spec := &ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING}}
		if name[0] == '.' {
			spec.Name = ast.NewIdent(".")
			spec.Path.Value = strconv.Quote(name[1:])
		} else {
			spec.Name = ast.NewIdent(name)
			spec.Path.Value = strconv.Quote(importPath(f, name))
		}
		spec.Path.ValuePos, spec.Name.NamePos = f.ident.NamePos, f.ident.NamePos
		out = append(out, &ast.GenDecl{Tok: token.IMPORT, TokPos: f.ident.NamePos, Specs: []ast.Spec{spec}})
	}
	return out
}

func nodeKeys(m map[string]*node) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// importPath is the path as written of the import that a file knows under a name.
func importPath(f *depFile, name string) string {
	for _, im := range f.outline.imports {
		if im.name == name {
			return im.path
		}
	}
	to := f.names[name]
	for _, im := range f.outline.imports {
		if im.name == "" && (im.path == to.path || "vendor/"+im.path == to.path) {
			return im.path
		}
	}
	return to.path
}

// checkFirst type-checks a first-party package.
func (l *loader) checkFirst(n *node) {
	p := n.first
	p.Info = &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue, n.exprs+n.idents/2),
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       make(map[*ast.Ident]types.Object, n.idents*3/4),
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Implicits:  map[ast.Node]types.Object{},
	}
	conf := types.Config{
		FakeImportC: true,
		Importer:    importer{l, n},
		GoVersion:   goVersion(n.mod.goVersion),
		Sizes:       types.SizesFor("gc", targetArch),
		Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) && te.Soft {
				return // unused variables and imports: nothing that follows suffers
			}
			p.Errors = append(p.Errors, err)
		},
	}
	p.Types, _ = conf.Check(p.Path, l.fset, p.Files, p.Info)
	p.Types.MarkComplete()
	p.IllTyped = len(p.Errors) > 0
	n.types = p.Types
	for _, f := range p.Files {
		ast.Inspect(f, func(x ast.Node) bool {
			if call, ok := x.(*ast.CallExpr); ok {
				p.calls++
				// Of a constant call of a built-in function only the result is recorded.
				if known(p.Info, call.Fun) || known(p.Info, call) {
					p.typed++
				}
			}
			return true
		})
	}
	slim(p.Info, n.exprs)
}

// slim drops the types of identifiers that stand for a variable or function: Info.TypeOf finds those at the object. They are
// half of all, and the types are the largest part of what a load keeps. exprs is how many expressions there are that are no
// identifiers.
func slim(info *types.Info, exprs int) {
	small := make(map[ast.Expr]types.TypeAndValue, exprs+exprs/8)
	for e, tv := range info.Types {
		if id, ok := e.(*ast.Ident); !ok || !atObject(info, id, tv) {
			small[e] = tv
		}
	}
	info.Types = small
}

// atObject reports an identifier whose entry says no more than its object does.
func atObject(info *types.Info, id *ast.Ident, tv types.TypeAndValue) bool {
	if tv.Addressable() { // a variable
		return true
	}
	if tv.Value != nil || !tv.IsValue() {
		return false
	}
	fn, ok := info.Uses[id].(*types.Func)
	return ok && fn.Type() == tv.Type
}

func known(info *types.Info, e ast.Expr) bool {
	tv, ok := info.Types[e]
	return ok && tv.Type != nil && tv.Type != types.Typ[types.Invalid]
}

// goVersion is the language version to check with: that of the module, but no newer than the type checker knows.
func goVersion(mod string) string {
	if mod == "" {
		return ""
	}
	v := "go" + mod
	if !version.IsValid(v) {
		return ""
	}
	if own := runtime.Version(); version.IsValid(own) && version.Compare(version.Lang(v), version.Lang(own)) > 0 {
		return version.Lang(own)
	}
	return v
}

// check type-checks all nodes, each after its imports, with as many workers as may run.
func (l *loader) check(nodes []*node, workers int) error {
	waits := make(map[*node]int, len(nodes))
	users := make(map[*node][]*node, len(nodes))
	for _, n := range nodes {
		for _, d := range uniqueDeps(n) {
			if d.miss == nil && d != n && d != l.unsafe {
				waits[n]++
				users[d] = append(users[d], n)
			}
		}
	}
	var mu sync.Mutex
	done := map[*node]bool{}
	q := newQueue()
	for _, n := range nodes {
		if waits[n] == 0 {
			q.nodes = append(q.nodes, n)
		}
	}
	for len(done) < len(nodes) {
		q.drain(workers, func(n *node) {
			l.checkNode(n)
			mu.Lock()
			done[n] = true
			var ready []*node
			for _, u := range users[n] {
				if waits[u]--; waits[u] == 0 && !done[u] {
					ready = append(ready, u)
				}
			}
			mu.Unlock()
			for _, u := range ready {
				q.push(u)
			}
		})
		if err := l.ctx.Err(); err != nil {
			return fmt.Errorf("type-checking: %w", err)
		}
		// What is left imports itself. Nothing but an error comes of the import that closes the cycle.
		for _, n := range nodes {
			if !done[n] {
				waits[n] = 0
				q.nodes = append(q.nodes, n)
				break
			}
		}
	}
	return nil
}

func (l *loader) checkNode(n *node) {
	if l.ctx.Err() != nil {
		return
	}
	// The type checker has been known to panic on code that does not compile. One package is then lost, not the run.
	defer func() {
		if x := recover(); x != nil {
			if n.types == nil {
				n.types = types.NewPackage(n.path, n.pkgName(l))
				n.types.MarkComplete()
			}
			if p := n.first; p != nil {
				p.Types, p.IllTyped = n.types, true
				p.Errors = append(p.Errors, fmt.Errorf("the type checker stopped at %s: %v", n.path, x))
			}
		}
	}()
	if n.first != nil {
		l.checkFirst(n)
		return
	}
	l.checkDep(n)
}

func uniqueDeps(n *node) []*node {
	seen := map[*node]bool{}
	var out []*node
	for _, d := range n.deps {
		if !seen[d] {
			seen[d] = true
			out = append(out, d)
		}
	}
	return out
}
