// Package endpoint turns what the interpreter found (package summary) into the model: programs with their servers and
// routes, and, for one route and one request, the endpoint with its answer, dependencies, budget, cache and state.
package endpoint

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Analysis is what is known of the Go code of a run.
type Analysis struct {
	load       *load.Result
	kb         *knowledge.Base
	index      *summary.Index
	programs   []*model.Program
	engines    map[*model.Program]*program
	directives map[at][]directive
	facts      []lint.Fact
	tests      []testFile
	testsOnce  sync.Once
}

// program is one main package interpreted.
type program struct {
	mu     sync.Mutex
	engine *summary.Engine
	flats  []summary.Flat
	pools  []pool
	pooled bool
	// shared are the clients that handlers call, by where each is made; nil until they are looked for.
	shared  map[token.Pos]model.SharedPool
	bounded bool // some pool of database/sql has an upper limit
	// readers are the patterns of the routes that need what the program's warm-up makes, warmIn the ways of start-up on which
	// it is made.
	readers []string
	// early are the flags that are set before that work.
	early  []types.Object
	warmIn [][]summary.Choice
	// modes are, for each of flats, the ways of start-up that serve it; none where that was not seen.
	modes [][][]summary.Choice
}

// Analyze interprets the start-up of every main package that was loaded. It never fails: what could not be followed is
// said in the programs and endpoints.
func Analyze(ctx context.Context, r *load.Result) *Analysis {
	return AnalyzeWith(ctx, r, knowledge.Default())
}

// AnalyzeWith is Analyze with what a project adds to the knowledge that ships with the program.
func AnalyzeWith(ctx context.Context, r *load.Result, kb *knowledge.Base) *Analysis {
	a := &Analysis{load: r, kb: kb, index: summary.NewIndex(r, kb), engines: map[*model.Program]*program{}, directives: directives(r)}
	for _, p := range r.Packages {
		if p.Name != "main" || p.Types == nil || ctx.Err() != nil {
			continue
		}
		if prog := a.start(p); prog != nil {
			a.programs = append(a.programs, prog)
		}
	}
	sort.SliceStable(a.programs, func(i, j int) bool { return a.programs[i].Package < a.programs[j].Package })
	return a
}

// Look makes the endpoints that are asked for from now on tell facts that cost more than the others.
func (a *Analysis) Look(facts []lint.Fact) { a.facts = facts }

// Programs are the main packages, sorted by import path.
func (a *Analysis) Programs() []*model.Program { return a.programs }

func (a *Analysis) start(p *load.Package) (prog *model.Program) {
	prog = &model.Program{Package: p.Path, Dir: p.Dir, Module: p.Module, Complete: true}
	if d := mainDecl(p); d.IsValid() {
		prog.Span = a.span(d, d+4)
	}
	defer func() {
		// the interpreter meets code of every kind; what it cannot stand must not end the run
		if e := recover(); e != nil {
			prog.Complete = false
			prog.Stopped = append(prog.Stopped, model.Unfollowed{Call: p.Path, Why: fmt.Sprintf("the analysis failed: %v", e)})
		}
	}()
	e := summary.Start(a.index, p)
	st := &program{engine: e}
	a.engines[prog] = st
	servers := e.Servers()
	prog.Commands = e.CommandNames()
	for _, s := range servers {
		flats := e.Flatten(s)
		ms := &model.Server{TLS: s.TLS, Kind: s.Kind, Span: a.span(s.Pos, max(s.End, a.load.ExprEnd(s.Pos))), Commands: s.Commands, Unserved: s.Unserved, AddressValue: s.Addr.ModelValue(a.point)}
		if c, from, ok := s.Addr.Resolve(summary.ValuesOf(nil)); ok {
			ms.Address, ms.AddressFrom = summary.Text(c), from
		}
		for _, f := range flats {
			ms.Routes = append(ms.Routes, a.route(e, f, len(st.flats)))
			st.flats = append(st.flats, f)
		}
		prog.Servers = append(prog.Servers, ms)
	}
	a.life(prog, st, servers)
	for _, f := range e.Subcommands() {
		prog.Subcommands = append(prog.Subcommands, a.route(e, f, len(st.flats)))
		st.flats, st.modes = append(st.flats, f), append(st.modes, nil)
	}
	for _, c := range e.Gaps() {
		prog.Complete = false
		prog.Stopped = append(prog.Stopped, model.Unfollowed{Call: p.Path, Why: c})
	}
	return prog
}

func mainDecl(p *load.Package) token.Pos {
	if o := p.Types.Scope().Lookup("main"); o != nil {
		return o.Pos()
	}
	return token.NoPos
}

func (a *Analysis) route(e *summary.Engine, f summary.Flat, key int) *model.Route {
	r := &model.Route{Method: f.Method, Pattern: f.Pattern, CatchAll: f.CatchAll, Key: key, Span: a.span(f.Route.Pos, f.Route.End)}
	sym, pos, end := e.HandlerNode(f.Handler)
	r.Handler = sym
	r.HandlerSpan = a.span(pos, end)
	if len(f.Parts) > 0 {
		r.PatternValue = summary.JoinedText(f.Parts).ModelValue(a.point)
	}
	if f.Mux != nil {
		r.TrailingSlash = trailingSlash(f.Mux.Library)
	}
	return r
}

