package endpoint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"sort"
	"strconv"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// builder fills one endpoint from one interpreted request.
type builder struct {
	a       *Analysis
	ep      *model.Endpoint
	vals    summary.Values
	res     *summary.Result
	engine  *summary.Engine
	deps    map[*summary.Effect]*model.Dependency
	final   ast.Node      // the handler itself, without what wraps it
	handler summary.Value // as it was registered
}

func (b *builder) span(from, to token.Pos) model.Span { return b.a.span(from, to) }

func (b *builder) build() {
	b.deps = map[*summary.Effect]*model.Dependency{}
	for _, u := range b.res.Unfollowed {
		s := b.span(u.Pos, u.End)
		b.ep.Unfollowed = append(b.ep.Unfollowed, model.Unfollowed{Call: u.Call, Why: u.Why, File: s.File, Line: s.Line, Span: s})
	}
	if b.res.Cut != "" {
		b.ep.Unfollowed = append(b.ep.Unfollowed, model.Unfollowed{Call: b.ep.Symbol, Why: b.res.Cut, File: b.ep.File, Line: b.ep.Line, Span: b.ep.Span})
	}
	if b.res.Response.Unknown && len(b.ep.Unfollowed) == 0 {
		// something answers that was not followed, and no call says which: the registration is the place to look
		s := b.ep.Registration
		b.ep.Unfollowed = append(b.ep.Unfollowed, model.Unfollowed{Call: b.ep.Route, Why: "its handler is not known", File: s.File, Line: s.Line, Span: s})
	}
	b.res.MarkRaces()
	b.statuses()
	for _, e := range b.res.Effects {
		b.dependency(e)
	}
	b.redirect()
	b.state()
	b.cache()
	b.body()
	b.role()
	b.held()
	b.hollow()
	b.wrappers()
	b.budget()
}

// statuses collects what the handler can answer.
func (b *builder) statuses() {
	ans := &b.ep.Answer
	seen := map[int]bool{}
	for _, s := range b.res.Status.Scalars {
		n := 200 // nothing was written: net/http answers 200
		switch {
		case s.C == nil:
			ans.Unknown = true
			continue
		default:
			if v, ok := constant.Int64Val(constant.ToInt(s.C)); ok && v != 0 {
				n = int(v)
			}
		}
		if !seen[n] {
			seen[n] = true
			ans.Statuses = append(ans.Statuses, n)
		}
	}
	if b.res.Status.Open || b.res.Response.Unknown {
		ans.Unknown = true
	}
	if len(b.res.Response.Aborts) > 0 && !seen[500] {
		ans.Statuses = append(ans.Statuses, 500) // a panic: the connection ends, which the kubelet counts as a failure
	}
	sort.Ints(ans.Statuses)
	b.foreign()
	ways, idle := 0, 0
	b.failing(func(l summary.Label) {
		if ways++; b.res.Idle(l) {
			idle++
		}
	})
	ans.Idle = ways > 0 && ways == idle && !ans.Unknown
	ans.Static = !ans.Unknown && len(ans.Statuses) == 1 && ans.Statuses[0] < 400 && ans.Statuses[0] >= 200
	for _, w := range b.res.Response.Writes {
		code, ok := summary.Int(w.Status)
		switch {
		case w.Kind == "body" && ans.SuccessSpan.IsZero() && w.Open, ok && code < 400 && ans.SuccessSpan.IsZero():
			ans.SuccessSpan = b.span(w.Pos, w.End)
		case ok && code >= 400 && ans.FailureSpan.IsZero():
			ans.FailureSpan = b.span(w.Pos, w.End)
		}
	}
}

// foreign names the calls of code in other modules that decide the answer: what they ask is not known.
func (b *builder) foreign() {
	seen := map[token.Pos]bool{}
	b.failing(func(l summary.Label) {
		for _, c := range l {
			if c.Src.Kind != summary.Opaque || !c.Src.End.IsValid() || seen[c.Src.Pos] {
				continue
			}
			seen[c.Src.Pos] = true
			s := b.span(c.Src.Pos, c.Src.End)
			b.ep.Unfollowed = append(b.ep.Unfollowed, model.Unfollowed{Call: c.Src.Name, Why: "it decides the answer, and its code is in another module", File: s.File, Line: s.Line, Span: s})
		}
	})
}

