package summary

import (
	"go/types"
)

// flushed reports whether the headers have left the process on every way to here.
func (it *Interp) flushed() bool {
	if it.held.flush == nil {
		return false
	}
	v := it.get(it.held.flush)
	return isBool(v) && v.truthy() > 0
}

func (it *Interp) flushes() {
	if it.held.flush == nil {
		it.held.flush = &Cell{Name: "flushed", Type: types.Typ[types.Bool], Init: ptr(boolValue(false))}
		it.place(it.held.flush, it.held.flush.Init)
	}
	it.set(it.held.flush, boolValue(true))
}

// outOfBuffer is how much of a body net/http keeps back before it sends it with the headers.
const outOfBuffer = 4096

// fills counts the constant part of the body: what exceeds the buffer leaves as after a flush.
func (it *Interp) fills(n int, s *site) {
	if n == 0 {
		return
	}
	if it.held.length == nil {
		it.held.length = &Cell{Name: "length", Type: types.Typ[types.Int], Init: ptr(intValue(0))}
		it.place(it.held.length, it.held.length.Init)
	}
	before, ok := Int(it.get(it.held.length))
	if !ok {
		return
	}
	it.set(it.held.length, intValue(before+n))
	if before <= outOfBuffer && before+n > outOfBuffer {
		it.flush(s)
	}
}

// writeOutcome is the result of writing to the response: an error that says nothing of any check.
func (it *Interp) writeOutcome(s *site) Value {
	if it.held.write == nil {
		it.held.write = &Source{Kind: Opaque, Name: "writing the answer"}
	}
	v := it.shaped(s.result, nil, nil)
	fail := func(x Value) Value {
		if isErrorType(x.Type) {
			x.L, x.Nil, x.Open = Label{{it.held.write, 1}}, mayNil|mayNonNil, true
		}
		return x
	}
	for i, x := range v.Tuple {
		v.Tuple[i] = fail(x)
	}
	return fail(v)
}

// encodeOutcome is the error of encoding an answer: like that of writing it, it says nothing of any check.
func (it *Interp) encodeOutcome() Value {
	if !it.request {
		return unknown(nil, nil)
	}
	if it.held.write == nil {
		it.held.write = &Source{Kind: Opaque, Name: "writing the answer"}
	}
	return Value{L: Label{{it.held.write, 1}}, Nil: mayNil | mayNonNil, Open: true}
}

// Idle reports a label without a cause that any check, state or other code has a part in: writing the answer failed, or
// the request or a setting decides. An empty label says nothing.
func (r *Result) Idle(l Label) bool {
	for _, c := range l {
		if c.Src.Kind != Input && c.Src.Kind != Setting && (c.Src != r.Interp.held.write || c.Src == nil) {
			return false
		}
	}
	return len(l) > 0
}

// FailedWrite reports a label under which writing the answer has failed.
func (r *Result) FailedWrite(l Label) bool {
	for _, c := range l {
		if c.Src == r.Interp.held.write && c.Sense > 0 && c.Src != nil {
			return true
		}
	}
	return false
}
