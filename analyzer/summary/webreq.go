package summary

import (
	"go/types"
	"strings"
)

// modelWebPath folds what the contexts of frameworks tell of the request beside headers and query values: its path, method and
// cookies.
func (it *Interp) modelWebPath(s *site) (Value, bool) {
	if it.req == nil || it.openRequest || !s.method {
		return Value{}, false
	}
	web := false
	for _, t := range s.recv.Terms {
		if o, ok := t.(*Object); ok && o.Kind == WebContext {
			web = true
		}
	}
	if !web {
		return Value{}, false
	}
	fiber := strings.HasPrefix(s.path, "github.com/gofiber/fiber")
	switch s.name {
	case "Next": // the rest of the chain: gin, fiber, iris, hertz
		if len(it.chain) > 0 {
			return it.next(s), true
		}
	case "Path":
		if fiber || s.path == "github.com/valyala/fasthttp" || strings.HasPrefix(s.path, "github.com/cloudwego/hertz") {
			it.readPath()
			return stringValue(it.req.path, s.result), true
		}
		if strings.HasPrefix(s.path, "github.com/labstack/echo") {
			return it.routePattern(s)
		}
	case "FullPath":
		return it.routePattern(s)
	case "OriginalURL":
		if it.req.Query == "" {
			return stringValue(it.req.path, s.result), true
		}
		return stringValue(it.req.path+"?"+it.req.Query, s.result), true
	case "Method":
		if fiber && len(s.args) == 0 {
			return stringValue(it.req.Method, s.result), true
		}
	case "GetQuery":
		if k, ok := s.arg(0).str(); ok {
			return Value{Tuple: []Value{stringValue(it.req.query.Get(k), nil), boolValue(it.req.query.Has(k))}}, true
		}
	case "Cookies":
		if v, _ := it.header("Cookie"); v == "" && isStringResult(s.result) {
			if len(s.args) > 1 {
				return s.arg(1), true
			}
			return stringValue("", s.result), true
		}
	case "Cookie":
		if tup, ok := s.result.(*types.Tuple); ok && tup.Len() == 2 {
			if v, _ := it.header("Cookie"); v == "" {
				return Value{Tuple: []Value{zeroValue(tup.At(0).Type()), {Open: true, Nil: mayNonNil, Type: tup.At(1).Type()}}}, true
			}
		}
	}
	return Value{}, false
}

// routePattern is the pattern of the route as it was registered.
func (it *Interp) routePattern(s *site) (Value, bool) {
	if it.req.route == nil || it.req.route.Mux == nil || it.req.route.Mux.Parent != nil {
		return Value{}, false // the prefix of a group belongs to it
	}
	p, ok := it.req.route.Pattern.str()
	if !ok {
		return Value{}, false
	}
	return stringValue(p, s.result), true
}

// holds tells whether a map has a key, where all of its keys are known.
func (it *Interp) holds(base, idx Value) (has, known bool) {
	k, ok := idx.isConst()
	if !ok || base.Open || len(base.Terms) != 1 {
		return false, false
	}
	o, ok := base.Terms[0].(*Object)
	if !ok || o.Items == nil || o.Items.Keys == nil || o.Items.Any != nil || !o.Items.Exact || len(o.Items.Keys) != len(o.Items.List) {
		return false, false
	}
	for _, x := range o.Items.Keys {
		c, ok := x.isConst()
		if !ok {
			return false, false
		}
		has = has || c.ExactString() == k.ExactString()
	}
	return has, true
}
