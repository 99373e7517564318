package endpoint

import (
	"go/ast"
	"go/constant"
	"go/token"
	"regexp"
	"strings"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// failingOK looks for a branch that only a failed check leads to and that ends the answer with a success.
func (b *builder) failingOK() {
	ans := &b.ep.Answer
	if ans.Unknown || b.gates(func(s *summary.Source) bool { return s.Effect != nil }) {
		return
	}
	for _, w := range b.res.Response.Writes {
		if w.Kind == "flush" || len(w.Stack) == 0 {
			continue
		}
		e := failedBefore(w)
		if e == nil {
			continue
		}
		status, ok := b.sent(w)
		if !ok || status >= 400 {
			continue
		}
		branch, in := b.endingBranch(w)
		if branch == nil || b.inFront(w, in) {
			continue
		}
		ans.FailingOK = &model.FailingOK{
			Write: b.span(w.Pos, w.End), Status: status, Check: b.span(e.Pos, e.End), Call: e.Callee, Dependency: true,
			Degraded: speaksOfDegraded(w, branch),
		}
		for i, h := range e.Via { // the call in the function that branches
			if in.Pos() <= h.Pos && h.End <= in.End() {
				ans.FailingOK.Check = b.span(h.Pos, h.End)
				if i+1 < len(e.Via) {
					ans.FailingOK.Call = e.Via[i+1].Symbol
				}
			}
		}
		return
	}
}

// inFront reports a branch of middleware that lets the request pass to the handler, which then answers by itself.
func (b *builder) inFront(w summary.Write, in ast.Node) bool {
	for _, s := range w.Stack {
		if s.Node == in {
			return false
		}
		if b.final != nil && s.Node == b.final {
			return true
		}
	}
	return false
}

// failedBefore is the call whose failure alone leads to a write: the last one on the way whose failing side is taken.
func failedBefore(w summary.Write) *summary.Effect {
	var out *summary.Effect
	for _, c := range w.PC {
		if c.Src.Effect != nil && c.Sense > 0 && !c.Src.Effect.Background {
			out = c.Src.Effect
		}
	}
	return out
}

// sent is the status that a write sends; ok is false where that differs from way to way.
func (b *builder) sent(w summary.Write) (int, bool) {
	if w.Kind == "status" {
		return summary.Int(w.Status)
	}
	if len(w.Before.Scalars) != 1 || w.Before.Open {
		return 0, false
	}
	n, ok := summary.Int(w.Before)
	if ok && n == 0 {
		n = 200
	}
	return n, ok
}

// endingBranch is the body of the branch around a write that tests the call's outcome and ends the answer: it returns, or
// nothing follows it in the handler. nil where the handler goes on.
func (b *builder) endingBranch(w summary.Write) (list []ast.Stmt, in ast.Node) {
	for i, s := range w.Stack {
		path := pathTo(s.Node, s.Pos, s.End)
		for j := len(path) - 1; j >= 0; j-- {
			list = nil
			switch n := path[j].(type) {
			case *ast.IfStmt:
				if j+1 >= len(path) {
					continue
				}
				switch path[j+1] {
				case ast.Node(n.Body):
					list = n.Body.List
				case n.Else:
					if blk, ok := n.Else.(*ast.BlockStmt); ok {
						list = blk.List
					}
				}
			case *ast.CaseClause:
				list = n.Body
			}
			if list == nil {
				continue
			}
			if ends(list) || b.lastInHandler(w.Stack[i:], path[j]) {
				return list, s.Node
			}
			return nil, nil
		}
	}
	return nil, nil
}

// ends reports a list of statements that ends with a return.
func ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}

// lastInHandler reports a statement that nothing follows in its function, whose call nothing follows in turn, up to the
// handler.
func (b *builder) lastInHandler(stack []summary.Step, n ast.Node) bool {
	body := bodyOf(stack[0].Node)
	if body == nil || len(body.List) == 0 || ast.Node(body.List[len(body.List)-1]) != n {
		return false
	}
	return b.isHandler(stack[0])
}

func (b *builder) isHandler(s summary.Step) bool {
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
	n := 0
	for _, p := range ft.Params.List {
		switch t := s.Pkg.Info.TypeOf(p.Type); {
		case t == nil:
		case strings.HasSuffix(t.String(), "net/http.ResponseWriter"), strings.HasSuffix(t.String(), "net/http.Request"):
			n++
		case b.engine.IsWebContext(t):
			return true
		}
	}
	return n >= 2
}

func bodyOf(n ast.Node) *ast.BlockStmt {
	switch f := n.(type) {
	case *ast.FuncDecl:
		return f.Body
	case *ast.FuncLit:
		return f.Body
	}
	return nil
}

// pathTo is the way from a function down to a call, the outermost node first.
func pathTo(fn ast.Node, pos, end token.Pos) []ast.Node { return summary.PathTo(fn, pos, end) }

var partial = regexp.MustCompile(`(?i)\b(degraded|partial|partially|warn|warning|impaired|limited)\b`)

