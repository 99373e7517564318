package summary

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

// MomentKind says what start-up was seen to do at one moment.
type MomentKind uint8

// The kinds of moment. A Wait ends when something else says so (a channel, a WaitGroup); a Pause after its duration. A
// Skip is a call of first-party code that was not interpreted, a Foreign one of a library that nothing is known of.
const (
	MomentListen MomentKind = iota // a port is open
	MomentServe                    // a server takes requests
	MomentSignal                   // a signal was waited for
	MomentPause
	MomentWait
	MomentStop // a server is shut down
	MomentWork // a call that leaves the process, or a known long one
	MomentSkip
	MomentForeign
	MomentEnd // main returns
)

// Moment is one entry of the log of start-up.
type Moment struct {
	Kind     MomentKind
	Pos, End token.Pos
	// Thread is 0 for main's own flow, else the goroutine.
	Thread int
	Callee string // "(*net/http.Server).Shutdown"
	// Dur is the length of a Pause, or the limit of a Stop; HasDur where there is one.
	Dur    Value
	HasDur bool
	// Objs are the server values of a Serve or Stop.
	Objs   []*Object
	Server *Server
	// Graceful: a Stop that waits for requests in flight.
	Graceful bool
	// Op is what a Work does: query, exec, migrate, sync, ...; Statement its SQL.
	Op, Statement string
	Decl          *ast.FuncDecl // of a Skip
	Stack         []Step        // innermost first
	Choices       []Choice      // that led here, outermost first
}

// Step is one activation on the way to a moment: the function and the call in it.
type Step struct {
	Pkg      *load.Package
	Node     ast.Node // FuncDecl or FuncLit
	Symbol   string
	Pos, End token.Pos // of the call in this function
}

// Thread is a goroutine of start-up.
type Thread struct {
	Parent int
	From   int // how many moments the log had when it was started
	Call   *ast.CallExpr
	Node   ast.Node // what starts it
}

const maxMoments = 4000

// life is the log of start-up.
type life struct {
	moments []Moment
	threads []Thread
	thread  int
	off     int // >0: in code that is not on the way from start to end
	gos     map[*ast.CallExpr]bool
	modules []Moment // work that waits for fx.New
	choices []Choice // that start-up is in; never changed in place
	forks   int
}

// began notes a call that a go statement makes.
func (l *life) began(c *ast.CallExpr) {
	if l.gos == nil {
		l.gos = map[*ast.CallExpr]bool{}
	}
	l.gos[c] = true
}

// IsGo reports a call that a go statement makes.
func (g *Engine) IsGo(c *ast.CallExpr) bool { return g.life.gos[c] }

// Packages are the first-party packages of the program.
func (g *Engine) Packages() []*load.Package { return g.reachable() }

// Life is the log of start-up, main first.
func (g *Engine) Life() ([]Moment, []Thread) { return g.life.moments, g.life.threads }

// live reports whether start-up is being interpreted in its order.
func (it *Interp) live() bool { return !it.request && it == it.eng.setup && it.eng.life.off == 0 }

func (it *Interp) note(m Moment) {
	l := &it.eng.life
	if !it.live() || len(l.moments) >= maxMoments {
		return
	}
	m.Thread, m.Choices = l.thread, l.choices
	pos, end := m.Pos, m.End
	for f := it.frame; f != nil && len(m.Stack) < 16; f = f.caller {
		if f.node != nil {
			m.Stack = append(m.Stack, Step{Pkg: f.pkg, Node: f.node, Symbol: f.symbol, Pos: pos, End: end})
		}
		pos, end = f.callPos, f.callEnd
	}
	l.moments = append(l.moments, m)
}

func (it *Interp) noteCall(kind MomentKind, s *site) {
	if !it.live() {
		return
	}
	pos, end := sitePos(s)
	it.note(Moment{Kind: kind, Pos: pos, End: end, Callee: s.callee()})
}

// beside runs a goroutine's body as a thread of its own.
func (it *Interp) beside(n ast.Node, run func()) {
	l := &it.eng.life
	if it.request || it != it.eng.setup {
		run()
		return
	}
	saved, signaled := l.thread, it.signaled
	call, _ := n.(*ast.CallExpr)
	l.threads = append(l.threads, Thread{Parent: saved, From: len(l.moments), Call: call, Node: n})
	l.thread = len(l.threads)
	run()
	l.thread, it.signaled = saved, signaled
}

// aside runs code whose moments are not in the order of main's flow.
func (it *Interp) aside(run func()) {
	it.eng.life.off++
	run()
	it.eng.life.off--
}

// awaits notes that something is waited for: a signal, a timer, or another goroutine.
func (it *Interp) awaits(v Value, pos, end token.Pos) {
	if !it.live() {
		return
	}
	it.note(it.waitMoment(v, pos, end))
}

func (it *Interp) waitMoment(v Value, pos, end token.Pos) Moment {
	m := Moment{Kind: MomentWait, Pos: pos, End: end}
	for _, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok {
			continue
		}
		switch {
		case o.Signal, o.Ctx != nil && o.Ctx.Signal:
			m.Kind = MomentSignal
		case o.Lib != nil && o.Lib.Path == "time" && (o.Lib.Name == "After" || o.Lib.Name == "NewTimer") && len(o.Lib.Args) > 0:
			m.Kind, m.Dur, m.HasDur = MomentPause, o.Lib.Args[0], true
		}
	}
	return m
}

