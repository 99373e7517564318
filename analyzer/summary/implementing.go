package summary

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// methods finds the first-party methods that an interface's method may stand for. In a large repository hundreds of types have
// a Get and a Close. types.Implements is asked only for those that have the method of the interface which the fewest have with
// that signature.
type methods struct {
	recvOf map[ast.Node]*types.Named
	byName map[string][]ast.Node
	// plain are the methods of types that embed nothing, by name and signature; such a type has no others. embedding are those
	// of types that have promoted ones too, open those whose type may have methods that are not known.
	plain, embedding signs
	open             map[string][]ast.Node
	declOf           map[named]ast.Node
	pairs            map[pair]bool
	found            map[*types.Func][]ast.Node
}

// signs are methods by name and the outline of their signature, in groups of identical signatures. typeutil.Map would do the
// same, and its package brings tables of the standard library that cost each start 0.8 MB.
type signs map[string][]*signed

type signed struct {
	sig   *types.Signature
	decls []ast.Node
}

func (s signs) add(name string, sig *types.Signature, decl ast.Node) {
	key := name + outline(sig)
	for _, g := range s[key] {
		if types.Identical(g.sig, sig) {
			g.decls = append(g.decls, decl)
			return
		}
	}
	s[key] = append(s[key], &signed{sig, []ast.Node{decl}})
}

func (s signs) at(name string, t types.Type) []ast.Node {
	sig, ok := t.(*types.Signature)
	if !ok {
		return nil
	}
	for _, g := range s[name+outline(sig)] {
		if types.Identical(g.sig, sig) {
			return g.decls
		}
	}
	return nil
}

// outline is the same text for identical signatures: the names of their named and basic types, and the kinds of the others.
func outline(sig *types.Signature) string {
	var b strings.Builder
	for _, t := range []*types.Tuple{sig.Params(), sig.Results()} {
		b.WriteByte('(')
		for v := range t.Variables() {
			b.WriteString(outlineOf(v.Type()))
			b.WriteByte(',')
		}
		b.WriteByte(')')
	}
	return b.String()
}

func outlineOf(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		return t.Obj().Name()
	case *types.Basic:
		return strconv.Itoa(int(t.Kind()))
	case *types.Pointer:
		return "*" + outlineOf(t.Elem())
	case *types.Slice:
		return "[]" + outlineOf(t.Elem())
	default:
		return reflect.TypeOf(t).Elem().Name()
	}
}

// named is a method by its type and name.
type named struct {
	of   *types.Named
	name string
}

func newMethods() *methods {
	return &methods{
		recvOf: map[ast.Node]*types.Named{}, byName: map[string][]ast.Node{}, plain: signs{}, embedding: signs{}, open: map[string][]ast.Node{},
		declOf: map[named]ast.Node{}, pairs: map[pair]bool{}, found: map[*types.Func][]ast.Node{},
	}
}

// add takes a declaration where it is that of a method.
func (m *methods) add(fn *types.Func, decl ast.Node) {
	sig, ok := fn.Type().(*types.Signature)
	if !ok || sig.Recv() == nil {
		return
	}
	n, name := namedOf(sig.Recv().Type()), fn.Name()
	m.recvOf[decl] = n
	m.byName[name] = append(m.byName[name], decl)
	m.declOf[named{n, name}] = decl
	switch {
	case n == nil || n.TypeParams().Len() > 0 || isInvalid(n.Underlying()) || embedsInvalid(n, map[types.Type]bool{}):
		m.open[name] = append(m.open[name], decl)
	case embeds(n):
		m.embedding.add(name, sig, decl)
	default:
		m.plain.add(name, sig, decl)
	}
}

// of are the methods that a method of an interface may stand for. What cannot be told may be.
func (m *methods) of(fn *types.Func) []ast.Node {
	if out, known := m.found[fn]; known {
		return out
	}
	out := m.byName[fn.Name()]
	if iface, sig := plainInterface(fn); iface != nil {
		out = nil
		for _, list := range [][]ast.Node{m.open[fn.Name()], m.embedding.at(fn.Name(), sig), m.having(iface, fn)} {
			for _, decl := range list {
				if m.fits(m.recvOf[decl], iface) {
					out = append(out, decl)
				}
			}
		}
	}
	m.found[fn] = out
	return out
}

// having are the methods of that name of types that embed nothing and have the method of the interface that is the rarest.
func (m *methods) having(iface *types.Interface, fn *types.Func) []ast.Node {
	var rarest []ast.Node
	for i := range iface.NumMethods() {
		x := iface.Method(i)
		list := m.plain.at(x.Name(), x.Type())
		if i == 0 || len(list) < len(rarest) {
			rarest = list
		}
	}
	var out []ast.Node
	for _, decl := range rarest {
		if d, ok := m.declOf[named{m.recvOf[decl], fn.Name()}]; ok {
			out = append(out, d)
		}
	}
	return out
}

func (m *methods) fits(n *types.Named, iface *types.Interface) bool {
	if n == nil || n.TypeParams().Len() > 0 {
		return true
	}
	k := pair{n, iface}
	yes, known := m.pairs[k]
	if !known {
		yes = types.Implements(types.NewPointer(n), iface)
		m.pairs[k] = yes
	}
	return yes
}

// plainInterface is the interface of a method, nil where it is that of a generic one.
func plainInterface(fn *types.Func) (*types.Interface, *types.Signature) {
	sig, _ := fn.Type().(*types.Signature)
	if sig == nil || sig.Recv() == nil {
		return nil, nil
	}
	t := sig.Recv().Type()
	if n, ok := t.(*types.Named); ok && n.TypeArgs().Len() > 0 {
		return nil, nil
	}
	iface, _ := t.Underlying().(*types.Interface)
	return iface, sig
}

// embeds reports a type that may have promoted methods.
func embeds(n *types.Named) bool {
	switch u := n.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() {
				return true
			}
		}
	case *types.Interface, *types.Pointer:
		return true
	}
	return false
}

// embedsInvalid reports a struct that embeds, directly or not, a type that is not known, which may have any method.
func embedsInvalid(t types.Type, seen map[types.Type]bool) bool {
	s, ok := derefType(t).Underlying().(*types.Struct)
	if !ok || seen[s] {
		return false
	}
	seen[s] = true
	for f := range s.Fields() {
		if f.Embedded() && (isInvalid(f.Type()) || embedsInvalid(f.Type(), seen)) {
			return true
		}
	}
	return false
}
