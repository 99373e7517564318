package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// KnownWrapper is middleware of a library that can answer by itself.
type KnownWrapper struct {
	Symbol   string
	Pos, End token.Pos
	Statuses []int
	Kind     string
	Always   bool
}

// Wrappers are the middlewares of libraries that stand in front of the handler and can answer to this very request.
func (r *Result) Wrappers() []KnownWrapper { return r.Interp.held.wrappers }

// standsBefore notes a middleware of a library on the way to the handler.
func (it *Interp) standsBefore(mw Value) {
	lib := libOf(mw)
	if lib == nil || it.resp == nil {
		return
	}
	recv, name := "", lib.Name
	if r, n, ok := strings.Cut(lib.Name, "."); ok {
		recv, name = r, n
	}
	w, ok := it.eng.kb.LookupWrapper(lib.Path, recv, name)
	if !ok {
		return
	}
	k := KnownWrapper{Symbol: lib.Path + "." + lib.Name}
	switch w.Role {
	case knowledge.WrapAuth:
		k.Kind, k.Statuses = "auth", []int{401}
		k.Always = !strings.Contains(name, "Config")
	case knowledge.WrapLimit:
		k.Kind, k.Statuses = "limiter", []int{429}
	default:
		return
	}
	if w.Answers > 0 {
		k.Statuses = []int{w.Answers}
	}
	for _, t := range mw.Terms {
		if o, ok := t.(*Object); ok && o.Lib == lib {
			k.Pos, k.End = o.Pos, o.Pos
		}
	}
	for _, old := range it.held.wrappers {
		if old.Pos == k.Pos {
			return
		}
	}
	it.held.wrappers = append(it.held.wrappers, k)
}

// isForeign reports a middleware that a library made and that cannot be read.
func (it *Interp) isForeign(v Value) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); !ok || o.Kind != Library || o.Lib == nil || o.Mux != nil {
			return false
		}
	}
	it.standsBefore(v)
	return true
}

// HandlerDecl is the declaration or literal of a handler.
func (g *Engine) HandlerDecl(v Value) ast.Node {
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Closure:
			return x.Lit
		case *Func:
			if d, ok := g.decls[x.Fn.Origin()]; ok {
				return d.decl
			}
		case *Object:
			if x.Kind == HandlerOf && len(x.Wrap.Inner.Terms) > 0 {
				return g.HandlerDecl(x.Wrap.Inner)
			}
			if x.Type == nil {
				continue
			}
			obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(derefType(x.Type)), true, nil, "ServeHTTP")
			if fn, ok := obj.(*types.Func); ok {
				if d, ok := g.decls[fn.Origin()]; ok {
					return d.decl
				}
			}
		}
	}
	return nil
}

// IsWebContext reports the context of a framework that a handler takes.
func (g *Engine) IsWebContext(t types.Type) bool {
	p, n := typeName(t)
	return g.isWebContext(p, n)
}
