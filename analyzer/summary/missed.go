package summary

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// missed interprets functions that register routes or start servers and that main was not seen to reach (frameworks that
// call by reflection, dependency injection): with parameters of which only the type is known.
func (g *Engine) missed(it *Interp, pkgs []*load.Package) {
	for _, p := range pkgs {
		for _, f := range p.Files {
			for _, d := range f.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Body == nil || g.visited[fd] || !g.registers(p, fd) {
					continue
				}
				fn, _ := p.Info.Defs[fd.Name].(*types.Func)
				if fn == nil {
					continue
				}
				sig := fn.Type().(*types.Signature)
				s := &site{fn: fn}
				for i := range sig.Params().Len() {
					s.args = append(s.args, unknown(sig.Params().At(i).Type(), nil))
				}
				s.spread = sig.Variadic()
				it.frame = g.root(p, p.Path)
				var recv *Value
				if sig.Recv() != nil {
					r := it.standIn(unknown(sig.Recv().Type(), nil), sig.Recv().Type())
					recv = &r
				}
				it.enter(p, fd, fd.Type, fd.Body, g.symbolOf(fd), nil, recv, s)
				it.exited = false
				it.detachAll()
			}
		}
	}
}

// registers reports whether a function itself calls something that adds routes or opens a listener.
func (x *Index) registers(p *load.Package, fd *ast.FuncDecl) bool {
	found, known := x.registering[fd]
	if known {
		return found
	}
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found {
			return !found
		}
		sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
		if !ok {
			return true
		}
		fn, ok := p.Info.Uses[sel.Sel].(*types.Func)
		if !ok {
			return true
		}
		path, recv, name, ok := knowledge.NameOf(fn)
		if !ok || x.firstParty(path) {
			return true
		}
		if c, ok := x.kb.LookupRouter(path, recv, name); ok {
			switch c.Role {
			case knowledge.RouterRegister, knowledge.RouterGroup, knowledge.RouterMount, knowledge.RouterServe, knowledge.RouterHandler:
				found = true
			}
		}
		return true
	})
	x.registering[fd] = found
	return found
}

// implementors are the first-party methods that an interface call may reach when nothing is known of the receiver: those
// of types that the program makes.
func (g *Engine) implementors(s *site) []*types.Func {
	recv := s.fn.Type().(*types.Signature).Recv()
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return nil
	}
	if p := s.fn.Pkg(); p == nil || !g.firstParty(p.Path()) {
		return nil
	}
	if got, ok := g.reached[s.fn]; ok && got.made == len(g.instanced) {
		return got.methods
	}
	var out []*types.Func
	for _, i := range g.instanced {
		n := g.named[i]
		if types.IsInterface(n) || n.TypeParams().Len() > 0 || !g.satisfies(n, iface) {
			continue
		}
		if fn, _ := methodOf(n, s.fn); fn != nil {
			if len(out) == maxImplementors {
				out = nil
				break
			}
			out = append(out, fn)
		}
	}
	g.reached[s.fn] = reached{len(g.instanced), out}
	return out
}

// maxImplementors are the types of which each is tried where an interface's method is called; of more, none is.
const maxImplementors = 4

// reached are the methods that one of an interface may stand for, as of so many types that the program made.
type reached struct {
	made    int
	methods []*types.Func
}

// makes notes a type that the program makes, in the order of the index.
func (g *Engine) makes(t *types.TypeName) {
	i, ok := g.namedAt[t]
	if !ok {
		return
	}
	at, _ := slices.BinarySearch(g.instanced, i)
	g.instanced = slices.Insert(g.instanced, at, i)
}

// satisfies is types.Implements for a pointer to a type, asked once for each pair.
func (g *Engine) satisfies(n *types.Named, iface *types.Interface) bool {
	k := pair{n, iface}
	yes, known := g.satisfied[k]
	if !known {
		yes = types.Implements(types.NewPointer(n), iface)
		g.satisfied[k] = yes
	}
	return yes
}

type pair struct {
	named *types.Named
	iface *types.Interface
}

// orphanRouter keeps the routes of a router whose origin is not known.
func (g *Engine) orphanRouter(it *Interp, lib string, s *site) *Object {
	if it.request || s.e == nil {
		return nil
	}
	key := it.frame.symbol
	if sel, ok := ast.Unparen(s.e.Fun).(*ast.SelectorExpr); ok {
		key += "|" + exprText(sel.X)
	}
	o := g.orphans[key]
	if o == nil {
		o = it.newRouter(lib, s.recv.Type, s.e.Pos())
		g.orphans[key] = o
	}
	return o
}
