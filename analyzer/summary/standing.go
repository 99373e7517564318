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

// guards reports a call that makes a middleware which can answer by itself.
func (it *Interp) guards(s *site) bool {
	w, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name)
	return ok && (w.Role == knowledge.WrapAuth || w.Role == knowledge.WrapLimit && w.Tries.N < 0 && w.Dur < 0)
}

// guarded is a handler behind a call that guards it (tollbooth.LimitHandler).
func (it *Interp) guarded(w knowledge.WrapperCall, s *site) (Value, bool) {
	if w.Handler < 0 || w.Handler >= len(s.args) || !it.guards(s) {
		return Value{}, false
	}
	pos, end := sitePos(s)
	o := it.object(HandlerOf, s.result, pos)
	mw := it.lib(s.path, s.name, s.args, nil, pos)
	o.Wrap = &Wrap{Kind: "guard", Inner: s.args[w.Handler], Prefix: mw, Pos: pos, End: end}
	return termValue(o, s.result), true
}

// libraryOf is the library of a middleware: the call that made it, or the function that it is itself.
func libraryOf(mw Value) *Lib {
	if lib := libOf(mw); lib != nil {
		return lib
	}
	if len(mw.Terms) != 1 {
		return nil
	}
	f, ok := mw.Terms[0].(*Func)
	if !ok || f.Fn.Pkg() == nil {
		return nil
	}
	path, recv, name, ok := knowledge.NameOf(f.Fn)
	if !ok {
		return nil
	}
	if recv != "" {
		name = recv + "." + name
	}
	return &Lib{Path: path, Name: name}
}

// spares reports a configuration that lets some requests pass: whether the probe's is among them is not known.
func (it *Interp) spares(lib *Lib) bool {
	for _, a := range lib.Args {
		for _, o := range it.objectsIn(a) {
			for _, f := range []string{"Next", "Skipper", "Filter", "Skip"} {
				if c, ok := o.Fields[f]; ok && !isNilOnly(it.get(c)) {
					return true
				}
			}
			if o.Items != nil {
				for _, c := range o.Items.List {
					if it.spares(&Lib{Args: []Value{it.get(c)}}) {
						return true
					}
				}
			}
		}
	}
	return false
}

// standsBefore notes a middleware of a library on the way to the handler.
func (it *Interp) standsBefore(mw Value) {
	it.cacheMiddleware(mw)
	lib := libraryOf(mw)
	if lib == nil || it.resp == nil || it.spares(lib) {
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
	if !k.Pos.IsValid() && it.req.route != nil {
		k.Pos, k.End = it.req.route.Pos, it.req.route.Pos
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
