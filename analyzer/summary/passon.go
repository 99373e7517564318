package summary

import (
	"go/ast"
	"go/token"
	"go/types"
)

// passesOn marks a channel that is closed as the first thing after a signal: who waits for it waits for the signal. One
// that is closed when more has been done tells of the end of that.
func (it *Interp) passesOn(ch Value) {
	l := &it.eng.life
	if !it.live() || !it.signaled || l.thread == 0 {
		return
	}
	for i := len(l.moments) - 1; i >= 0; i-- {
		if l.moments[i].Thread != l.thread {
			continue
		}
		if l.moments[i].Kind == MomentSignal {
			for _, o := range it.objectsIn(ch) {
				o.Signal = true
			}
		}
		return
	}
}

// takesSignal reports an expression that receives from a channel of signals.
func takesSignal(info *types.Info, x *ast.UnaryExpr) bool {
	if x.Op != token.ARROW {
		return false
	}
	t := info.TypeOf(x.X)
	if t == nil {
		return false
	}
	c, ok := t.Underlying().(*types.Chan)
	return ok && types.TypeString(c.Elem(), nil) == "os.Signal"
}
