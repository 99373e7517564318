package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strconv"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// Index is what all programs of a load share: declarations, who changes what, which types implement what.
type Index struct {
	load    *load.Result
	kb      *knowledge.Base
	decls   map[*types.Func]declRef
	symbols map[ast.Node]string
	inits   map[*types.Var]initRef
	// writers are, for a field, a package variable or a captured variable, the functions that store to it.
	writers map[types.Object]map[ast.Node]bool
	named   []*types.Named // first-party, declared at package level
	namedAt map[*types.TypeName]int
	infoOf  map[ast.Node]*load.Package
	graph   *graph
	recvOf  map[ast.Node]*types.Named // of the methods
	work    map[ast.Node]bool         // declarations that do long work of start-up, or wait; see startwork.go
	waits   map[ast.Node]bool
	// spawning reaches a go statement, storing a store to something that outlives its function.
	spawning, storing map[ast.Node]bool
	// enclosing is the declaration that a literal stands in.
	enclosing map[ast.Node]ast.Node
	// counters are variables and fields that are counted up or down.
	counters map[types.Object]bool
	aliases  aliases
	// registering remembers what registers was asked. Programs are started one after the other.
	registering map[*ast.FuncDecl]bool
	// serving are the names of methods that register and serve, of the libraries that a package imports.
	serving map[*load.Package]map[string]bool
	// starters are the calls of other modules, by the package that makes them, that may open a listener.
	starters map[*load.Package][]string
}

type declRef struct {
	pkg  *load.Package
	decl *ast.FuncDecl
}

type initRef struct {
	pkg  *load.Package
	spec *ast.ValueSpec
}

// NewIndex reads the syntax of all first-party packages once.
func NewIndex(r *load.Result, kb *knowledge.Base) *Index {
	x := &Index{load: r, kb: kb, decls: map[*types.Func]declRef{}, symbols: map[ast.Node]string{}, inits: map[*types.Var]initRef{}, writers: map[types.Object]map[ast.Node]bool{}, infoOf: map[ast.Node]*load.Package{}, counters: map[types.Object]bool{}, aliases: newAliases(), enclosing: map[ast.Node]ast.Node{}, serving: map[*load.Package]map[string]bool{}, namedAt: map[*types.TypeName]int{}, starters: map[*load.Package][]string{}, registering: map[*ast.FuncDecl]bool{}}
	for _, p := range r.Packages {
		x.serving[p] = x.servingNames(p)
		for _, f := range p.Files {
			x.file(p, f)
		}
		if p.Types == nil {
			continue
		}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
				if n, ok := tn.Type().(*types.Named); ok {
					x.namedAt[n.Obj()] = len(x.named)
					x.named = append(x.named, n)
				}
			}
		}
	}
	x.scanBodies(x.buildGraph(), x.buildWork(), x.buildSpawning())
	return x
}

func (x *Index) file(p *load.Package, f *ast.File) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			sym := p.Path + "." + d.Name.Name
			if d.Recv != nil && len(d.Recv.List) == 1 {
				sym = "(" + recvText(d.Recv.List[0].Type, p.Path) + ")." + d.Name.Name
			}
			x.symbols[d] = sym
			x.infoOf[d] = p
			if fn, ok := p.Info.Defs[d.Name].(*types.Func); ok {
				x.decls[fn] = declRef{p, d}
			}
			x.body(p, d, sym)
		case *ast.GenDecl:
			if d.Tok != token.VAR {
				continue
			}
			for _, sp := range d.Specs {
				vs, ok := sp.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, id := range vs.Names {
					if v, ok := p.Info.Defs[id].(*types.Var); ok {
						x.inits[v] = initRef{p, vs}
					}
				}
				x.body(p, vs, p.Path+".init")
			}
		}
	}
}

func recvText(e ast.Expr, path string) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return "*" + recvText(t.X, path)
	case *ast.IndexExpr:
		return recvText(t.X, path)
	case *ast.IndexListExpr:
		return recvText(t.X, path)
	case *ast.Ident:
		return path + "." + t.Name
	}
	return path + ".?"
}

