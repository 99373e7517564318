package endpoint

import (
	"math"
	"slices"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// budget adds up the deadlines on the slowest path: sums in sequence, the maximum side by side, one execution of a deadline
// once however many calls run under it (GO-ANALYSIS.md section 4).
func (b *builder) budget() {
	var t total
	for i, items := range b.res.Timelines() {
		x := b.sum(items)
		if i == 0 {
			t = x
			continue
		}
		if x.lower > t.lower || t.calls == 0 {
			t, x = x, t
		}
		t.calls += x.calls
		t.upper = max(t.upper, x.upper)
		t.unknown = t.unknown || x.unknown
	}
	if t.calls == 0 {
		return
	}
	out := &model.TimeBudget{Lower: t.lower, Unknown: t.unknown, From: t.from, Parts: t.parts, Basis: "single", Parallel: t.longest}
	switch {
	case len(t.parts) > 1:
		out.Basis = "sum"
	case t.side:
		out.Basis = "max"
	}
	if !math.IsInf(t.upper, 1) && !t.unknown {
		u := t.upper
		out.Upper = &u
	}
	if out.From == "" {
		out.From = summary.FromConstant
	}
	b.ep.Budget = out
}

// span of time of a part of the handler.
type total struct {
	lower, upper float64 // seconds; upper +Inf where nothing bounds it
	longest      float64 // the longest single part
	unknown      bool
	// ignored are the deadlines that a call in it outlives, because its client does not honour them.
	ignored []*summary.Deadline
	side    bool
	calls   int
	from    string
	parts   []model.Deadline
}

func (b *builder) sum(items []summary.Item) total {
	var t total
	for i := 0; i < len(items); {
		it := items[i]
		var part total
		n := 1
		if len(it.Under) > 0 {
			d := it.Under[0]
			var inner []summary.Item
			for n = 0; i+n < len(items) && len(items[i+n].Under) > 0 && items[i+n].Under[0] == d; n++ {
				x := items[i+n]
				x.Under = x.Under[1:]
				inner = append(inner, x)
			}
			part = b.under(d, b.sum(inner))
		} else {
			part = b.single(it)
		}
		i += n
		t.lower += part.lower
		t.upper += part.upper
		t.longest = max(t.longest, part.longest)
		t.unknown = t.unknown || part.unknown
		t.side = t.side || part.side
		t.ignored = append(t.ignored, part.ignored...)
		t.calls += part.calls
		t.parts = append(t.parts, part.parts...)
		t.from = weakest(t.from, part.from)
	}
	return t
}

// under caps a part by a deadline.
func (b *builder) under(d *summary.Deadline, in total) total {
	m := b.modelDeadline(d)
	if !m.Known {
		in.unknown = in.unknown || math.IsInf(in.upper, 1)
		return in
	}
	if in.upper <= m.Seconds && !in.unknown {
		return in // the deadlines inside are tighter
	}
	if d.Between { // the attempt in hand goes on
		if in.lower <= m.Seconds {
			return in
		}
		upper := in.upper
		if !math.IsInf(upper, 1) {
			upper = min(upper, m.Seconds+in.longest)
		}
		return total{lower: m.Seconds, upper: upper, longest: m.Seconds, unknown: in.unknown, ignored: in.ignored, side: in.side, calls: in.calls, from: m.From, parts: []model.Deadline{*m}}
	}
	if slices.Contains(in.ignored, d) {
		if in.lower > 0 {
			return in // a tighter deadline inside: what it states is certain
		}
		return total{lower: m.Seconds, upper: in.upper, longest: m.Seconds, unknown: in.unknown, ignored: in.ignored, side: in.side, calls: in.calls, from: m.From, parts: []model.Deadline{*m}}
	}
	return total{lower: m.Seconds, upper: m.Seconds, longest: m.Seconds, ignored: in.ignored, side: in.side, calls: in.calls, from: m.From, parts: []model.Deadline{*m}}
}

func (b *builder) single(it summary.Item) total {
	switch {
	case it.Sleep != nil:
		m := b.modelDeadline(it.Sleep)
		if !m.Known {
			return total{unknown: true, upper: math.Inf(1)}
		}
		return total{lower: m.Seconds, upper: m.Seconds, longest: m.Seconds, from: m.From, parts: []model.Deadline{*m}}
	case len(it.Side) > 0:
		var best total
		for _, s := range it.Side {
			x := b.sum(s)
			if x.lower > best.lower || best.calls == 0 {
				x.calls += best.calls
				x.ignored = append(x.ignored, best.ignored...)
				x.upper = max(x.upper, best.upper)
				x.unknown = x.unknown || best.unknown
				best = x
			} else {
				best.calls += x.calls
				best.ignored = append(best.ignored, x.ignored...)
				best.upper = max(x.upper, best.upper)
				best.unknown = best.unknown || x.unknown
			}
		}
		best.side = best.side || it.Parallel
		return best
	case it.Effect != nil:
		t := total{calls: 1, upper: math.Inf(1)}
		if it.Effect.ClientLimit > 0 {
			t.upper = it.Effect.ClientLimit
		}
		if it.Effect.Bound == model.BoundUnknown {
			t.unknown = true
		}
		t.ignored = slices.Clone(it.Effect.Ignored)
		return t
	}
	return total{}
}

func weakest(a, b string) string {
	rank := map[string]int{"": 0, summary.FromConstant: 1, summary.FromManifest: 2, summary.FromDefault: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