// failing calls f for the label of each way to a failing answer.
func (b *builder) failing(f func(summary.Label)) {
	for _, s := range b.res.Status.Scalars {
		if s.C == nil {
			continue
		}
		if v, ok := constant.Int64Val(constant.ToInt(s.C)); ok && v >= 400 {
			f(s.L)
		}
	}
	for _, l := range b.res.Response.Aborts {
		f(l)
	}
}

// gates reports whether a source's failure can lead to a failing answer.
func (b *builder) gates(match func(*summary.Source) bool) bool {
	found := false
	b.failing(func(l summary.Label) {
		for _, c := range l {
			if match(c.Src) && c.Sense >= 0 {
				found = true
			}
		}
	})
	return found
}

func (b *builder) dependency(e *summary.Effect) {
	s := b.span(e.Pos, e.End)
	d := &model.Dependency{
		ID: e.Callee + "@" + s.File + ":" + strconv.Itoa(s.Line), Kind: e.Kind, Name: e.Name, Call: e.Callee, Target: e.Target,
		File: s.File, Line: s.Line, Span: s, Scope: e.Scope, Shared: e.Shared, Operation: e.Op, Statement: e.Statement,
		Mode: "sequential", Loop: e.Loop, Interface: e.Interface, AfterAnswer: e.After, Certainty: model.Proven, Bound: e.Bound,
	}
	if d.Name == "" {
		d.Name = e.Kind
	}
	switch {
	case e.Detached:
		d.Mode = "detached"
	case e.Parallel:
		d.Mode = "parallel"
	}
	if e.Interface == "may" || e.Doubt {
		d.Certainty = model.Likely
	}
	for _, h := range e.Via {
		if h.Symbol == "" || !h.Pos.IsValid() {
			continue
		}
		hs := b.span(h.Pos, h.End)
		d.Via = append(d.Via, model.Frame{Symbol: h.Symbol, File: hs.File, Line: hs.Line, Span: hs})
	}
	is := func(x *summary.Source) bool { return x.Effect == e }
	d.Gates = b.gates(is)
	if !d.Gates && b.ep.Answer.Unknown {
		for _, c := range b.res.Status.L {
			if is(c.Src) {
				d.GatesUnknown = true
			}
		}
	}
	if e.Passes() && !d.Gates && !d.GatesUnknown {
		return // the first probe alone waits, and only for so long
	}
	b.deadline(d, e)
	b.critical(d)
	b.retry(d, e)
	d.Room = b.bounded(e)
	b.deps[e] = d
	b.ep.Dependencies = append(b.ep.Dependencies, d)
}

// deadline picks the tightest bound that reaches the call.
func (b *builder) deadline(d *model.Dependency, e *summary.Effect) {
	var best *model.Deadline
	unknown := false
	for _, x := range e.Bounds {
		m := b.modelDeadline(x)
		if !m.Known {
			unknown = true
			if best == nil {
				best = m
			}
			continue
		}
		if best == nil || !best.Known || m.Seconds < best.Seconds {
			best = m
		}
	}
	d.Deadline = best
	switch {
	case best != nil && best.Known:
		d.Bound = model.BoundDeadline
	case best != nil && unknown:
		d.Bound = model.BoundConfigured
	}
	if len(e.Ignored) > 0 && b.ep != nil {
		d.Ignored = b.ignored(e)
	}
	if best == nil && e.ClientLimit > 0 && (d.Bound == model.BoundClient || d.Bound == model.BoundUnknown || d.Bound == model.BoundRequest) {
		d.Deadline = &model.Deadline{Seconds: e.ClientLimit, Known: true, From: "library"}
	}
	if e.AnswerBound != nil && d.Bound == model.BoundClient { // the answer is out before the client gives up
		if m := b.modelDeadline(e.AnswerBound); m.Known && d.Deadline != nil && m.Seconds < d.Deadline.Seconds {
			d.Deadline, d.Bound = m, model.BoundDeadline
		}
	}
	if e.AnswerBound != nil && (d.Bound == model.BoundNone || d.Bound == model.BoundRequest) {
		d.Bound = model.BoundAnswer
		d.Deadline = b.modelDeadline(e.AnswerBound)
	}
}

