package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"time"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/analyzer/load"
)

// OneShot is a goroutine of start-up that does long work once and stores what handlers may read.
type OneShot struct {
	Name     string    // of the function that does the work
	Pos, End token.Pos // its call
	Stored   []types.Object
	// Before are the flags that the goroutine sets before the work, and not again behind it.
	Before  []types.Object
	Choices []Choice // that led to its start
}

// oneShotDepth is how many calls below the goroutine the work is looked for.
const oneShotDepth = 3

// OneShots are the goroutines of start-up that lead to no listener, have no endless loop and do work that takes as long as
// there is data, or a second at least.
func (g *Engine) OneShots() []OneShot {
	var out []OneShot
	for _, w := range g.waiting {
		if w.skipped || w.call == nil {
			continue
		}
		o := &oneShot{g: g, seen: map[ast.Node]bool{}}
		switch f := ast.Unparen(w.call.Fun).(type) {
		case *ast.FuncLit:
			o.look(w.pkg, f, f.Body, 0, nil)
		default:
			if fn := calleeOf(w.pkg, w.call); fn != nil {
				if d, ok := g.decls[fn.Origin()]; ok && d.decl.Body != nil {
					o.look(d.pkg, d.decl, d.decl.Body, 1, w.call)
				}
			}
		}
		if o.endless || o.work == nil {
			continue
		}
		s := OneShot{Name: o.name, Pos: o.work.Pos(), End: o.work.End(), Before: o.flags, Choices: w.choices}
		for v, fns := range g.writers {
			for n := range o.seen {
				if fns[n] {
					s.Stored = append(s.Stored, v)
					break
				}
			}
		}
		if len(s.Stored) > 0 {
			out = append(out, s)
		}
	}
	return out
}

// oneShot is the search in one goroutine.
type oneShot struct {
	g       *Engine
	seen    map[ast.Node]bool
	endless bool
	work    *ast.CallExpr // in the goroutine's own body, or the call that began it
	name    string
	flags   []types.Object // set before the work
}

// look reads a body; from is the call in the goroutine's own body that leads here, nil in that body itself.
func (o *oneShot) look(p *load.Package, n ast.Node, body *ast.BlockStmt, depth int, from *ast.CallExpr) {
	if o.seen[n] || depth > oneShotDepth {
		return
	}
	o.seen[n] = true
	loops := 0
	var walk func(ast.Node) bool
	walk = func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return x == n
		case *ast.GoStmt:
			return false
		case *ast.ForStmt:
			o.endless = o.endless || x.Cond == nil
			loops++
			ast.Inspect(x.Body, walk)
			loops--
			return false
		case *ast.RangeStmt:
			t := p.Info.TypeOf(x.X)
			o.endless = o.endless || isChan(t)
			loops++
			ast.Inspect(x.Body, walk)
			loops--
			return false
		case *ast.AssignStmt:
			o.flagged(flagSet(p, x))
		case *ast.CallExpr:
			o.flagged(flagSet(p, x))
			at := from
			if at == nil {
				at = x
			}
			fn := calleeOf(p, x)
			if fn == nil {
				return true
			}
			if d, ok := o.g.decls[fn.Origin()]; ok {
				if d.decl.Body != nil {
					o.look(d.pkg, d.decl, d.decl.Body, depth+1, at)
				}
				return true
			}
			if o.work == nil && o.takesLong(p, fn, x, loops) {
				o.work, o.name = at, calleeName(at)
			}
		}
		return true
	}
	ast.Inspect(body, walk)
}

// flagged notes a flag that is set: before the work it says too much, behind it what it means to say.
func (o *oneShot) flagged(v types.Object) {
	i := slices.Index(o.flags, v)
	switch {
	case v == nil:
	case o.work == nil && i < 0:
		o.flags = append(o.flags, v)
	case o.work != nil && i >= 0:
		o.flags = slices.Delete(o.flags, i, i+1)
	}
}

// flagSet is the variable or field that a statement makes true: an assignment, Store(true) of an atomic, close of a channel.
func flagSet(p *load.Package, n ast.Node) types.Object {
	isTrue := func(e ast.Expr) bool {
		tv := p.Info.Types[e]
		return tv.Value != nil && (tv.Value.Kind() == constant.Bool && constant.BoolVal(tv.Value) || tv.Value.Kind() == constant.Int && constant.Sign(tv.Value) > 0)
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == 1 && len(n.Rhs) == 1 && n.Tok == token.ASSIGN && isTrue(n.Rhs[0]) {
			return variableOf(p, n.Lhs[0])
		}
	case *ast.CallExpr:
		switch f := ast.Unparen(n.Fun).(type) {
		case *ast.SelectorExpr:
			if len(n.Args) == 1 && f.Sel.Name == "Store" && isTrue(n.Args[0]) {
				return variableOf(p, f.X)
			}
			if len(n.Args) == 2 && (f.Sel.Name == "StoreInt32" || f.Sel.Name == "StoreUint32" || f.Sel.Name == "StoreInt64") && isTrue(n.Args[1]) {
				if u, ok := ast.Unparen(n.Args[0]).(*ast.UnaryExpr); ok {
					return variableOf(p, u.X)
				}
			}
		case *ast.Ident:
			if b, ok := p.Info.Uses[f].(*types.Builtin); ok && b.Name() == "close" && len(n.Args) == 1 {
				return variableOf(p, n.Args[0])
			}
		}
	}
	return nil
}

// variableOf is the variable or field that an expression names.
func variableOf(p *load.Package, e ast.Expr) types.Object {
	var o types.Object
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		o = p.Info.ObjectOf(e)
	case *ast.SelectorExpr:
		o = p.Info.ObjectOf(e.Sel)
	}
	if v, ok := o.(*types.Var); ok && v != nil {
		return v
	}
	return nil
}

// FlagsBefore are the flags that a function sets before a place in it and not behind.
func FlagsBefore(p *load.Package, fn ast.Node, pos token.Pos) []types.Object {
	o := &oneShot{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		if l, ok := n.(*ast.FuncLit); ok && l != fn {
			return false
		}
		if n.Pos() >= pos && o.work == nil {
			o.work = &ast.CallExpr{}
		}
		o.flagged(flagSet(p, n))
		return true
	})
	return o.flags
}

// takesLong reports a migration, a cache sync, a query, or a pause of a second at least.
func (o *oneShot) takesLong(p *load.Package, fn *types.Func, c *ast.CallExpr, loops int) bool {
	path, recv, name, ok := knowledge.NameOf(fn.Origin())
	if !ok {
		return false
	}
	if path == "time" && name == "Sleep" && len(c.Args) == 1 && loops == 0 {
		tv := p.Info.Types[c.Args[0]]
		if tv.Value == nil {
			return false
		}
		d, ok := constant.Int64Val(tv.Value)
		return ok && time.Duration(d) >= time.Second
	}
	if longWork(path, name) != "" {
		return true
	}
	k, ok := o.g.kb.LookupCall(path, recv, name, knowledge.SigOf(fn))
	if !ok || !k.Effect.Waits() {
		return false
	}
	switch k.Op {
	case "query", "list", "find", "scan":
		return true
	}
	return false
}

// calleeName is the name of the function that a call names.
func calleeName(c *ast.CallExpr) string {
	if id := calleeIdent(c); id != nil {
		return id.Name + "()"
	}
	return "the work"
}
