package endpoint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// sharedPools says of each dependency whether its client's pool has an upper limit and is that of other requests too.
func (b *builder) sharedPools(st *program, route string) {
	if st.shared == nil {
		st.shared = map[token.Pos]model.SharedPool{}
		b.a.findShared(st, b.vals)
		st.bounded = limitsOpen(st.engine)
	}
	for e, d := range b.deps {
		if d.Scope != model.External || d.Mode == "detached" || d.AfterAnswer || !boundedPool(e, st.bounded) {
			continue
		}
		pos, ok := e.MadeAt()
		if !ok {
			continue
		}
		if x, ok := st.shared[pos]; ok && x.UseRoute != route {
			d.Pool = &x
		}
	}
}

// findShared interprets the other routes for the clients that they call.
func (a *Analysis) findShared(st *program, vals summary.Values) {
	a.callsOfRoutes(st, vals, func() bool { return true }, func(_ int, f summary.Flat, e *summary.Effect) {
		pos, ok := e.MadeAt()
		if _, has := st.shared[pos]; !ok || has || e.Scope != model.External || e.Background || e.Once {
			return
		}
		st.shared[pos] = model.SharedPool{Made: a.point(pos), Use: a.span(e.Pos, e.End), UseRoute: f.Pattern}
	})
}

// callsOfRoutes interprets requests to the routes that are for no probe, as many as its limits allow and as long as more says so,
// and gives each call that waits for another system, with the index of its route.
func (a *Analysis) callsOfRoutes(st *program, vals summary.Values, more func() bool, each func(i int, f summary.Flat, e *summary.Effect)) {
	left := maxPoolSteps
	for i, f := range st.flats {
		if i >= maxPoolRoutes || left <= 0 || !more() {
			return
		}
		if a.kb.IsHealthPath(f.Pattern) || f.CatchAll || f.ForCommand() {
			continue
		}
		method := f.Method
		if method == "" {
			method = "GET"
		}
		res := st.engine.Evaluate(f, model.Request{Method: method, Path: f.Pattern}, vals, left)
		left -= res.Steps
		for _, e := range res.Effects {
			each(i, f, e)
		}
	}
}

// boundedPool reports a client that has a pool with an upper limit: those of pgx and Redis always (pgxpool: the larger of 4 and the
// number of processors; go-redis: 10 for each processor), those above database/sql where the program sets one.
func boundedPool(e *summary.Effect, limited bool) bool {
	switch {
	case strings.HasPrefix(e.Entry, "go-redis."):
		return true
	case strings.HasPrefix(e.Entry, "pgx."):
		return strings.Contains(e.Callee, "pgxpool.")
	}
	switch e.Entry {
	case "database/sql", "bun", "ent", "ent.generated", "gorm", "gorm.v1", "sqlx", "scany", "squirrel", "xorm":
		return limited
	}
	return false
}

// limitsOpen reports whether the program limits the open connections of some pool of database/sql: SetMaxOpenConns with anything but
// zero, which stands for no limit.
func limitsOpen(e *summary.Engine) bool {
	found := false
	for _, p := range e.Packages() {
		for _, f := range p.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok || found || len(c.Args) != 1 {
					return !found
				}
				sel, ok := c.Fun.(*ast.SelectorExpr)
				if !ok || sel.Sel.Name != "SetMaxOpenConns" {
					return true
				}
				if fn, ok := p.Info.Uses[sel.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Pkg().Path() != "database/sql" {
					return true // xorm and others hand it on, and a stranger's method says nothing
				}
				v := p.Info.Types[c.Args[0]].Value
				found = v == nil || v.ExactString() != "0"
				return !found
			})
		}
	}
	return found
}
