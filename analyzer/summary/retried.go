package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
)

// policy is how often and for how long a retry library tries, as far as its call and what was handed to it say.
type policy struct {
	attempts int       // 0 where that is not known
	stated   bool      // something says how often
	total    *Deadline // after which no further attempt begins
	pause    Value     // before the second attempt
	grow     float64
	low      float64
	ctx      *Ctx // that ends the pauses
	pos, end token.Pos
}

// retried runs what a retry library is given, or a client that tries again by itself does, as often as it is tried at most.
func (it *Interp) retried(s *site, w knowledge.WrapperCall, run func(*site) Value) Value {
	if !it.request {
		return run(s)
	}
	p := it.policyOf(s, w)
	since := it.eng.nextID
	var v Value
	inner := it.collect(nodeLoop, func() {
		if p.ctx != nil {
			defer it.callbacksUnder(p.ctx)()
		}
		v = run(s)
	})
	if p.ctx == nil {
		inner.walk(func(e *Effect) { // a request carries its context
			if len(e.Bounds) > 0 && e.Pos == p.pos {
				p.ctx = &Ctx{Deadlines: earlier(e.Bounds, since)}
			}
		})
	}
	inner.times, inner.since = min(p.attempts, maxPasses), since
	if p.attempts == 0 && p.total != nil {
		inner.times = maxPasses // cut off by the limit
	}
	inner.walk(func(e *Effect) {
		if p.attempts > 1 {
			e.Loop = max(e.Loop, 1) * p.attempts
		}
		if e.Again == nil {
			e.Again = &Again{Pos: p.pos, End: p.end, Attempts: p.attempts, Seconds: p.seconds(it.vals)}
			e.Again.Endless, e.Again.Request = p.endless()
		}
	})
	whole := &node{kind: nodeLoop, kids: []*node{inner}, limit: p.total}
	if d := p.pauses(it); d != nil {
		whole.kids = append(whole.kids, &node{kind: nodeLeaf, sleep: d})
	}
	if p.ctx != nil {
		whole.under = p.ctx.Deadlines
	}
	if !whole.empty() {
		it.cur.add(whole)
	}
	return v
}

// earlier are the deadlines that were there before: those that are made within are made anew for each attempt.
func earlier(ds []*Deadline, since int) []*Deadline {
	var out []*Deadline
	for _, d := range ds {
		if d.born <= since && !d.Client {
			out = append(out, d)
		}
	}
	return out
}

// callbacksUnder gives functions that a library calls its context for as long as the function it returns was not called.
func (it *Interp) callbacksUnder(c *Ctx) func() {
	old := it.callbackCtx
	it.callbackCtx = c
	return func() { it.callbackCtx = old }
}

// policyOf reads a retry call: its own arguments, options, and the policies that these were made from.
func (it *Interp) policyOf(s *site, w knowledge.WrapperCall) policy {
	pos, end := sitePos(s)
	p := policy{attempts: w.Tries.Attempts, stated: w.Tries.Attempts > 0, grow: w.Tries.Grow, low: w.Tries.Low, pos: pos, end: end}
	if w.Tries.Pause > 0 {
		p.pause = secondsValue(w.Tries.Pause)
	}
	if w.Ctx >= 0 {
		p.ctx = it.ctxOf(s.arg(w.Ctx))
	}
	p.giveUp(w.Tries.Total, it)
	if w.Dur >= 0 {
		d := &Deadline{Dur: s.arg(w.Dur), Pos: pos, End: end, born: it.stamp()}
		if p.ctx != nil && w.Ctx >= 0 { // the context that the function gets ends with it (wait.PollUntilContextTimeout)
			p.ctx = p.ctx.with(d)
		} else {
			d.Between = true
			p.total = d
		}
	}
	seen := map[*Object]bool{}
	it.readPolicy(s.recv, &p, seen, 0)
	for i, a := range s.args {
		if i != w.Handler {
			it.readPolicy(a, &p, seen, 0)
		}
	}
	return p
}

func (it *Interp) readPolicy(v Value, p *policy, seen map[*Object]bool, depth int) {
	if depth > 4 {
		return
	}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || seen[o] {
			continue
		}
		seen[o] = true
		if o.Lib != nil {
			if w, ok := it.eng.kb.LookupWrapper(o.Lib.Path, "", o.Lib.Name); ok {
				it.applyPolicy(w, o.Lib.Args, o.Pos, p)
			}
			for _, a := range o.Lib.Args {
				it.readPolicy(a, p, seen, depth+1)
			}
		}
		path, name := typeName(o.Type)
		if path == "" || it.eng.firstParty(path) {
			continue
		}
		for _, f := range sortedFields(o.Fields) {
			if w, ok := it.eng.kb.LookupWrapper(path, name, f); ok && w.IsVar {
				it.applyPolicy(w, []Value{it.get(o.Fields[f])}, o.Fields[f].StorePos, p)
			}
		}
		if o.Items != nil {
			for _, c := range o.Items.List {
				it.readPolicy(it.get(c), p, seen, depth+1)
			}
		}
	}
}

