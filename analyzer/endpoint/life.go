package endpoint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// life reads what a program does from its start to its end off the log of start-up: work before the listener, shutdown,
// servers whose end changes nothing.
type life struct {
	a       *Analysis
	e       *summary.Engine
	moments []summary.Moment
	threads []summary.Thread
	flats   []summary.Flat
	readers []string       // patterns of the routes that need what the warm-up makes
	early   []types.Object // flags that are set before that work
	warmIn  [][]summary.Choice
}

func (a *Analysis) life(prog *model.Program, st *program, servers []*summary.Server) {
	e := st.engine
	l := &life{a: a, e: e, flats: st.flats}
	l.moments, l.threads = e.Life()
	prog.Startup = l.startup()
	prog.Shutdown = l.shutdown()
	prog.Unawaited = l.unawaited()
	prog.Warmup = l.warmup()
	st.readers, st.early, st.warmIn = l.readers, l.early, l.warmIn
	st.modes = make([][][]summary.Choice, len(st.flats))
	for i, s := range servers {
		if i >= len(prog.Servers) {
			break
		}
		ms := prog.Servers[i]
		ms.Outcome = l.outcome(s)
		modes := l.modes(s)
		ms.Apart = summary.Apart(st.warmIn, modes)
		for _, r := range ms.Routes {
			st.modes[r.Key] = modes
		}
	}
}

// modes are the ways of start-up on which a server takes requests.
func (l *life) modes(s *summary.Server) [][]summary.Choice {
	var out [][]summary.Choice
	for _, m := range l.moments {
		if m.Kind == summary.MomentServe && m.Server == s {
			out = append(out, m.Choices)
		}
	}
	return out
}

// before are the moments that a thread has behind it at a place in the log, its starters' included, in order.
func (l *life) before(at int) []summary.Moment {
	var out []summary.Moment
	var walk func(thread, end int)
	walk = func(thread, end int) {
		if thread > 0 && thread <= len(l.threads) {
			t := l.threads[thread-1]
			walk(t.Parent, t.From)
		}
		for _, m := range l.moments[:min(end, len(l.moments))] {
			if m.Thread == thread {
				out = append(out, m)
			}
		}
	}
	walk(l.moments[at].Thread, at)
	return out
}

// seconds is a duration that is constant: one from a flag or a variable may be another in the container.
func (l *life) seconds(v summary.Value) (float64, bool) {
	b := &builder{a: l.a, vals: summary.ValuesOf(nil)}
	s, from, ok := b.secondsOrZero(v)
	return s, ok && from == summary.FromConstant
}

func (l *life) span(m summary.Moment) model.Span { return l.a.span(m.Pos, m.End) }

// shutdown is what happens between a signal and the end of the listeners; nil where the code does not tell.
func (l *life) shutdown() *model.Shutdown {
	var out *model.Shutdown
	for i, m := range l.moments {
		if m.Kind != summary.MomentStop || !m.Graceful {
			continue
		}
		s := &model.Shutdown{Graceful: true, Span: l.span(m)}
		switch wait, most, known := l.waitBefore(l.before(i)); {
		case known:
			s.Wait = &wait
		case most > 0:
			s.WaitMost = &most
		}
		if m.HasDur {
			if d, ok := l.seconds(m.Dur); ok {
				s.Timeout = &d
			}
		}
		out = slower(out, s)
	}
	if out != nil {
		return out
	}
	graceful, handled, at := l.stopsAnywhere()
	if graceful {
		return &model.Shutdown{Graceful: true, Span: at}
	}
	serve := l.first(summary.MomentServe)
	if serve < 0 {
		return nil
	}
	zero := 0.0
	out = &model.Shutdown{Span: l.span(l.moments[serve])}
	if !handled { // SIGTERM ends the process
		out.Wait, out.Timeout = &zero, &zero
		return out
	}
	if end := l.first(summary.MomentEnd); end >= 0 { // main returns after the signal
		if wait, _, known := l.waitBefore(l.before(end)); known {
			out.Wait, out.Timeout = &wait, &zero
		}
	}
	return out
}

// slower is the shutdown that keeps its listener open longer: nothing tells which of several servers has the traffic. One
// whose wait is not known could be the slowest.
func slower(a, b *model.Shutdown) *model.Shutdown {
	if a == nil {
		return b
	}
	if a.Wait != nil && (b.Wait == nil || *b.Wait > *a.Wait) {
		a, b = b, a
	}
	if b.WaitMost != nil && (a.WaitMost == nil || *b.WaitMost > *a.WaitMost) {
		a.WaitMost = b.WaitMost
	}
	if b.Timeout != nil && (a.Timeout == nil || *b.Timeout > *a.Timeout) {
		a.Timeout = b.Timeout
	}
	return a
}

