// Package load reads Go code into syntax and types without compiling anything, running a build or asking the network.
//
// First-party packages are read whole. Of everything they import only the declarations are read that something mentions,
// directly or through another declaration; function bodies of dependencies are never parsed. What cannot be found is
// replaced by a type stub where there is one, and else left unknown; a limit says so, and what it costs.
package load

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/semver"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Options says what to load.
type Options struct {
	// Set takes the bytes of first-party files; its root is what paths are relative to.
	Set *source.Set
	// Dirs are absolute directories: of modules, or of packages inside one. Every package at or below each is loaded, up
	// to nested modules.
	Dirs []string
	// Alone: each of Dirs is one package; what lies below it is read only as far as the package imports it.
	Alone bool
	// Tags are build tags besides those of GOFLAGS.
	Tags []string
	// Offline is always obeyed: a load never uses the network.
	Offline bool

	env *env // tests
}

// Package is one first-party package.
type Package struct {
	Path, Name string
	Dir        string // relative to the root of the set
	Module     string // module path
	Files      []*ast.File
	Types      *types.Package
	Info       *types.Info
	// IllTyped: at least one type error, and so some types are unknown (types.Invalid).
	IllTyped bool
	Errors   []error

	calls, typed int
	graph        *graph
}

// Version is the version of a module that the package is built with, as the go.mod files of the tree select it; "" where they
// do not require it, or a replacement by a directory stands for it.
func (p *Package) Version(module string) string {
	if p.graph == nil || p.graph.firsts[module] != nil {
		return ""
	}
	if m := p.graph.reqs[module]; m != nil && semver.IsValid(m.version) {
		return m.version
	}
	return ""
}

// Result is what was loaded.
type Result struct {
	Fset *token.FileSet
	// Packages are the first-party packages, each after those that it imports.
	Packages []*Package
	// ByPath finds them by import path. Where two modules of the tree have a package of the same path the first wins.
	ByPath   map[string]*Package
	Limits   []model.Limit
	Findings []lint.Finding // rule unreadable-input: first-party files that do not parse
	// TypedCalls of the Calls in first-party code call something whose type is known.
	TypedCalls, Calls int

	// Inputs are what else of the disk decided the result, besides the directories that were asked for.
	Inputs Inputs

	set     *source.Set
	decls   map[*types.Func]funcDecl
	byFile  map[*token.File]*Package
	imports map[string]*types.Package
}

// File is a first-party file that is read for its text alone; rel is relative to the root of the set.
func (r *Result) File(rel string) (*source.File, error) { return r.set.Get(rel) }

// Root is the directory that paths are relative to.
func (r *Result) Root() string { return r.set.Root }

type funcDecl struct {
	pkg  *Package
	decl *ast.FuncDecl
}

// loader is the state of one load.
type loader struct {
	ctx     context.Context
	set     *source.Set
	env     *env
	disk    *disk
	tags    *tags
	fset    *token.FileSet // first-party
	depFset *token.FileSet // positions of dependencies lie beyond those of fset and mean nothing
	work    *queue
	alone   bool // of each root its own package alone
	unsafe  *node
	limits  limits
	found   []lint.Finding
	// excluded are the first-party directories whose every Go file is for another build.
	excluded []excluded
	used     []string // the modules that go.work files name

	mu     sync.Mutex
	nodes  map[nodeKey]*node
	closed bool // all first-party packages are known

	fileOf map[*token.File]*Package
	base   int // next free position in fset
}

// nodeKey identifies a package. The standard library is shared by all graphs.
type nodeKey struct {
	graph int
	path  string
}

const depBase = 1 << 30