// applyPolicy takes over what one option, policy or field says.
func (it *Interp) applyPolicy(w knowledge.WrapperCall, args []Value, pos token.Pos, p *policy) {
	arg := func(i int) Value {
		if i < 0 || i >= len(args) {
			return Value{}
		}
		return args[i]
	}
	switch w.Role {
	case knowledge.WrapLimit:
		switch {
		case w.Tries.N >= 0:
			p.attempts, p.stated = 0, true
			if c, _, ok := arg(w.Tries.N).Resolve(it.vals); ok {
				if n, exact := constant.Int64Val(constant.ToInt(c)); exact && n >= 0 && n < 1<<20 {
					p.attempts = int(n) + w.Tries.Plus
					p.stated = p.attempts > 0
				}
			}
		case w.Dur >= 0:
			p.total = &Deadline{Dur: arg(w.Dur), Pos: pos, End: pos, Between: true, born: it.stamp()}
		}
	case knowledge.WrapPolicy:
		switch {
		case w.Dur >= 0:
			p.pause, p.grow, p.low = arg(w.Dur), w.Tries.Grow, w.Tries.Low
		case w.Tries.Pause > 0:
			p.pause, p.grow, p.low = secondsValue(w.Tries.Pause), w.Tries.Grow, w.Tries.Low
			p.giveUp(w.Tries.Total, it)
		default: // how the pauses grow is not known
			p.grow, p.low = 0, 0
		}
	case knowledge.WrapBindCtx:
		if w.Ctx >= 0 {
			p.ctx = it.ctxOf(arg(w.Ctx))
		}
	}
}

// endless reports a policy that nothing but a success ends, or only the end of the request as well.
func (p policy) endless() (endless, request bool) {
	if p.attempts > 0 || p.stated || p.total != nil || p.ctx != nil && (len(p.ctx.Deadlines) > 0 || p.ctx.Root == RootUnknown) {
		return false, false
	}
	return true, p.ctx != nil && p.ctx.Root == RootRequest
}

// seconds is the least first pause, 0 where it is not known.
func (p policy) seconds(vals Values) float64 {
	c, _, ok := p.pause.Resolve(vals)
	if !ok {
		return 0
	}
	n, _ := constant.Float64Val(constant.ToFloat(c))
	return n / 1e9
}

// pauses are the waits between all attempts, at least; nil where they are not known.
func (p policy) pauses(it *Interp) *Deadline {
	first := p.seconds(it.vals)
	if first <= 0 || p.attempts < 2 {
		return nil
	}
	if p.low > 0 {
		first *= p.low
	}
	sum := 0.0
	for i := range min(p.attempts, maxPasses) - 1 {
		if p.grow > 1 {
			sum += first * math.Pow(p.grow, float64(i))
		} else {
			sum += first
		}
	}
	return &Deadline{Dur: secondsValue(min(sum, 24*3600)), Pos: p.pos, End: p.end, born: it.stamp()}
}

// carried is the context that a library's request was made with (retryablehttp.NewRequestWithContext).
func (it *Interp) carried(o *Object) *Ctx {
	if o.Lib == nil {
		return nil
	}
	recv, name, method := strings.Cut(o.Lib.Name, ".")
	if !method {
		recv, name = "", recv
	}
	c, ok := it.eng.kb.LookupCall(o.Lib.Path, recv, name, knowledge.Sig{})
	if !ok || c.Op != "bind_ctx" || c.Ctx < 0 || c.Ctx >= len(o.Lib.Args) {
		return nil
	}
	return it.ctxOf(o.Lib.Args[c.Ctx])
}

// giveUp sets the library's own limit where the code sets none.
func (p *policy) giveUp(seconds float64, it *Interp) {
	if seconds > 0 && p.total == nil {
		p.total = &Deadline{Dur: secondsValue(seconds), Pos: p.pos, End: p.end, Between: true, born: it.stamp()}
	}
}

func secondsValue(s float64) Value {
	return constValue(constant.MakeInt64(int64(s*1e9)), types.Typ[types.Int64], token.NoPos)
}
