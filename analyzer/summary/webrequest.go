package summary

import (
	"strings"
)

// modelWebRequest are the parts of the request that a framework's context hands out by name: what the probe sends is known.
func (it *Interp) modelWebRequest(s *site) (Value, bool) {
	if it.req == nil || it.openRequest || !s.method || s.result == nil {
		return Value{}, false
	}
	web := false
	for _, t := range s.recv.Terms {
		o, ok := t.(*Object)
		web = web || ok && o.Kind == WebContext
	}
	if !web {
		return Value{}, false
	}
	fiber := strings.HasPrefix(s.path, "github.com/gofiber/fiber")
	if len(s.args) == 0 && (s.name == "Path" || s.name == "FullPath" || s.name == "OriginalURL") && isStringResult(s.result) {
		it.readPath()
		return stringValue(it.req.path, s.result), true
	}
	k, known := s.arg(0).str()
	if !known || !isStringResult(s.result) {
		return Value{}, false
	}
	switch s.name {
	case "GetHeader":
	case "Get":
		if !fiber { // gin and echo keep values of middleware under Get
			return Value{}, false
		}
	case "Query", "QueryParam", "DefaultQuery", "FormValue":
		v := it.req.query.Get(k)
		if d, ok := s.arg(1).str(); ok && !it.req.query.Has(k) {
			v = d
		}
		return stringValue(v, s.result), true
	default:
		return Value{}, false
	}
	v, ok := it.header(k)
	if !ok {
		return unknown(s.result, nil), true
	}
	if d, ok := s.arg(1).str(); ok && v == "" {
		v = d
	}
	return stringValue(v, s.result), true
}