// stopsAnywhere looks through all code of the program for a graceful shutdown, and for anything that handles signals.
func (l *life) stopsAnywhere() (graceful, handled bool, at model.Span) {
	pkgs := l.e.Packages()
	own := map[string]bool{}
	for _, p := range pkgs {
		own[p.Path] = true
	}
	for _, p := range pkgs {
		for _, f := range p.Files {
			for _, im := range f.Imports {
				path := strings.Trim(im.Path.Value, "\"`")
				handled = handled || !own[path] && handlesSignals(path)
			}
			for _, d := range f.Decls {
				ast.Inspect(d, func(n ast.Node) bool {
					c, ok := n.(*ast.CallExpr)
					if !ok || graceful || !stopsGracefully(p.Info, c) {
						return !graceful
					}
					if fn, ok := d.(*ast.FuncDecl); !ok || l.e.Mentioned(fn) {
						graceful, at = true, l.a.span(c.Pos(), c.End())
					}
					return !graceful
				})
			}
		}
	}
	return graceful, handled, at
}

// stopsGracefully reports a call that shuts a server down and waits for it. First-party methods show what they do
// themselves; of a callee without a type the name counts.
func stopsGracefully(info *types.Info, c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	name := sel.Sel.Name
	if name != "Shutdown" && name != "GracefulStop" && name != "GracefulShutdown" && !strings.HasPrefix(name, "ShutdownWith") {
		return false
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok {
		return true
	}
	path, recv, name, ok := knowledge.NameOf(fn)
	if !ok {
		return true
	}
	r, known := knowledge.LookupRouter(path, recv, name)
	return known && r.Role == knowledge.RouterShutdown
}

// handlesSignals reports packages that wait for signals on behalf of the program, or that may.
func handlesSignals(path string) bool {
	for _, p := range []string{
		"os/signal", "sigs.k8s.io/controller-runtime", "k8s.io/apiserver", "k8s.io/component-base", "knative.dev/pkg", "go.uber.org/fx",
		"github.com/oklog/run", "github.com/zeromicro/go-zero", "github.com/go-kratos/kratos", "github.com/kataras/iris", "github.com/micro/",
		"go-micro.dev", "github.com/fvbock/endless", "github.com/facebookgo/grace", "github.com/facebookarchive/grace", "github.com/beego/beego",
		"github.com/astaxie/beego", "github.com/gobuffalo/buffalo", "github.com/cloudwego/", "github.com/judwhite/go-svc", "github.com/kardianos/service",
		"github.com/thejerf/suture", "gofr.dev", "github.com/aws/aws-lambda-go", "github.com/hashicorp/go-plugin", "github.com/grafana/dskit",
		"github.com/pseidemann/finish", "github.com/tilinna/clock",
	} {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	for _, w := range []string{"signal", "graceful", "shutdown", "lifecycle", "service", "server", "framework"} {
		if strings.Contains(path, w) && strings.Contains(strings.Split(path, "/")[0], ".") {
			return true
		}
	}
	return false
}

func (l *life) first(k summary.MomentKind) int {
	for i, m := range l.moments {
		if m.Kind == k {
			return i
		}
	}
	return -1
}

// unawaited is a graceful shutdown in a goroutine that main does not wait for.
func (l *life) unawaited() *model.UnawaitedShutdown {
	if l.first(summary.MomentEnd) < 0 {
		return nil // the log was cut
	}
	for i, s := range l.moments {
		if s.Kind != summary.MomentServe || s.Thread != 0 || len(s.Objs) != 1 || len(s.Stack) == 0 {
			continue
		}
		stop, ok := l.stopBeside(i)
		if !ok {
			continue
		}
		out := &model.UnawaitedShutdown{Serve: l.span(s), Shutdown: l.span(stop)}
		out.Fatal = summary.DirectlyFatal(s.Stack[0].Pkg, s.Stack[0].Node, s.Pos, s.End)
		if out.Fatal || !l.waitsAfter(i) {
			return out
		}
	}
	return nil
}

// waitsAfter reports anything in main's own flow behind a moment that can wait, or end otherwise.
func (l *life) waitsAfter(i int) bool {
	for _, m := range l.moments[i+1:] {
		if m.Thread == 0 && m.Kind != summary.MomentEnd && m.Kind != summary.MomentListen && m.Kind != summary.MomentWork {
			return true
		}
	}
	return false
}

// stopBeside is the graceful shutdown of the server that is served at i, in a goroutine that was started before and that
// waits for a signal.
func (l *life) stopBeside(i int) (summary.Moment, bool) {
	for j, m := range l.moments[:i] {
		if m.Kind != summary.MomentStop || !m.Graceful || m.Thread == 0 || !returnsAtOnce(m.Callee) || len(m.Objs) != 1 || m.Objs[0] != l.moments[i].Objs[0] {
			continue
		}
		for _, b := range l.before(j) {
			if b.Kind == summary.MomentSignal && b.Thread != 0 {
				return m, true
			}
		}
	}
	return summary.Moment{}, false
}

// returnsAtOnce reports a shutdown at whose beginning the call that serves returns. That of gRPC waits for the end.
func returnsAtOnce(callee string) bool {
	return strings.HasPrefix(callee, "(*net/http.Server)") || strings.HasPrefix(callee, "(*github.com/labstack/echo")
}

// outcome follows the error of the call that serves up to the end of its goroutine.
func (l *life) outcome(s *summary.Server) model.Outcome {
	for _, m := range l.moments {
		if m.Kind != summary.MomentServe || m.Server != s {
			continue
		}
		if m.Thread > 0 && l.isGo(m.Thread) && l.threads[m.Thread-1].Call.Pos() == m.Pos {
			return model.OutcomeDropped // go srv.ListenAndServe()
		}
		for _, st := range m.Stack {
			root := m.Thread > 0 && l.isRoot(m.Thread, st.Node)
			switch fate := summary.FateOf(st.Pkg, st.Node, st.Pos, st.End); {
			case fate == summary.FateExits:
				return model.OutcomeExits
			case fate == summary.FateReturned && !root:
				continue
			case !root || !l.isGo(m.Thread) || fate != summary.FateReturned && !summary.NothingAfter(st.Pkg, st.Node, st.Pos, st.End):
				return model.OutcomeUnknown
			case fate == summary.FateLogged:
				return model.OutcomeLogged
			case fate == summary.FateDropped, fate == summary.FateReturned:
				return model.OutcomeDropped
			}
			return model.OutcomeUnknown
		}
	}
	return model.OutcomeUnknown
}

// isGo reports a thread that a go statement began: its result goes nowhere.
func (l *life) isGo(thread int) bool {
	t := l.threads[thread-1]
	return t.Call != nil && l.e.IsGo(t.Call)
}

// isRoot reports the function that a thread runs.
func (l *life) isRoot(thread int, n ast.Node) bool {
	t := l.threads[thread-1]
	if t.Call == nil {
		return false
	}
	switch f := ast.Unparen(t.Call.Fun).(type) {
	case *ast.FuncLit:
		return f == n
	case *ast.Ident:
		d, ok := n.(*ast.FuncDecl)
		return ok && f.Name == d.Name.Name
	case *ast.SelectorExpr:
		d, ok := n.(*ast.FuncDecl)
		return ok && f.Sel.Name == d.Name.Name
	}
	return false
}

// startup lists the work before the first listener.
func (l *life) startup() []model.StartupWork {
	var out []model.StartupWork
	seen := map[token.Pos]bool{}
	for _, m := range l.moments {
		switch {
		case m.Kind == summary.MomentServe || m.Kind == summary.MomentListen:
			return out
		case m.Thread != 0 || seen[m.Pos]:
			continue
		}
		if w, ok := l.work(m); ok {
			seen[m.Pos] = true
			out = append(out, w)
		}
	}
	return nil // no listener was seen
}

// work classifies one moment of start-up.
func (l *life) work(m summary.Moment) (model.StartupWork, bool) {
	w := model.StartupWork{Span: l.span(m), What: shortCallee(m.Callee), Sure: summary.Certain(m)}
	switch m.Kind {
	case summary.MomentPause:
		n := l.repeats(m)
		d, ok := l.seconds(m.Dur)
		switch {
		case n == 0 && summary.AsksInLoop(m):
			w.Kind, w.Unbounded, w.What = model.StartWaitLoop, true, "a loop that waits"
		case n > 1 && ok:
			w.Kind, w.Seconds, w.What = model.StartWaitLoop, d*float64(n), "a loop that waits"
		case n == 1 && ok && w.Sure:
			w.Kind, w.Seconds, w.What = model.StartSleep, d, "a sleep"
		default:
			return w, false
		}
	case summary.MomentWork:
		switch {
		case m.Op == "migrate":
			w.Kind, w.Unbounded = model.StartMigration, true
		case m.Op == "sync":
			w.Kind, w.Unbounded = model.StartSync, true
		case summary.IsDDL(m.Statement):
			f := strings.Fields(m.Statement)
			w.Kind, w.Unbounded, w.What = model.StartMigration, true, strings.ToUpper(f[0]+" "+f[1])
		case m.Op == "ping" || m.Op == "connect":
			w.Kind = model.StartConnect
		default:
			return w, false
		}
	default:
		return w, false
	}
	return w, true
}

// shortCallee is "goose.Up" of "github.com/pressly/goose/v3.Up" and "Migrate.Up" of a method.
func shortCallee(c string) string {
	c = strings.NewReplacer("(", "", ")", "", "*", "").Replace(c)
	if i := strings.LastIndexByte(c, '/'); i >= 0 {
		last := c[i+1:]
		if head, tail, ok := strings.Cut(last, "."); ok && len(head) > 1 && head[0] == 'v' && strings.Trim(head[1:], "0123456789") == "" {
			j := strings.LastIndexByte(c[:i], '/')
			last = c[j+1:i] + "." + tail
		}
		c = last
	}
	if parts := strings.Split(c, "."); len(parts) == 3 {
		return parts[1] + "." + parts[2]
	}
	return c
}