// body names the literals of a function and notes its stores.
func (x *Index) body(p *load.Package, root ast.Node, sym string) {
	n := 0
	stack := []ast.Node{root}
	ast.Inspect(root, func(nd ast.Node) bool {
		if nd == nil {
			return true
		}
		if lit, ok := nd.(*ast.FuncLit); ok && lit != root {
			n++
			x.symbols[lit] = sym + ".func" + strconv.Itoa(n)
			x.infoOf[lit] = p
			x.enclosing[lit] = root
		}
		return true
	})
	var walk func(nd ast.Node)
	walk = func(nd ast.Node) {
		ast.Inspect(nd, func(y ast.Node) bool {
			x.aliases.note(p, y, stack[len(stack)-1])
			switch y := y.(type) {
			case *ast.FuncLit:
				if y != nd {
					stack = append(stack, y)
					walk(y)
					stack = stack[:len(stack)-1]
					return false
				}
			case *ast.AssignStmt:
				for _, l := range y.Lhs {
					if y.Tok == token.DEFINE {
						if id, ok := l.(*ast.Ident); ok && p.Info.Defs[id] != nil {
							continue
						}
					}
					x.store(p, l, stack[len(stack)-1])
				}
			case *ast.IncDecStmt:
				x.store(p, y.X, stack[len(stack)-1])
				x.count(p, y.X)
			case *ast.UnaryExpr:
				if y.Op == token.AND {
					if _, lit := ast.Unparen(y.X).(*ast.CompositeLit); !lit && !x.isStruct(p, y.X) {
						x.store(p, y.X, stack[len(stack)-1])
					}
				}
			case *ast.CallExpr:
				// x.flag.Store(true) on an atomic
				if sel, ok := y.Fun.(*ast.SelectorExpr); ok && isMutator(sel.Sel.Name) {
					if n := namedOf(p.Info.TypeOf(sel.X)); isAtomic(n) {
						x.store(p, sel.X, stack[len(stack)-1])
						if strings.HasPrefix(sel.Sel.Name, "Add") || sel.Sel.Name == "Inc" || sel.Sel.Name == "Dec" {
							x.count(p, sel.X)
						}
					}
				} else if fn, ok := p.Info.Uses[calleeIdent(y)].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic" && strings.HasPrefix(fn.Name(), "Add") && len(y.Args) > 0 {
					if u, ok := ast.Unparen(y.Args[0]).(*ast.UnaryExpr); ok {
						x.count(p, u.X)
					}
				}
			case *ast.SendStmt:
				x.store(p, y.Chan, stack[len(stack)-1])
			}
			return true
		})
	}
	walk(root)
}

func isMutator(name string) bool {
	for _, p := range []string{"Store", "Add", "Swap", "CompareAndSwap", "Inc", "Dec", "Toggle", "And", "Or", "Sub", "CAS"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func (x *Index) isStruct(p *load.Package, e ast.Expr) bool {
	t := p.Info.TypeOf(e)
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

func calleeIdent(c *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	}
	return nil
}

// count notes a variable or field that is counted.
func (x *Index) count(p *load.Package, e ast.Expr) {
	if id := rootIdent(e); id != nil {
		if o := p.Info.Uses[id]; o != nil {
			x.counters[o] = true
		}
	}
}

// rootIdent is the name of the variable or field that an expression stands for.
func rootIdent(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

func (x *Index) store(p *load.Package, l ast.Expr, fn ast.Node) {
	var o types.Object
	switch l := ast.Unparen(l).(type) {
	case *ast.Ident:
		o = p.Info.Uses[l]
	case *ast.SelectorExpr:
		o = p.Info.Uses[l.Sel]
	case *ast.IndexExpr:
		x.store(p, l.X, fn)
		return
	case *ast.StarExpr:
		return
	}
	if o == nil {
		return
	}
	m := x.writers[o]
	if m == nil {
		m = map[ast.Node]bool{}
		x.writers[o] = m
	}
	m[fn] = true
}

func sortedFields(m map[string]*Cell) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
