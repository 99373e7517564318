package summary

import (
	"go/token"

	"github.com/probelint/probelint/analyzer/knowledge"
)

func callable(v Value) bool {
	for _, t := range v.Terms {
		switch x := t.(type) {
		case *Closure, *Func:
			return true
		case *Object:
			if x.Kind == MiddlewareOf || x.Kind == HandlerOf || x.Kind == Library {
				return true
			}
		}
	}
	return false
}

// use adds middleware. With makes an inline group.
func (it *Interp) use(c knowledge.RouterCall, s *site) Value {
	ms := it.routersIn(s.recv)
	var out Value
	for _, m := range ms {
		target := m
		if s.name == "With" {
			target = it.newRouter(c.Router, s.result, s.e.Pos())
			target.Mux.Parent, target.Mux.Prefix, target.Mux.Syntax = m.Mux, stringValue("", nil), m.Mux.Syntax
			m.Mux.Groups = append(m.Mux.Groups, target.Mux)
		}
		for _, a := range it.spreadArgs(s, 0) {
			if _, ok := a.str(); ok {
				continue
			}
			if it.healthMiddleware(target, a, s) {
				continue
			}
			target.Mux.Uses = append(target.Mux.Uses, a)
		}
		out = termValue(target, s.result)
	}
	if isZero(out) {
		return unknown(s.result, nil)
	}
	return out
}

func (it *Interp) timeoutMiddleware(c knowledge.RouterCall, s *site) Value {
	pos, end := sitePos(s)
	w := &Wrap{Kind: "timeout", Pos: pos, End: end, Work: true}
	w.Dur = it.timeoutOf(c.Dur, s)
	if wc, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name); ok {
		w.Work, w.Answer, w.Status = wc.BoundsWork, wc.BoundsAnswer, wc.Answers
	}
	if c.Handler >= 0 {
		o := it.object(HandlerOf, s.result, pos)
		w.Inner = s.arg(c.Handler)
		o.Wrap = w
		return termValue(o, s.result)
	}
	o := it.object(MiddlewareOf, s.result, pos)
	o.Wrap = w
	return termValue(o, s.result)
}

// timeoutOf is the duration of a timeout middleware: a parameter, the field Timeout of a configuration, or an option.
func (it *Interp) timeoutOf(at int, s *site) Value {
	if at >= 0 {
		return s.arg(at)
	}
	for _, a := range it.spreadArgs(s, 0) {
		for _, o := range it.objectsIn(a) {
			if c, ok := o.Fields["Timeout"]; ok {
				return it.get(c)
			}
			if o.Lib == nil {
				continue
			}
			if w, ok := it.eng.kb.LookupWrapper(o.Lib.Path, "", o.Lib.Name); ok && w.Role == knowledge.WrapTimeout && w.Dur >= 0 && w.Dur < len(o.Lib.Args) {
				return o.Lib.Args[w.Dur]
			}
		}
	}
	return unknown(nil, nil)
}

// timeoutStep is a timeout middleware of a chain, which runs what follows in it (gin-contrib/timeout).
func (it *Interp) timeoutStep(w knowledge.WrapperCall, s *site) Value {
	pos, end := sitePos(s)
	o := it.object(HandlerOf, s.result, pos)
	o.Wrap = &Wrap{Kind: "timeout", Pos: pos, End: end, Dur: it.timeoutOf(w.Dur, s), Work: w.BoundsWork, Answer: w.BoundsAnswer, Status: w.Answers, Step: true}
	return termValue(o, s.result)
}

func argPos(s *site, i int) (token.Pos, token.Pos) {
	if s.e != nil && i < len(s.e.Args) {
		return s.e.Args[i].Pos(), s.e.Args[i].End()
	}
	return sitePos(s)
}

// invokeObject calls an object that stands for a function: a middleware of a library.
func (it *Interp) invokeObject(o *Object, s *site) Value {
	if o.Kind == MiddlewareOf {
		h := it.object(HandlerOf, s.result, o.Pos)
		w := *o.Wrap
		w.Inner = s.arg(0)
		h.Wrap = &w
		return termValue(h, s.result)
	}
	if o.Kind == HandlerOf && it.resp != nil {
		it.handleWrap(o.Wrap, s)
		return unknown(s.result, nil)
	}
	if o.Lib != nil && o.Lib.Path == "sync" && o.Lib.Name == onceName {
		return it.once(func() Value { return it.callValue(o.Lib.Args[0], s) })
	}
	if it.invokes(o, s) {
		return unknown(s.result, nil)
	}
	if o.Lib != nil {
		return it.opaque(s).withLabel(it.unknownCode(s, "the function that is called is not known"))
	}
	return it.opaque(s)
}
