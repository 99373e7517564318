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
	if c.Dur >= 0 {
		w.Dur = s.arg(c.Dur)
	} else {
		w.Dur = unknown(nil, nil)
	}
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
