package summary

import "github.com/probelint/probelint/internal/model"

// once runs what a sync.Once guards. Only one request of the process's life pays for it.
func (it *Interp) once(run func() Value) Value {
	if !it.request {
		return run()
	}
	var v Value
	n := it.collect(nodeSeq, func() { v = run() })
	n.walk(func(e *Effect) { e.Once = true })
	if !n.empty() {
		it.cur.add(n)
	}
	return v
}

// Passes reports a call that one request makes for all and that ends by itself. One without a bound holds every request
// that comes to the same sync.Once.
func (e *Effect) Passes() bool {
	return e.Once && (e.Bound == model.BoundDeadline || e.Bound == model.BoundClient || e.Bound == model.BoundUnknown)
}
