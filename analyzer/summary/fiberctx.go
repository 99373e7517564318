package summary

import (
	"go/types"
	"strings"
)

// fiberCtx is the context that fiber keeps for a request: the background until a handler or a middleware sets another
// (https://pkg.go.dev/github.com/gofiber/fiber/v2#Ctx.UserContext). It does not end with the request.
func (it *Interp) fiberCtx() *Ctx {
	if c := it.userCtx; c != nil {
		for _, t := range it.get(c).Terms {
			if o, ok := t.(*Object); ok && o.Ctx != nil {
				return o.Ctx
			}
		}
	}
	return &Ctx{Root: RootBackground, Dead: len(it.req.ctx.Deadlines) == 0, Deadlines: it.req.ctx.Deadlines}
}

// modelFiberCtx knows c.SetUserContext(ctx) of fiber v2 and c.SetContext(ctx) of v3.
func (it *Interp) modelFiberCtx(s *site) (Value, bool) {
	if it.req == nil || !strings.HasPrefix(s.path, "github.com/gofiber/fiber/") || s.name != "SetUserContext" && s.name != "SetContext" || len(s.args) != 1 {
		return Value{}, false
	}
	if it.userCtx == nil {
		it.userCtx = &Cell{Name: "context", Type: types.NewInterfaceType(nil, nil)}
	}
	it.put(it.userCtx, s.arg(0))
	return Value{}, true
}