// Load reads the packages of the given directories and what they import. An error means that the context ended; whatever
// else is missing or broken is told by Limits and Findings.
func Load(ctx context.Context, o Options) (*Result, error) {
	l := &loader{
		ctx: ctx, set: o.Set, env: o.env,
		disk: &disk{dirs: map[string][]string{}},
		fset: token.NewFileSet(), depFset: token.NewFileSet(),
		work:   newQueue(),
		unsafe: &node{path: "unsafe", name: "unsafe", miss: &miss{}},
		nodes:  map[nodeKey]*node{},
		fileOf: map[*token.File]*Package{},
		base:   1,
	}
	l.unsafe.nameOnce.Do(func() {})
	l.depFset.AddFile("", depBase, 0)
	if l.env == nil {
		l.env = findEnv(ctx)
	}
	if l.set == nil {
		root := ""
		if len(o.Dirs) > 0 {
			root = o.Dirs[0]
		}
		l.set = source.NewSet(root)
	}
	l.tags = newTags(l.env.version, slices.Concat(l.env.tags, o.Tags))

	dirs := make([]string, len(o.Dirs))
	for i, d := range o.Dirs {
		dirs[i] = filepath.Clean(d)
	}
	p := &planner{env: l.env, disk: l.disk, mods: map[string]*gomod{}, works: modWorks{}, rel: l.set.Rel}
	roots := p.plan(dirs)
	l.limits = p.limits
	for name := range p.works {
		l.used = append(l.used, p.workDirs(name)...)
	}

	workers := runtime.GOMAXPROCS(0)
	l.alone = o.Alone
	first, err := l.discover(roots, workers)
	if err != nil {
		return nil, err
	}
	each(workers, len(first), func(i int) { l.demandsOf(first[i]) })
	l.anchors()
	l.work.drain(workers, func(n *node) {
		if ctx.Err() == nil {
			l.supply(n)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading dependencies: %w", err)
	}
	nodes := l.reachable(first)
	if err := l.check(nodes, workers); err != nil {
		return nil, err
	}
	return l.result(nodes, roots), nil
}

// anchors asks for declarations that the engine compares with, wherever net/http is reached at all.
func (l *loader) anchors() {
	for path, names := range map[string][]string{
		"net/http":     {"Handler", "HandlerFunc", "ResponseWriter", "Request", "Server", "ServeMux", "Client"},
		"context":      {"Context"},
		"database/sql": {"DB", "Conn", "Tx"},
	} {
		l.mu.Lock()
		n := l.nodes[nodeKey{stdGraph, path}]
		l.mu.Unlock()
		if n != nil {
			l.demand(n, names...)
		}
	}
}

// reachable lists the nodes that first-party packages import, directly or not, each after its imports; the order is the
// same in every run.
func (l *loader) reachable(first []*node) []*node {
	var out []*node
	seen := map[*node]bool{l.unsafe: true}
	var visit func(*node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.first == nil {
			n.deps = map[string]*node{}
			for _, f := range n.files {
				for name, to := range f.used {
					if name[0] == '.' {
						n.deps[name[1:]] = to
					} else {
						n.deps[importPath(f, name)] = to
					}
				}
			}
		}
		for _, path := range slices.Sorted(nodeKeys(n.deps)) {
			visit(n.deps[path])
		}
		if n.miss == nil {
			out = append(out, n)
		}
	}
	for _, n := range first {
		visit(n)
	}
	return out
}

func (l *loader) result(nodes []*node, roots []root) *Result {
	r := &Result{
		Fset: l.fset, ByPath: map[string]*Package{}, set: l.set, byFile: l.fileOf,
		decls: map[*types.Func]funcDecl{}, imports: map[string]*types.Package{},
		Findings: l.found,
	}
	for _, n := range nodes {
		if n.types != nil && r.imports[n.path] == nil {
			r.imports[n.path] = n.types
		}
		p := n.first
		if p == nil {
			continue
		}
		r.Packages = append(r.Packages, p)
		if r.ByPath[p.Path] == nil {
			r.ByPath[p.Path] = p
		}
		r.Calls += p.calls
		r.TypedCalls += p.typed
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok {
					if fn, ok := p.Info.Defs[fd.Name].(*types.Func); ok {
						r.decls[fn] = funcDecl{p, fd}
					}
				}
			}
		}
	}
	r.Inputs = l.inputs(roots)
	l.summarise(r, nodes, roots)
	r.Limits = l.limits.list
	return r
}

// Span converts positions of first-party code. Positions of anything else give the zero span.
func (r *Result) Span(from, to token.Pos) model.Span {
	tf := r.file(from)
	if tf == nil {
		return model.Span{}
	}
	start := tf.Offset(from)
	end := start
	if to > from && int(to) <= tf.Base()+tf.Size() {
		end = tf.Offset(to)
	}
	f, err := r.set.Get(tf.Name())
	if err != nil {
		return model.Span{}
	}
	return f.Span(start, end)
}

// NameEnd is the end of the name, plain or selected (`a.b.c`), that begins at a position of first-party code, so that a span
// of it is not empty; one byte behind where something else begins there, and pos itself outside of first-party code.
func (r *Result) NameEnd(pos token.Pos) token.Pos {
	tf := r.file(pos)
	if tf == nil {
		return pos
	}
	f, err := r.set.Get(tf.Name())
	if err != nil {
		return pos
	}
	start := tf.Offset(pos)
	end := start
	for end < len(f.Data) {
		c, n := utf8.DecodeRune(f.Data[end:])
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && (c != '.' || end == start) {
			break
		}
		end += n
	}
	for end > start && f.Data[end-1] == '.' {
		end--
	}
	if end == start && end < len(f.Data) {
		end++
	}
	return pos + token.Pos(end-start)
}

func (r *Result) file(pos token.Pos) *token.File {
	if !pos.IsValid() || pos >= depBase {
		return nil
	}
	return r.Fset.File(pos)
}

// FuncDecl is the declaration of a first-party function or method, and its package. An instance of a generic function
// has the declaration of its origin. It is nil for functions of other packages.
func (r *Result) FuncDecl(fn *types.Func) (*Package, *ast.FuncDecl) {
	if fn == nil {
		return nil, nil
	}
	d := r.decls[fn.Origin()]
	return d.pkg, d.decl
}

// PackageOf is the first-party package that a position lies in, or nil.
func (r *Result) PackageOf(pos token.Pos) *Package {
	if tf := r.file(pos); tf != nil {
		return r.byFile[tf]
	}
	return nil
}

// Mains are the main packages, in the order of Packages.
func (r *Result) Mains() []*Package {
	var out []*Package
	for _, p := range r.Packages {
		if p.Name == "main" {
			out = append(out, p)
		}
	}
	return out
}

// Import is the types of any package that was loaded, first-party or not, or nil. A dependency holds only the
// declarations that something mentions.
func (r *Result) Import(path string) *types.Package { return r.imports[path] }
