package summary

import (
	"go/token"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// CheckPlace is where the first check of a library's endpoint stands: in the program's own code, else where the first check
// that can fail is registered, else the first registration. The positions are not valid where there is no check.
func (g *Engine) CheckPlace(v Value, vals Values) (symbol string, pos, end token.Pos, ok bool) {
	var w *Wrap
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Object:
			if x.Kind == HandlerOf && x.Wrap.Kind == "checks" {
				w = x.Wrap
			} else if h, ok := g.newInterp().healthHandler(x, nil); ok {
				w = h
			}
		case *Func: // health.LiveEndpoint as a handler
			if x.Recv == nil {
				continue
			}
			if _, own := g.decls[x.Fn.Origin()]; own {
				continue
			}
			it := g.newInterp()
			it.request = true
			set := it.checkSetOf(*x.Recv)
			if set == nil {
				continue
			}
			s := &site{fn: x.Fn, method: true, recv: *x.Recv}
			it.describe(s)
			role := knowledge.HealthBoth
			if c, ok := it.lookupHealth(s); ok {
				role = endpointRole(c.Role)
			}
			w = &Wrap{checks: set, role: role}
		}
	}
	if w == nil {
		return "", 0, 0, false
	}
	var fallback *check
	list := w.checks.inForce(w.role, vals)
	for i := range list {
		k := &list[i]
		for _, t := range k.run.Terms {
			switch x := t.(type) {
			case *Closure:
				return g.symbolOf(x.Lit), x.Lit.Pos(), x.Lit.End(), true
			case *Func:
				if d, ok := g.decls[x.Fn.Origin()]; ok {
					return g.symbolOf(d.decl), d.decl.Name.Pos(), d.decl.End(), true
				}
			}
		}
		if fallback == nil || fallback.static && !k.static {
			fallback = k
		}
	}
	if fallback == nil {
		return w.checks.lib.ID, token.NoPos, token.NoPos, true // the route is all there is of it in the program
	}
	return w.checks.lib.ID, fallback.pos, fallback.end, true
}
