package summary

import (
	"go/types"
	"strings"
)

// chained is a method of a router that returns the router itself: an option (gorilla's SkipClean).
func (it *Interp) chained(s *site) (Value, bool) {
	if !s.method || s.result == nil || it.request || it.eng.firstParty(s.path) {
		return Value{}, false
	}
	n, m := namedOf(s.recv.Type), namedOf(s.result)
	if n == nil || m == nil || n.Obj() != m.Obj() || len(it.routersIn(s.recv)) == 0 {
		return Value{}, false
	}
	return s.recv, true
}

// handedOver notes routers and managers that code of another module is given to register on.
func (it *Interp) handedOver(s *site) {
	if it.request || s.e == nil || isCommandLib(s.path) {
		return
	}
	for i, a := range s.args {
		for _, t := range a.Terms {
			o, ok := t.(*Object)
			if !ok {
				continue
			}
			switch {
			case o.checks != nil && o.checks.server != nil && !strings.HasPrefix(s.path, controllerRuntime):
				o.checks.handed = s.short()
			case o.Mux != nil && registersOn(s, i):
				it.eng.gap(s, "what `"+s.short()+"` registers on the router that it is given")
			}
		}
	}
}

// registersOn reports a parameter that is a router to the callee, not just a handler to wrap.
func registersOn(s *site, i int) bool {
	if s.fn == nil {
		return s.result == nil // nothing comes back, so it is not a wrapper
	}
	sig, ok := s.fn.Type().(*types.Signature)
	if !ok || i >= sig.Params().Len() {
		return false
	}
	t := sig.Params().At(i).Type()
	if sig.Variadic() && i == sig.Params().Len()-1 {
		return false
	}
	p, n := typeName(t)
	return n != "" && !(p == "net/http" && n == "Handler") && !isHandlerFuncType(t)
}

func isHandlerFuncType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
