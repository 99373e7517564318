package summary

import (
	"go/types"
	"regexp"
)

// wrapsName is how functions are named that wrap a response writer, for modules whose types are missing.
var wrapsName = regexp.MustCompile(`^(?:New|Wrap|Make)?\w*(?:ResponseWriter|ResponseRecorder|StatusRecorder|StatusWriter|LoggingWriter)$|^Wrap$|^NewWriter$`)

// wrappedWriter is what libraries do with the writer of an answer and pass on: one that counts bytes or remembers the
// status writes through to the one that it was made of, and a function that is given a handler, the writer and the request
// runs the handler.
func (it *Interp) wrappedWriter(s *site) (Value, bool) {
	if it.resp == nil || s.e == nil {
		return Value{}, false
	}
	if s.method && it.writesTo(s.recv) {
		switch s.name {
		case "WriteHeader":
			it.writeStatus(s.arg(0), s)
			return Value{}, true
		case "Write", "WriteString":
			v := s.arg(0)
			v.Text = it.deepText(v, 0)
			it.writeBody(v, s)
			return it.writeOutcome(s), true
		case "Header":
			return it.lib("net/http", "Header", nil, s.result, s.e.Pos()), true
		}
	}
	if !it.anyWriter(s) {
		return Value{}, false
	}
	if h, ok := it.handedHandler(s); ok {
		it.runHandler(h, s)
		return it.made(s), true
	}
	t := s.result
	if tuple, ok := t.(*types.Tuple); ok && tuple.Len() > 0 {
		t = tuple.At(0).Type()
	}
	if !writesAnswers(t) && !(isInvalid(t) && wrapsName.MatchString(s.name)) {
		return Value{}, false
	}
	w := it.lib(s.path, "writer", s.args, t, s.e.Pos())
	if tuple, ok := s.result.(*types.Tuple); ok && tuple.Len() > 1 {
		v := Value{Tuple: []Value{w}}
		for i := 1; i < tuple.Len(); i++ {
			v.Tuple = append(v.Tuple, unknown(tuple.At(i).Type(), nil))
		}
		return v, true
	}
	return w, true
}

// handedHandler is the handler among the arguments of a call that is given the writer and the request as well.
func (it *Interp) handedHandler(s *site) (Value, bool) {
	var h Value
	found, request := false, false
	for _, a := range s.args {
		for _, t := range a.Terms {
			if o, ok := t.(*Object); ok && o == it.req.obj {
				request = true
			}
		}
		if it.eng.isHandlerType(a.Type) && len(a.Terms) > 0 {
			h, found = a, true
		}
	}
	return h, found && request
}

// writesAnswers reports a type that has the methods of http.ResponseWriter.
func writesAnswers(t types.Type) bool {
	if t == nil || isInvalid(t) {
		return false
	}
	for _, name := range []string{"Header", "Write", "WriteHeader"} {
		o, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
		if _, ok := o.(*types.Func); !ok {
			return false
		}
	}
	return true
}
