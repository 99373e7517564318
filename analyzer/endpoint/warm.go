package endpoint

import (
	"go/ast"
	"go/types"
	"slices"
	"sort"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// leastWarm is the pause in seconds below which nothing is said about traffic that comes too early.
const leastWarm = 1

// warmup is work of main's own flow behind the call that opened the port, whose result a handler reads.
func (l *life) warmup() *model.Warmup {
	var open, ended []summary.Moment
	goesWith := func(m summary.Moment) func(summary.Moment) bool {
		return func(o summary.Moment) bool { return !summary.Exclusive(o.Choices, m.Choices) }
	}
log:
	for _, m := range l.moments {
		switch m.Kind {
		case summary.MomentListen, summary.MomentServe:
			open = append(open, m)
		case summary.MomentSignal:
			switch {
			case len(open) == 0 || m.Thread != 0:
			case len(m.Choices) == 0:
				break log // what main does from here on is the end
			default:
				ended = append(ended, m)
			}
		case summary.MomentPause, summary.MomentWork:
			i := slices.IndexFunc(open, goesWith(m))
			if i < 0 || m.Thread != 0 || !l.long(m) || slices.ContainsFunc(ended, goesWith(m)) {
				continue
			}
			if w := l.warms(m); w != nil {
				w.Listener, l.warmIn = l.span(open[i]), [][]summary.Choice{m.Choices}
				return w
			}
		}
	}
	return l.warmupBeside()
}

// warmupBeside is work that a goroutine does once while main opens the port, unless main waits for something before.
func (l *life) warmupBeside() *model.Warmup {
	for _, m := range l.moments {
		switch {
		case m.Kind == summary.MomentWait && m.Thread == 0:
			return nil
		case m.Kind != summary.MomentListen && m.Kind != summary.MomentServe:
			continue
		}
		for _, s := range l.e.OneShots() {
			if summary.Exclusive(s.Choices, m.Choices) {
				continue
			}
			sort.Slice(s.Stored, func(i, j int) bool { return s.Stored[i].Pos() < s.Stored[j].Pos() })
			for _, o := range s.Stored {
				if !slices.Contains(s.Before, o) && l.read(o) {
					l.early, l.warmIn = s.Before, [][]summary.Choice{s.Choices}
					return &model.Warmup{What: s.Name, Span: l.a.span(s.Pos, s.End), Listener: l.span(m)}
				}
			}
		}
		return nil
	}
	return nil
}

// long reports work that takes as long as there is data, or a second at least.
func (l *life) long(m summary.Moment) bool {
	if m.Kind == summary.MomentPause {
		d, ok := l.seconds(m.Dur)
		return ok && d >= leastWarm && summary.Certain(m)
	}
	w, ok := l.work(m)
	return ok && w.Unbounded || m.Op == "query" || m.Op == "list" || m.Op == "find" || m.Op == "scan"
}

// warms finds the variable that holds the result of the work, and a handler that reads it.
func (l *life) warms(m summary.Moment) *model.Warmup {
	if w, ok := l.work(m); ok && w.Kind == model.StartMigration && len(m.Stack) > 0 {
		if l.readers = l.others(); len(l.readers) > 0 { // every handler that asks the database waits for its schema
			return l.warmed(m, len(m.Stack)-1)
		}
	}
	for i := len(m.Stack) - 1; i >= 0; i-- {
		s := m.Stack[i]
		if o := summary.AssignedAt(s.Pkg, s.Node, s.Pos, s.End); o != nil && l.read(o) {
			return l.warmed(m, i)
		}
		if i == len(m.Stack)-1 {
			continue
		}
		stored := l.e.StoredBy(s.Node)
		sort.Slice(stored, func(i, j int) bool { return stored[i].Pos() < stored[j].Pos() })
		for _, o := range stored {
			if l.read(o) {
				return l.warmed(m, i+1)
			}
		}
	}
	return nil
}

// warmed names the call, at a depth of the stack, that does the work.
func (l *life) warmed(m summary.Moment, at int) *model.Warmup {
	s := m.Stack[at]
	l.early = summary.FlagsBefore(s.Pkg, s.Node, s.Pos)
	w := &model.Warmup{What: "the work", Span: l.a.span(s.Pos, s.End)}
	ast.Inspect(s.Node, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.Pos() != s.Pos || c.End() != s.End {
			return true
		}
		switch f := ast.Unparen(c.Fun).(type) {
		case *ast.Ident:
			w.What = f.Name + "()"
		case *ast.SelectorExpr:
			w.What = f.Sel.Name + "()"
		}
		return false
	})
	return w
}

// others are the patterns of the routes that reach something outside the process: what a schema is for.
func (l *life) others() []string {
	var out []string
	for _, f := range l.flats {
		if l.e.MayAsk(f.Handler) {
			out = append(out, f.Pattern)
		}
	}
	return out
}

// read notes which routes have a handler that reads a variable or field, and reports whether there are any.
func (l *life) read(o types.Object) bool {
	l.readers = nil
	for _, f := range l.flats {
		if l.e.Reads(f.Handler, o) {
			l.readers = append(l.readers, f.Pattern)
		}
	}
	return len(l.readers) > 0
}

// warmFor is the warm-up of the program as an endpoint sees it that cannot fail: where another route needs its result, in
// a process that serves the endpoint.
func (st *program) warmFor(p *model.Program, r *model.Route) *model.Warmup {
	if summary.Apart(st.warmIn, st.modes[r.Key]) {
		return nil
	}
	for _, other := range st.readers {
		if other != r.Pattern {
			return p.Warmup
		}
	}
	return nil
}

// tooEarly reports a handler whose only state is a flag that the warm-up sets before its work: it says ready too soon.
func (st *program) tooEarly(ep *model.Endpoint, handler summary.Value) bool {
	gates := 0
	for _, s := range ep.State {
		if s.Gates && !s.Draining {
			gates++
		}
	}
	if gates != 1 {
		return false
	}
	for _, o := range st.early {
		if st.engine.Reads(handler, o) {
			return true
		}
	}
	return false
}