func (b *builder) modelDeadline(x *summary.Deadline) *model.Deadline {
	end := x.End
	if end <= x.Pos {
		end = b.a.load.ExprEnd(x.Pos)
	}
	s := b.span(x.Pos, end)
	m := &model.Deadline{File: s.File, Line: s.Line, Span: s, Instance: int(x.Pos)}
	if sec, from, ok := b.seconds(x.Dur); ok {
		m.Seconds, m.Known, m.From = sec, true, from
	}
	return m
}

// seconds resolves a duration for this container; one of zero or less is none.
func (b *builder) seconds(v summary.Value) (float64, string, bool) {
	n, from, ok := b.secondsOrZero(v)
	return n, from, ok && n > 0
}

func (b *builder) secondsOrZero(v summary.Value) (float64, string, bool) {
	c, from, ok := v.Resolve(b.vals)
	if !ok {
		return 0, "", false
	}
	n, ok := constant.Float64Val(constant.ToFloat(c))
	if !ok && constant.ToFloat(c).Kind() == constant.Unknown {
		return 0, "", false
	}
	if n <= 0 {
		return 0, "", false
	}
	return n / 1e9, from, true
}

// state lists the process state that can turn the answer.
func (b *builder) state() {
	seen := map[*summary.Source]bool{}
	add := func(src *summary.Source, gates bool) {
		if seen[src] || src.Kind != summary.State && src.Kind != summary.Input {
			return
		}
		if src.Kind == summary.Input {
			return
		}
		seen[src] = true
		s := b.span(src.Pos, b.a.load.NameEnd(src.Pos))
		st := model.State{Name: src.Name, Kind: "local", File: s.File, Line: s.Line, Gates: gates, Span: s}
		if src.Mirror {
			st.Kind, st.Dependency, st.Latch = "mirrored", src.Of, src.Latch
		}
		if src.Cell != nil {
			if e := src.Cell.Background(); e != nil && b.engine.IsVerdict(src.Cell) {
				st.Kind, st.Dependency, st.Latch = "mirrored", e.Name, src.Cell.IsLatch()
			}
			st.SetSpan = b.span(src.Cell.StorePos, b.a.load.NameEnd(src.Cell.StorePos))
			st.Load, st.Draining = b.engine.IsLoad(src.Cell), src.Cell.Draining
		}
		for i, x := range b.ep.State { // a channel and what lies in it
			if x.Name == st.Name && x.Span == st.Span {
				x.Gates, x.Load, x.Draining = x.Gates || st.Gates, x.Load || st.Load, x.Draining || st.Draining
				b.ep.State[i] = x
				return
			}
		}
		b.ep.State = append(b.ep.State, st)
	}
	all := func(l summary.Label, gates bool) {
		for _, c := range l {
			add(c.Src, gates)
			for _, cell := range b.beats(c.Src) {
				add(cell.Source(), gates)
			}
		}
	}
	b.failing(func(l summary.Label) { all(l, true) })
	all(b.res.Status.L, false)
	sort.SliceStable(b.ep.State, func(i, j int) bool {
		x, y := b.ep.State[i], b.ep.State[j]
		if x.File != y.File {
			return x.File < y.File
		}
		if x.Line != y.Line {
			return x.Line < y.Line
		}
		return x.Name < y.Name
	})
}

// beats are the times behind a test of age that work beside the handlers keeps: a heartbeat, or the last success.
func (b *builder) beats(src *summary.Source) []*summary.Cell {
	if src.Kind != summary.Clock {
		return nil
	}
	a := b.res.AgeOf(src)
	if a == nil {
		return nil
	}
	var out []*summary.Cell
	for _, c := range a.Of {
		if c.Late {
			out = append(out, c)
		}
	}
	return out
}

