package summary

import (
	"go/types"
)

// promote walks the embedded fields of a promoted method to the receiver that has it.
func (it *Interp) promote(recv Value, sel *types.Selection) Value {
	idx := sel.Index()
	if len(idx) < 2 {
		return recv
	}
	if lib := libOf(recv); lib != nil && !it.eng.firstParty(lib.Path) {
		if p, _ := typeName(sel.Recv()); !it.eng.firstParty(p) {
			return recv // how a library's object was made says more than its insides, which are not read
		}
	}
	cells := it.walkFields(it.objectsIn(recv), sel.Recv(), idx[:len(idx)-1])
	if len(cells) == 0 {
		t := sel.Recv()
		for _, i := range idx[:len(idx)-1] {
			if st := structOf(t); st != nil && i < st.NumFields() {
				t = st.Field(i).Type()
			}
		}
		return unknown(t, recv.L)
	}
	return it.anyOf(cells).withLabel(recv.L)
}

func isInterfaceMethod(fn *types.Func) bool {
	sig, ok := fn.Type().(*types.Signature)
	return ok && sig.Recv() != nil && types.IsInterface(sig.Recv().Type())
}

// dynamic calls an interface method on what the receiver may be.
func (it *Interp) dynamic(s *site) Value {
	type target struct {
		fn   *types.Func
		recv Value
	}
	var ts []target
	unknownRecv := s.recv.Open
	for _, t := range s.recv.Terms {
		switch t := t.(type) {
		case *Object:
			if t.Type == nil {
				unknownRecv = true
				continue
			}
			fn, idx := methodOf(t.Type, s.fn)
			if fn == nil {
				if t.Kind != Plain || t.Lib != nil {
					r := termValue(t, t.Type)
					r.L, r.Text = s.recv.L, s.recv.Text
					ts = append(ts, target{nil, r})
				}
				continue
			}
			r := it.alongIndex(termValue(t, t.Type), t.Type, idx)
			if t.Lib != nil {
				r.L, r.Text = r.L.union(s.recv.L), r.Text.union(s.recv.Text)
			}
			ts = append(ts, target{fn, r})
		case *Func, *Closure:
			// a func type with methods (http.HandlerFunc, CheckFunc): its method calls itself
			ts = append(ts, target{nil, Value{Terms: []Term{t}, Nil: mayNonNil, Type: s.recv.Type}})
		}
	}
	if len(ts) == 0 {
		if fns := it.eng.implementors(s); len(fns) > 0 {
			for _, fn := range fns {
				sig := fn.Type().(*types.Signature)
				ts = append(ts, target{fn, it.standIn(Value{Open: true, Nil: mayNonNil, Type: sig.Recv().Type()}, sig.Recv().Type())})
			}
			unknownRecv = true
		}
	}
	if len(ts) == 0 {
		if it.request && s.fn.Pkg() != nil && it.eng.firstParty(s.fn.Pkg().Path()) && returnsError(s.fn) {
			it.maybeUnfollowed(s, "what the interface holds is not known")
		}
		return it.external(s)
	}
	terms := make([]Term, len(ts))
	for i := range ts {
		terms[i] = i
	}
	may := unknownRecv || len(ts) > 1
	v := it.each(terms, func(x Term) Value {
		t := ts[x.(int)]
		n := *s
		n.recv, n.byValue = t.recv, true
		if t.fn == nil {
			for _, term := range t.recv.Terms {
				switch c := term.(type) {
				case *Closure:
					return it.viaInterface(may, func() Value { return it.invoke(c, &n) })
				case *Func:
					return it.viaInterface(may, func() Value { return it.invoke(c, &n) })
				case *Object:
					n.path, n.recvT = typeName(c.Type)
					if c.Lib != nil && n.path == "" {
						n.path, n.recvT = c.Lib.Path, c.Lib.Name
					}
				}
			}
			return it.viaInterface(may, func() Value { return it.external(&n) })
		}
		n.fn = t.fn
		it.describe(&n)
		return it.viaInterface(may, func() Value {
			if v, ok := it.model(&n); ok {
				return v
			}
			if d, ok := it.eng.decls[n.fn]; ok && !it.eng.kb.Adds(n.path, n.recvT, n.name) {
				return it.enterDecl(d, &n)
			}
			if isInterfaceMethod(n.fn) && !sameRecv(&n.recv, &s.recv) {
				return it.dynamic(&n)
			}
			return it.external(&n)
		})
	})
	if unknownRecv {
		v.Open = true
	}
	return v.withLabel(s.recv.L.blur())
}

// viaInterface notes, for the effects below, that they were reached through an interface.
func (it *Interp) viaInterface(may bool, f func() Value) Value {
	var v Value
	n := it.collect(nodeSeq, func() { v = f() })
	n.walk(func(e *Effect) {
		if may {
			e.Interface = "may"
		} else if e.Interface == "" {
			e.Interface = "exact"
		}
	})
	if !n.empty() {
		it.cur.add(n)
	}
	return v
}

// methodOf finds the method of a concrete type that implements an interface's.
func methodOf(t types.Type, m *types.Func) (*types.Func, []int) {
	if _, ok := types.Unalias(t).(*types.Pointer); !ok {
		if _, ok := t.Underlying().(*types.Interface); !ok {
			t = types.NewPointer(t)
		}
	}
	obj, idx, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
	fn, _ := obj.(*types.Func)
	if fn == nil {
		return nil, nil
	}
	return fn.Origin(), idx
}

// alongIndex is the embedded receiver of a promoted method.
func (it *Interp) alongIndex(v Value, t types.Type, idx []int) Value {
	if len(idx) < 2 {
		return v
	}
	return it.anyOf(it.walkFields(it.objectsIn(v), t, idx[:len(idx)-1]))
}

// anyOf is what any of these cells can hold; structs that were never written are there all the same.
func (it *Interp) anyOf(cells []*Cell) Value {
	var v Value
	for i, c := range cells {
		x := it.get(c)
		if len(x.Terms) == 0 && structOf(c.Type) != nil {
			x = it.embedded(c, c.Type)
		}
		if x.Type == nil {
			x.Type = c.Type
		}
		if i == 0 {
			v = x
		} else {
			v = join(v, x)
		}
	}
	return v
}

// returnsError reports a function whose last result is an error: a call that may be a check.
func returnsError(fn *types.Func) bool {
	sig, ok := fn.Type().(*types.Signature)
	return ok && sig.Results().Len() > 0 && isErrorType(sig.Results().At(sig.Results().Len()-1).Type())
}
