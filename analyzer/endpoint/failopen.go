package endpoint

import (
	"go/constant"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// failOpen tells the dependencies whose failure turns the answer from those of which only the answer does: the request is
// followed once more with the call failing. A status that is then still reached may have other causes, so it proves nothing.
func (b *builder) failOpen(again func(*summary.Effect) *summary.Result) {
	for e, d := range b.deps {
		if !d.Gates || d.AfterAnswer || d.Scope != model.External || b.certainly(e) {
			continue
		}
		res := again(e)
		if res.Cut != "" || res.Response.Unknown || res.Status.Open || len(res.Response.Aborts) > 0 {
			continue
		}
		reached := map[int64]bool{}
		for _, s := range res.Status.Scalars {
			if n, ok := status(s); ok {
				reached[n] = true
			}
		}
		open := true
		for _, s := range b.res.Status.Scalars {
			n, ok := status(s)
			open = open && (!ok || n < 400 || !s.L.Has(e) || !reached[n])
		}
		d.FailsOpen = open
	}
}

// certainly reports a failing answer on the way on which a call failed.
func (b *builder) certainly(e *summary.Effect) bool {
	found := len(b.res.Response.Aborts) > 0
	b.failing(func(l summary.Label) {
		for _, c := range l {
			found = found || c.Src.Effect == e && c.Sense > 0
		}
	})
	return found
}

func status(s summary.Scalar) (int64, bool) {
	if s.C == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(s.C))
}
