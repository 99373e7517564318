package summary

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
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

// maxWays bounds the ways through a handler that are told apart.
const maxWays = 32

// Timelines are what the request waits for, in order, on each way through the handler: a branch that returns leaves out
// what stands behind it.
func (r *Result) Timelines() [][]Item {
	ws, ok := ways(r.Root)
	if !ok {
		return [][]Item{timeline(r.Root)}
	}
	var out [][]Item
	for _, w := range ws {
		if len(w.items) > 0 {
			out = append(out, w.items)
		}
	}
	return out
}

type way struct {
	items []Item
	left  bool // the function was left
}

// leaves reports a branch below n that waits for something and ends the function.
func leaves(n *node) bool {
	for _, k := range n.kids {
		if k.kind == nodeFn {
			continue
		}
		if k.exits && !k.empty() || leaves(k) {
			return true
		}
	}
	return false
}

// ways is false where there are too many.
func ways(n *node) ([]way, bool) {
	switch {
	case n.kind == nodeFn || n.kind == nodeSeq || n.kind == nodeLoop && n.times <= 1:
		out := []way{{}}
		for _, k := range n.kids {
			ks := []way{{items: timeline(k)}}
			if k.kind == nodeFn || leaves(k) {
				var ok bool
				if ks, ok = ways(k); !ok {
					return nil, false
				}
			}
			var next []way
			for _, w := range out {
				if w.left {
					next = append(next, w)
					continue
				}
				for _, x := range ks {
					next = append(next, way{append(w.items[:len(w.items):len(w.items)], x.items...), x.left})
				}
			}
			if out = next; len(out) > maxWays {
				return nil, false
			}
		}
		if n.kind == nodeFn {
			for i := range out {
				out[i].left = false
			}
		}
		return out, true
	case n.kind == nodeAlt:
		var out []way
		for _, k := range n.kids {
			ks, ok := ways(k)
			if !ok {
				return nil, false
			}
			for _, w := range ks {
				w.left = w.left || k.exits
				out = append(out, w)
			}
		}
		return out, len(out) <= maxWays
	}
	return []way{{items: timeline(n)}}, true
}

// passes repeats what a loop waits for. Deadlines that were made before the loop are the same in each pass.
func passes(items []Item, n *node) []Item {
	out := items
	for range n.times - 1 {
		out = append(out, anew(items, n.since, map[*Deadline]*Deadline{})...)
	}
	return out
}

func anew(items []Item, since int, made map[*Deadline]*Deadline) []Item {
	clone := func(d *Deadline) *Deadline {
		if d == nil || d.born <= since {
			return d
		}
		if made[d] == nil {
			c := *d
			made[d] = &c
		}
		return made[d]
	}
	out := make([]Item, len(items))
	for i, x := range items {
		under := make([]*Deadline, len(x.Under))
		for j, d := range x.Under {
			under[j] = clone(d)
		}
		x.Under, x.Sleep = under, clone(x.Sleep)
		side := make([][]Item, len(x.Side))
		for j, s := range x.Side {
			side[j] = anew(s, since, made)
		}
		x.Side = side
		out[i] = x
	}
	return out
}

func timeline(n *node) []Item {
	switch n.kind {
	case nodeLeaf:
		if n.sleep != nil {
			return []Item{{Sleep: n.sleep}}
		}
		if n.eff == nil || n.eff.Detached || n.eff.After || n.eff.Passes() {
			return nil
		}
		return []Item{{Effect: n.eff, Under: n.eff.stated()}}
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
	if n.kind == nodeLoop && n.times > 1 {
		out = passes(out, n)
	}
	if n.limit != nil {
		out = beneath(out, n.limit)
	}
	for i := len(n.under) - 1; i >= 0; i-- {
		out = beneath(out, n.under[i])
	}
	return out
}

// beneath puts what a call waits for under a deadline that ends all of it.
func beneath(items []Item, d *Deadline) []Item {
	out := make([]Item, len(items))
	for i, x := range items {
		if !slices.Contains(x.Under, d) {
			x.Under = append([]*Deadline{d}, x.Under...)
		}
		out[i] = x
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
	if v := r.Interp.now(c); v != nil && r.holdsVerdict(*v, 0) {
		return true
	}
	return r.holdsVerdict(deref(c.Hist), 0)
}

// holdsVerdict looks into the fields of a stored struct too.
func (r *Result) holdsVerdict(v Value, depth int) bool {
	if hasEffect(v.L) {
		return true
	}
	if depth > 2 {
		return false
	}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || o.Kind != Plain || o.Lib != nil {
			continue
		}
		for _, c := range o.Fields {
			if x := r.Interp.now(c); x != nil && r.holdsVerdict(*x, depth+1) {
				return true
			}
		}
	}
	return false
}

// AgeOf is the test of a stored time that a source stands for. The limit of an expiry is where the time is stored.
func (r *Result) AgeOf(s *Source) *Age {
	a := r.Interp.eng.ages[s]
	if a == nil || len(a.Limit.Scalars) > 0 {
		return a
	}
	for _, c := range a.Of {
		for _, v := range []Value{deref(r.Interp.now(c)), deref(c.Hist)} {
			if !isLib(v, "time", "Add") {
				continue
			}
			b := *a
			b.Limit = addedTo(v)
			return &b
		}
	}
	return a
}

// addedTo is the duration that was added to a time.
func addedTo(v Value) Value {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Name == "Add" && len(o.Lib.Args) > 0 {
			return o.Lib.Args[0]
		}
	}
	return unknown(nil, nil)
}

// Background is the call of a start-up goroutine that set the cell, nil where there is none.
func (c *Cell) Background() *Effect {
	for _, x := range deref(c.Hist).L {
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
	out = append(out, g.gaps...)
	for _, m := range g.managers {
		if c := m.checks; c.handed != "" && (len(c.live) == 0 || len(c.ready) == 0) {
			out = append(out, "what `"+c.handed+"` adds to the manager that it is given")
		}
	}
	for _, p := range g.reachable() {
		for _, name := range g.starters[p] {
			out = append(out, "what `"+name+"` listens on")
		}
	}
	if g.tooMany > 0 {
		out = append(out, fmt.Sprintf("which of its %d commands runs is not known", g.tooMany))
	}
	if len(g.servers) == 0 && len(g.managers) == 0 {
		out = append(out, "no call that opens a listener was found")
	}
	for _, p := range g.reachable() {
		for _, q := range p.Types.Imports() {
			if q.Path() == controllerRuntime+"/pkg/manager" && len(g.managers) == 0 || ownListener(q.Path()) && g.apiServer == nil {
				return append(out, q.Path()+" opens listeners of its own")
			}
		}
	}
	return out
}

// ownListener reports libraries whose listeners and routes are not read from the program's own calls.
func ownListener(path string) bool {
	for _, p := range []string{"k8s.io/apiserver/pkg/server", "k8s.io/component-base", "github.com/zeromicro/go-zero", "github.com/go-kratos/kratos", "knative.dev/pkg", "github.com/micro/go-micro", "go-micro.dev"} {
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