// exitStatuses are the answers of a command: it ends well or it does not.
func exitStatuses(all []int) []int {
	var out []int
	for _, s := range all {
		if s >= 400 {
			s = 503
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func trailingSlash(lib string) string {
	switch {
	case lib == "gin" || lib == "httprouter":
		return model.SlashRedirect
	case strings.HasPrefix(lib, "fiber"):
		return model.SlashIgnore
	}
	return ""
}

func (a *Analysis) span(from, to token.Pos) model.Span {
	if !from.IsValid() {
		return model.Span{}
	}
	if !to.IsValid() || to < from {
		to = from
	}
	return a.load.Span(from, to)
}

// point is the expression that begins at a position.
func (a *Analysis) point(p token.Pos) model.Span {
	if !p.IsValid() {
		return model.Span{}
	}
	return a.span(p, a.load.ExprEnd(p))
}

// Endpoint interprets one request to a route of a program, with the values that the container sets. nil where the route is
// not one of the analysis.
func (a *Analysis) Endpoint(p *model.Program, r *model.Route, req model.Request, c *model.Container) (ep *model.Endpoint) {
	st := a.engines[p]
	if st == nil || r.Key < 0 || r.Key >= len(st.flats) {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	f := st.flats[r.Key]
	ep = &model.Endpoint{
		ID: p.Package + " " + r.Method + r.Pattern, Program: p.Package, Route: r.Pattern, Method: r.Method,
		Symbol: r.Handler, Registration: r.Span,
	}
	vals := summary.ValuesOf(c)
	a.place(ep, st.engine, f, vals)
	defer func() {
		if e := recover(); e != nil {
			ep.Answer = model.Answer{Unknown: true}
			ep.Unfollowed = append(ep.Unfollowed, model.Unfollowed{Call: ep.Symbol, Why: fmt.Sprintf("the analysis failed: %v", e), File: ep.File, Line: ep.Line, Span: ep.Span})
		}
	}()
	b := &builder{a: a, ep: ep, vals: vals, res: st.engine.Evaluate(f, req, vals, summary.MaxSteps), engine: st.engine, final: st.engine.HandlerDecl(f.Handler), handler: f.Handler}
	b.build()
	b.failOpen(func(x *summary.Effect) *summary.Result {
		return st.engine.EvaluateFailing(f, req, vals, summary.MaxSteps, x.Pos)
	})
	if f.ForCommand() {
		ep.Answer.Statuses = exitStatuses(ep.Answer.Statuses)
	}
	b.answering(f.CatchAll && req.Path != "/")
	b.grpc(f)
	b.libraryCache()
	if slices.Contains(a.facts, lint.FactPools) {
		b.sharedPools(st, r.Pattern)
	}
	if slices.Contains(a.facts, lint.FactTests) && ep.Answer.CanFail() {
		ep.Tests = a.testsOf(p.Module, req.Path, ep.Symbol)
	}
	if !ep.CanFail() {
		if !st.pooled {
			st.pooled = true
			st.pools = a.findPools(st, vals)
		}
		for _, x := range st.pools {
			if x.UseRoute != r.Pattern && !summary.Apart(st.modes[x.route], st.modes[r.Key]) {
				if ep.Unchecked == nil {
					ep.Unchecked = &model.Unchecked{}
				}
				ep.Unchecked.Pools = append(ep.Unchecked.Pools, x.Pool)
			}
		}
		if w := st.warmFor(p, r); w != nil {
			if ep.Unchecked == nil {
				ep.Unchecked = &model.Unchecked{}
			}
			ep.Unchecked.Warmup = w
		}
	}
	if ep.Answer.CanFail() && ep.Unchecked == nil && st.tooEarly(ep, f.Handler) {
		if w := st.warmFor(p, r); w != nil {
			ep.Unchecked = &model.Unchecked{Warmup: w}
		}
	}
	return ep
}

const (
	maxPoolRoutes = 24
	maxPools      = 3
	maxPoolSteps  = 100_000 // of all those routes together
)

// pool is a client that handlers share, with the route that uses it as an index into the program's flats.
type pool struct {
	model.Pool
	route int
}

// findPools looks which clients the program's handlers share: the calls of other routes that leave the pod on a client that
// was made once.
func (a *Analysis) findPools(st *program, vals summary.Values) []pool {
	var out []pool
	type use struct {
		name string
		at   model.Span
	}
	seen := map[use]bool{}
	a.callsOfRoutes(st, vals, func() bool { return len(out) < maxPools }, func(i int, f summary.Flat, e *summary.Effect) {
		span, ok := a.poolOf(e)
		at := use{e.Name, a.span(e.Pos, e.End)}
		if !ok || seen[at] {
			return
		}
		seen[at] = true
		out = append(out, pool{model.Pool{Kind: e.Kind, Name: e.Name, Span: span, Use: at.at, UseRoute: f.Pattern}, i})
	})
	return out
}

func (a *Analysis) poolOf(e *summary.Effect) (model.Span, bool) {
	if e.Scope != model.External || e.Kind == "http" || e.Op == "close" {
		return model.Span{}, false
	}
	pos, ok := e.MadeAt()
	if !ok {
		return model.Span{}, false
	}
	return a.span(pos, pos), true
}
