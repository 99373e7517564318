package summary

import (
	"go/ast"
	"go/types"
	"strings"
)

// cutShort says that a call was not entered because of a limit, where it could lead to another system.
func (it *Interp) cutShort(n ast.Node, symbol string, s *site) {
	if !it.request || s.e == nil {
		return
	}
	if d, ok := n.(*ast.FuncDecl); ok && !it.eng.graph.asking[d] {
		return
	}
	why := "the chain of calls is longer than is followed"
	if it.stack[n] >= maxRecursion {
		why = "it calls itself"
	}
	it.unfollowed(symbol[strings.LastIndexByte(symbol, '/')+1:], why, s.e)
}

// asks reports an external function that waits for another system.
func (x *Index) asks(fn *types.Func) bool {
	c, ok := x.kb.CallOf(fn)
	return ok && c.Effect.Waits()
}

// elsewhere is the cause of what a call of code in another module returns: nothing is known of how it comes about. The
// standard library's results are made of its arguments.
func (it *Interp) elsewhere(s *site) Label {
	if it.request && s.e != nil && s.path == "" && s.fn == nil && s.method && isInvalid(s.result) { // its module is missing
		src := &Source{Kind: Opaque, Name: exprText(s.e.Fun), Pos: s.e.Pos(), End: s.e.End()}
		return Label{{src, 0}}
	}
	if !it.request || s.path == "" || s.e == nil || !strings.Contains(strings.SplitN(s.path, "/", 2)[0], ".") || it.eng.firstParty(s.path) {
		return nil
	}
	if _, ok := it.eng.kb.LookupWrapper(s.path, s.recvT, s.name); ok {
		return nil
	}
	if _, ok := it.eng.kb.LookupRouter(s.path, s.recvT, s.name); ok {
		return nil
	}
	src := &Source{Kind: Opaque, Name: s.short(), Pos: s.e.Pos(), End: s.e.End()}
	return Label{{src, 0}}
}

// isVerdictResult reports a result that says whether something works: an error or a boolean, last of several.
func isVerdictResult(t types.Type) bool {
	if tup, ok := t.(*types.Tuple); ok {
		if tup.Len() == 0 {
			return false
		}
		t = tup.At(tup.Len() - 1).Type()
	}
	if t == nil || isInvalid(t) {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return isErrorType(t) || ok && b.Kind() == types.Bool
}

// unknownCode is the cause of what code returns that was never seen (a plugin, reflection, another module behind an
// interface of this one), which is said where the result can be a verdict.
func (it *Interp) unknownCode(s *site, why string) Label {
	if !it.request || s.e == nil || !isVerdictResult(s.result) && s.path != "reflect" {
		return nil
	}
	it.maybeUnfollowed(s, why)
	return Label{{&Source{Kind: Opaque, Name: exprText(s.e.Fun), Pos: s.e.Pos()}, 0}}
}
