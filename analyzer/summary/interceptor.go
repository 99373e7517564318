package summary

import (
	"go/types"
)

// intercepted are the deadlines that the interceptors of a gRPC connection put on each call: those of the context that a
// first-party interceptor hands to its invoker.
func (it *Interp) intercepted(recv Value, ctx *Ctx) []*Deadline {
	var out []*Deadline
	seen := map[*Object]bool{}
	done := map[any]bool{}
	var walk func(v Value, depth int)
	walk = func(v Value, depth int) {
		if depth > 8 {
			return
		}
		for _, t := range v.Terms {
			switch t := t.(type) {
			case *Closure:
				if sig, ok := t.Pkg.Info.TypeOf(t.Lit).(*types.Signature); ok && !done[t.Lit] {
					done[t.Lit] = true
					out = append(out, it.handsOver(t, sig, ctx)...)
				}
			case *Func:
				if sig, ok := t.Fn.Type().(*types.Signature); ok && !done[t.Fn] {
					if _, ok := it.eng.decls[t.Fn.Origin()]; ok {
						done[t.Fn] = true
						out = append(out, it.handsOver(t, sig, ctx)...)
					}
				}
			case *Object:
				if seen[t] {
					continue
				}
				seen[t] = true
				if t.Lib != nil {
					for _, a := range t.Lib.Args {
						walk(a, depth+1)
					}
				}
				if t.Items != nil {
					for _, c := range t.Items.List {
						walk(it.get(c), depth+1)
					}
					if t.Items.Any != nil {
						walk(it.get(t.Items.Any), depth+1)
					}
				}
			}
		}
	}
	walk(recv, 0)
	return out
}

// handsOver runs an interceptor and notes the deadlines of the context that it calls its invoker with.
func (it *Interp) handsOver(t Term, sig *types.Signature, ctx *Ctx) []*Deadline {
	n := &site{spread: sig.Variadic()}
	var invoker *Object
	for i := range sig.Params().Len() {
		pt := sig.Params().At(i).Type()
		p := unknown(pt, nil)
		switch path, name := typeName(pt); {
		case isContextType(pt):
			o := it.object(Context, pt, 0)
			o.Ctx = ctx
			p = termValue(o, pt)
		case path == "google.golang.org/grpc" && name == "UnaryInvoker":
			invoker = it.object(Library, pt, 0)
			invoker.Lib = &Lib{Path: "google.golang.org/grpc", Name: "UnaryInvoker"}
			p = termValue(invoker, pt)
		}
		n.args = append(n.args, p)
	}
	if invoker == nil {
		return nil
	}
	mark, effects := len(it.journal), len(it.eng.effects)
	saved := it.held.invoked
	it.held.invoked = nil
	it.collect(nodeSeq, func() { it.invoke(t, n) })
	it.exited = false
	it.rollback(mark)
	it.eng.effects = it.eng.effects[:effects]
	got := it.held.invoked
	it.held.invoked = saved
	if got == nil || len(got.Deadlines) <= len(ctx.Deadlines) {
		return nil
	}
	out := append([]*Deadline(nil), got.Deadlines[len(ctx.Deadlines):]...)
	for _, d := range out {
		d.Client = true
	}
	return out
}

// invokes notes the context that an interceptor calls the rest with.
func (it *Interp) invokes(o *Object, s *site) bool {
	if o.Lib == nil || o.Lib.Name != "UnaryInvoker" || o.Lib.Path != "google.golang.org/grpc" {
		return false
	}
	it.held.invoked = it.ctxOf(s.arg(0))
	return true
}