// verdicts are the background calls whose outcome the answer reads as a stored verdict. What reaches it through a latch,
// which is set once, to one value, when the work is done, or through a handle that the work made, cannot go stale.
func (b *builder) verdicts() map[*summary.Effect]bool {
	out := map[*summary.Effect]bool{}
	look := func(l summary.Label) {
		for _, c := range l {
			cells := b.beats(c.Src)
			if c.Src.Cell != nil {
				cells = append(cells, c.Src.Cell)
			}
			for _, cell := range cells {
				if cell.IsLatch() || !b.engine.IsVerdict(cell) {
					continue
				}
				for _, e := range cell.StoredFrom() {
					out[e] = true
				}
			}
		}
	}
	look(b.res.Status.L)
	b.failing(look)
	return out
}

// cache finds a stored verdict: one that a background loop refreshes, or one behind a test of its age.
func (b *builder) cache() {
	var loop *summary.Effect
	var age *summary.Age
	var stored *summary.Cell
	verdicts := b.verdicts()
	look := func(l summary.Label) {
		for _, c := range l {
			switch {
			case c.Src.Effect != nil && c.Src.Effect.Background:
				if !verdicts[c.Src.Effect] {
					continue
				}
				if loop == nil || c.Src.Effect.Every != nil && loop.Every == nil {
					loop = c.Src.Effect
				}
			case c.Src.Kind == summary.Clock:
				if x := b.res.AgeOf(c.Src); x != nil {
					age = x
				}
				for _, cell := range b.beats(c.Src) { // the time of the last success is a verdict
					if e := cell.Background(); e != nil && verdicts[e] && loop == nil {
						loop = e
					}
				}
			case c.Src.Cell != nil && !c.Src.Cell.IsLatch() && b.res.StoredVerdict(c.Src.Cell):
				stored = c.Src.Cell
			}
		}
	}
	look(b.res.Status.L)
	b.failing(look)
	switch {
	case loop != nil:
		c := &model.Cache{Kind: "background", Aged: age != nil}
		if loop.Every != nil {
			c.Span = b.span(loop.Every.Pos, max(loop.Every.End, b.a.load.ExprEnd(loop.Every.Pos)))
			if s, from, ok := b.seconds(loop.Every.Dur); ok {
				c.Seconds, c.Known, c.From = s, true, from
			}
		}
		if age != nil {
			if s, from, ok := b.seconds(age.Limit); ok {
				c.Seconds, c.Known, c.From, c.Span = s, true, from, b.span(age.Pos, age.End)
			}
		}
		if pos := loop.Pos; pos.IsValid() {
			c.StoreSpan = b.span(pos, loop.End)
		}
		b.ep.Cache = c
	case age != nil && stored != nil:
		c := &model.Cache{Kind: "ttl", Aged: true, Span: b.span(age.Pos, age.End), StoreSpan: b.span(stored.Pos, b.a.load.NameEnd(stored.Pos))}
		if s, from, ok := b.seconds(age.Limit); ok {
			c.Seconds, c.Known, c.From = s, true, from
		}
		b.ep.Cache = c
	}
}

// body looks at what the answer shows and in which order it is written.
func (b *builder) body() {
	ans := &b.ep.Answer
	for _, w := range b.res.Response.Writes {
		for _, c := range w.Text {
			if (c.Src.Effect != nil || c.Src.Kind == summary.Opaque && c.Src.End.IsValid()) && !ans.ErrorText {
				ans.ErrorText = true
				ans.ErrorTextSpan = b.span(w.Pos, w.End)
			}
			if c.Src.Kind == summary.Secret && ans.Secret == "" {
				ans.Secret, ans.SecretSpan = c.Src.Name, b.span(w.Pos, w.End)
			}
		}
	}
	if h := b.res.CacheControl(); h != nil {
		ans.CacheControl = &model.AnswerHeader{Value: h.Value, Span: b.span(h.Pos, h.End)}
	}
	b.lateStatus()
	b.missingReturn()
	b.earlyFlush()
	b.failingOK()
}