// speaksOfDegraded reports a branch whose constants say that only a part is lost.
func speaksOfDegraded(w summary.Write, list []ast.Stmt) bool {
	found := false
	p := w.Stack[0].Pkg
	for _, st := range w.Stack {
		if st.Node.Pos() <= list[0].Pos() && list[0].Pos() <= st.Node.End() {
			p = st.Pkg
		}
	}
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || found {
				return !found
			}
			if tv, ok := p.Info.Types[e]; ok && tv.Value != nil && tv.Value.Kind() == constant.String && partial.MatchString(constant.StringVal(tv.Value)) {
				found = true
			}
			return !found
		})
	}
	return found
}

// missingReturn looks for an error answer with a body whose branch does not return: what follows is written behind it.
func (b *builder) missingReturn() {
	ans := &b.ep.Answer
	if ans.LateStatus != nil {
		return
	}
	for i, w := range b.res.Response.Writes {
		code, ok := summary.Int(w.Status)
		if w.Kind != "status" || !ok || code < 400 || !w.Open || i+1 >= len(b.res.Response.Writes) {
			continue
		}
		if next := b.res.Response.Writes[i+1]; next.Kind != "body" || next.Pos != w.Pos {
			continue // a status alone: the body follows as it does for any status
		}
		if b.returns(w) {
			continue
		}
		for j, late := range b.res.Response.Writes[i+2:] {
			if prev := b.res.Response.Writes[i+1+j]; late.Kind == "body" && prev.Kind == "status" && prev.Pos == late.Pos {
				continue // the body of a status, which was looked at
			}
			if late.Kind == "flush" || late.Pos == w.Pos || b.res.FailedWrite(late.PC) || !follows(late, code) || !b.behind(w, late) {
				continue
			}
			n := 200
			if c, ok := summary.Int(late.Status); ok && late.Kind == "status" {
				n = c
			}
			ans.Order = "status-after-body"
			ans.LateStatus = &model.LateStatus{First: b.span(w.Pos, w.End), FirstStatus: code, Late: b.span(late.Pos, late.End), Status: n, MissingReturn: true, Return: b.returnBehind(w)}
			return
		}
	}
}

// follows reports a write that runs both with the status out and with the answer open: the branch that answered did not
// return.
func follows(w summary.Write, code int) bool {
	open, out := false, false
	for _, s := range w.Before.Scalars {
		if s.C == nil {
			return false
		}
		n, ok := constant.Int64Val(constant.ToInt(s.C))
		open = open || ok && n == 0
		out = out || ok && int(n) == code
	}
	return open && out && !w.Before.Open
}

// behind reports a write that the handler of another leads to as well. What a wrapper writes once its handler has returned is
// no sign of a missing return.
func (b *builder) behind(w, late summary.Write) bool {
	for _, s := range w.Stack {
		if !b.isHandler(s) {
			continue
		}
		for _, x := range late.Stack {
			if x.Node == s.Node {
				return true
			}
		}
		return false
	}
	return true
}

// lateStatus looks for an error status behind the beginning of the answer.
func (b *builder) lateStatus() {
	ans := &b.ep.Answer
	for i, w := range b.res.Response.Writes {
		code, ok := summary.Int(w.Status)
		if w.Kind != "status" || w.Open || !ok || code < 400 || b.res.FailedWrite(w.PC) || w.Before.Open || len(w.Before.Scalars) == 0 {
			continue
		}
		out, failed := 0, false
		for _, s := range w.Before.Scalars {
			n, ok := int64(0), false
			if s.C != nil {
				n, ok = constant.Int64Val(constant.ToInt(s.C))
			}
			if !ok || int(n) == code {
				out = 0
				break
			}
			if n < 400 || out == 0 {
				out = int(n)
			}
			failed = failed || n >= 400
		}
		if out == 0 {
			continue
		}
		first := b.firstWith(b.res.Response.Writes[:i], out)
		if first == nil || first.Pos == w.Pos {
			continue
		}
		ans.Order = "status-after-body"
		ans.LateStatus = &model.LateStatus{First: b.span(first.Pos, first.End), FirstStatus: out, Late: b.span(w.Pos, w.End), Status: code, MissingReturn: out >= 400}
		if out >= 400 {
			ans.LateStatus.Return = b.returnBehind(*first)
		}
		return
	}
}

// returns reports a write whose branch ends with a return.
func (b *builder) returns(w summary.Write) bool {
	list, _ := b.endingBranch(w)
	return list != nil && ends(list)
}

// firstWith is the last write that sent a status, of a branch that goes on where there is one.
func (b *builder) firstWith(ws []summary.Write, status int) *summary.Write {
	var other *summary.Write
	for i := len(ws) - 1; i >= 0; i-- {
		w := &ws[i]
		n, ok := summary.Int(w.Status)
		if w.Open && (w.Kind == "body" && status == 200 || w.Kind == "status" && ok && n == status) {
			if !b.returns(*w) {
				return w
			}
			if other == nil {
				other = w
			}
		}
	}
	return other
}

// earlyFlush looks for a check behind the moment at which the headers left.
func (b *builder) earlyFlush() {
	for _, e := range b.res.Effects {
		if !e.After || e.Detached {
			continue
		}
		for _, w := range b.res.Response.Writes {
			if w.Kind == "flush" {
				b.ep.Answer.Order = "flush-before-verdict"
				b.ep.Answer.EarlyFlush = &model.EarlyFlush{Flush: b.span(w.Pos, w.End), Check: b.span(e.Pos, e.End), Name: e.Name}
				return
			}
		}
	}
}
