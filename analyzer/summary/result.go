package summary

import (
	"go/constant"
	"go/token"
	"strings"
)

// Item is one step of a handler's time: a call, a pause, or parts of which one runs (branches) or all run side by side.
type Item struct {
	Effect   *Effect
	Under    []*Deadline // outermost first
	Sleep    *Deadline
	Side     [][]Item
	Parallel bool
}

// Timeline is what the request waits for, in order.
func (r *Result) Timeline() []Item { return timeline(r.Root) }

func timeline(n *node) []Item {
	switch n.kind {
	case nodeLeaf:
		if n.sleep != nil {
			return []Item{{Sleep: n.sleep}}
		}
		if n.eff == nil || n.eff.Detached || n.eff.After {
			return nil
		}
		return []Item{{Effect: n.eff, Under: n.eff.Bounds}}
	case nodePar, nodeAlt:
		var side [][]Item
		for _, k := range n.kids {
			if x := timeline(k); len(x) > 0 {
				side = append(side, x)
			}
		}
		if len(side) == 0 {
			return nil
		}
		if len(side) == 1 {
			return side[0]
		}
		common := side[0][0].Under
		for _, s := range side {
			for _, x := range s {
				k := 0
				for k < len(common) && k < len(x.Under) && common[k] == x.Under[k] {
					k++
				}
				common = common[:k]
			}
		}
		for i, s := range side {
			cut := make([]Item, len(s))
			for j, x := range s {
				x.Under = x.Under[len(common):]
				cut[j] = x
			}
			side[i] = cut
		}
		return []Item{{Side: side, Under: common, Parallel: n.kind == nodePar}}
	case nodeRace:
		var out []Item
		for _, k := range n.kids {
			out = append(out, timeline(k)...)
		}
		for i := range out {
			out[i].Under = append([]*Deadline{n.race}, out[i].Under...)
		}
		return out
	}
	var out []Item
	for _, k := range n.kids {
		out = append(out, timeline(k)...)
	}
	return out
}

// MarkRaces notes on the calls below a race which deadline answers for them.
func (r *Result) MarkRaces() { markRaces(r.Root, nil) }

func markRaces(n *node, d *Deadline) {
	if n.kind == nodeRace {
		d = n.race
	}
	if n.eff != nil && d != nil && n.eff.AnswerBound == nil {
		n.eff.AnswerBound = d
	}
	for _, k := range n.kids {
		markRaces(k, d)
	}
}

// StoredVerdict reports whether a cell holds the outcome of a dependency's call, stored by this or by another request.
func (r *Result) StoredVerdict(c *Cell) bool {
	if v, ok := r.Interp.store[c]; ok && hasEffect(v.L) {
		return true
	}
	return hasEffect(c.Hist.L)
}

// AgeOf is the test of a stored time that a source stands for.
func (g *Engine) AgeOf(s *Source) *Age { return g.ages[s] }

// Background is the call of a start-up goroutine that set the cell, nil where there is none.
func (c *Cell) Background() *Effect {
	for _, x := range c.Hist.L {
		if x.Src.Effect != nil && x.Src.Effect.Background {
			return x.Src.Effect
		}
	}
	return nil
}

// Gaps says why routes may be missing from what Servers lists: a limit that start-up ran into, no listener that was seen,
// or a library that opens a listener of its own and is not modelled. Only without gaps is a route that is absent proven
// absent.
func (g *Engine) Gaps() []string {
	var out []string
	if g.setup.cut != "" {
		out = append(out, g.setup.cut)
	}
	if len(g.servers) == 0 {
		out = append(out, "no call that opens a listener was found")
	}
	for _, p := range g.reachable() {
		for _, q := range p.Types.Imports() {
			if ownListener(q.Path()) {
				return append(out, q.Path()+" opens listeners of its own")
			}
		}
	}
	return out
}

// ownListener reports libraries whose listeners and routes are not read from the program's own calls.
func ownListener(path string) bool {
	for _, p := range []string{"sigs.k8s.io/controller-runtime", "k8s.io/apiserver/pkg/server", "k8s.io/component-base", "github.com/zeromicro/go-zero", "github.com/go-kratos/kratos", "knative.dev/pkg", "github.com/micro/go-micro", "go-micro.dev"} {
		if path == p || strings.HasPrefix(path, p+"/") || strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// MadeAt is where the client of a call was made, if start-up made it.
func (e *Effect) MadeAt() (token.Pos, bool) {
	for _, t := range e.Recv.Terms {
		if o, ok := t.(*Object); ok && o.Pos.IsValid() && o.Lib != nil {
			return o.Pos, true
		}
	}
	return token.NoPos, false
}

// Int is a value's only number.
func Int(v Value) (int, bool) {
	c, ok := v.isConst()
	if !ok || c.Kind() != constant.Int {
		return 0, false
	}
	n, ok := constant.Int64Val(c)
	return int(n), ok
}

// Text is a constant as text.
func Text(c constant.Value) string {
	if c.Kind() == constant.String {
		return constant.StringVal(c)
	}
	return c.ExactString()
}

// IsLoad reports whether a cell measures work in hand: a number that is counted up and down, or the length of a queue.
func (g *Engine) IsLoad(c *Cell) bool { return c.Load || c.Var != nil && g.counters[c.Var] }