// awaitsAny notes a select: what ends it is its signal where a case waits for one, else a timer, else another goroutine.
// The case of the signal is returned.
func (it *Interp) awaitsAny(s *ast.SelectStmt) *ast.CommClause {
	if !it.live() {
		return nil
	}
	m := Moment{Kind: MomentWait, Pos: s.Pos(), End: s.Pos() + token.Pos(len("select"))}
	var signal *ast.CommClause
	ends := false
	for _, c := range s.Body.List {
		cc, ok := c.(*ast.CommClause)
		if !ok {
			continue
		}
		if cc.Comm == nil {
			ends = true
			continue
		}
		ch := recvExpr(cc.Comm)
		if ch == nil {
			continue
		}
		switch x := it.waitMoment(it.quiet(ch), m.Pos, m.End); {
		case x.Kind == MomentSignal && signal == nil:
			m.Kind, signal = MomentSignal, cc
		case x.Kind == MomentPause && m.Kind == MomentWait:
			m.Kind, m.Dur, m.HasDur = MomentPause, x.Dur, true
		}
	}
	if !ends || signal != nil {
		it.note(m)
	}
	return signal
}

// stops notes the shutdown of a server with the deadline that it is given.
func (it *Interp) stops(s *site) {
	if !it.live() {
		return
	}
	pos, end := sitePos(s)
	m := Moment{Kind: MomentStop, Pos: pos, End: end, Callee: s.callee(), Graceful: s.name != "Close" && s.name != "Stop"}
	for _, t := range s.recv.Terms {
		if o, ok := t.(*Object); ok {
			m.Objs = append(m.Objs, o)
		}
	}
	if c, ok := it.lookupRouter(s); ok && c.Dur >= 0 && c.Dur < len(s.args) {
		m.Dur, m.HasDur = s.arg(c.Dur), true
	} else if len(s.args) > 0 {
		if c := it.ctxOf(s.arg(0)); len(c.Deadlines) > 0 {
			m.Dur, m.HasDur = c.Deadlines[len(c.Deadlines)-1].Dur, true
		}
	}
	it.note(m)
}

// works notes a call of start-up that leaves the process or is known to take long.
func (it *Interp) works(op, statement string, s *site) {
	if !it.live() {
		return
	}
	pos, end := sitePos(s)
	it.note(Moment{Kind: MomentWork, Pos: pos, End: end, Callee: s.callee(), Op: op, Statement: statement})
}

// foreign notes a call of a library that may wait.
func (it *Interp) foreign(s *site) {
	if !it.live() || !it.serving {
		return
	}
	for _, p := range []string{"Wait", "Drain", "Sleep", "Delay", "Await", "Block", "Join", "Run", "Start", "Serve", "Execute"} {
		if strings.Contains(s.name, p) {
			it.noteCall(MomentForeign, s)
			return
		}
	}
}

// longWork is what libraries do at start-up that takes as long as there is data.
func longWork(path, name string) string {
	has := func(p string) bool { return strings.Contains(path, p) }
	switch {
	case has("pressly/goose") && strings.HasPrefix(name, "Up"),
		has("golang-migrate/migrate") && (name == "Up" || name == "Migrate" || name == "Steps"),
		has("gorm") && (name == "AutoMigrate" || name == "Migrate"),
		has("rubenv/sql-migrate") && strings.HasPrefix(name, "Exec"),
		has("uptrace/bun/migrate") && name == "Migrate",
		has("amacneil/dbmate") && (name == "Migrate" || name == "CreateAndMigrate"),
		has("jackc/tern") && strings.HasPrefix(name, "Migrate"),
		has("GuiaBolso/darwin") && name == "Migrate",
		has("xorm") && strings.HasPrefix(name, "Sync"),
		has("go-pg/migrations") && name == "Run",
		has("gormigrate") && strings.HasPrefix(name, "Migrate"):
		return "migrate"
	case strings.Contains(name, "WaitForCacheSync") || strings.Contains(name, "WaitForNamedCacheSync"):
		return "sync"
	}
	return ""
}

// ddl reports a statement that changes a table that may hold data, or that reads all of it. Creating an empty table is quick.
func ddl(statement string) bool {
	f := strings.Fields(strings.ToUpper(statement))
	if len(f) < 3 {
		return false
	}
	switch f[0] {
	case "ALTER":
		return f[1] == "TABLE"
	case "CREATE":
		return f[1] == "INDEX" || f[1] == "UNIQUE" && f[2] == "INDEX"
	case "REINDEX", "OPTIMIZE", "VACUUM":
		return true
	}
	return false
}

// calleeOf is the function that a call names, nil for a value.
func calleeOf(p *load.Package, c *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	case *ast.IndexExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			id = x
		}
	}
	if id == nil || p.Info == nil {
		return nil
	}
	fn, _ := p.Info.Uses[id].(*types.Func)
	return fn
}
