package endpoint

import (
	"go/ast"
	"go/types"
	"sort"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// wrappers lists the middleware in front of the handler that answers this very request itself: writes that were made
// while no frame of the handler was on the stack. Middleware stands in front of a router or of one handler alike, so the
// handler is what the registered one hands the request to.
func (b *builder) wrappers() {
	final := b.final
	if e, ok := b.res.Answering(b.final); ok {
		final = e.Node
	}
	at := map[ast.Node]*model.Wrapper{}
	var order []*model.Wrapper
	// what turns every such request away keeps the handler behind it from being seen: it is taken for what stands in front
	refusing := b.refusing()
	for _, w := range b.res.Response.Writes {
		if w.Kind != "status" || len(w.Stack) == 0 || final == nil {
			continue
		}
		mw, inside := summary.Step{}, false
		for _, s := range w.Stack {
			if s.Node == final {
				inside = true
			}
			if b.isHandler(s) && (mw.Node == nil || toldMore(mw) && !toldMore(s)) {
				mw = s
			}
		}
		if inside && !refusing || mw.Node == nil {
			continue
		}
		code, ok := summary.Int(w.Status)
		if !ok {
			continue
		}
		x := at[mw.Node]
		if x == nil {
			s := b.span(w.Pos, w.End)
			x = &model.Wrapper{Symbol: mw.Symbol, File: s.File, Line: s.Line, Span: s}
			if name := b.engine.Around(mw.Node); name != "" {
				x.Symbol = name // the constructor is what people call the middleware
			}
			at[mw.Node] = x
			order = append(order, x)
		}
		if !has(x.Statuses, code) {
			x.Statuses = append(x.Statuses, code)
		}
	}
	for _, l := range b.res.Wrappers() {
		s := b.span(l.Pos, l.End)
		order = append(order, &model.Wrapper{Symbol: l.Symbol, File: s.File, Line: s.Line, Span: s, Statuses: l.Statuses, Kind: l.Kind, Always: l.Always})
	}
	for _, x := range order {
		sort.Ints(x.Statuses)
		x.Always = x.Always || b.only(x.Statuses)
		if x.Kind == "" {
			x.Kind = kindOfWrapper(x.Statuses)
		}
		b.ep.Wrappers = append(b.ep.Wrappers, *x)
	}
}

// toldMore reports a function that takes a status or a text beside the request: one that middleware answers through.
func toldMore(s summary.Step) bool {
	var ft *ast.FuncType
	switch f := s.Node.(type) {
	case *ast.FuncDecl:
		ft = f.Type
	case *ast.FuncLit:
		ft = f.Type
	}
	if ft == nil || ft.Params == nil {
		return false
	}
	for _, p := range ft.Params.List {
		t := s.Pkg.Info.TypeOf(p.Type)
		if t == nil {
			continue
		}
		if _, basic := t.Underlying().(*types.Basic); basic || types.Identical(t, types.Universe.Lookup("error").Type()) {
			return true
		}
	}
	return false
}

func has(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

// kindOfWrapper tells what a middleware is by what it answers.
func kindOfWrapper(statuses []int) string {
	switch {
	case has(statuses, 401) || has(statuses, 403):
		return "auth"
	case has(statuses, 429):
		return "limiter"
	}
	return ""
}

// only reports that the endpoint answers nothing but these failures.
func (b *builder) only(statuses []int) bool {
	for _, n := range b.ep.Answer.Statuses {
		if n < 400 || !has(statuses, n) {
			return false
		}
	}
	return !b.ep.Answer.Unknown && len(b.ep.Answer.Statuses) > 0
}

// refusing reports an endpoint whose only answers to this request are that credentials are missing.
func (b *builder) refusing() bool {
	return b.followed() && b.only([]int{401, 403, 407})
}
