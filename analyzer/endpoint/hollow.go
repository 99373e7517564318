package endpoint

import (
	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// hollow lists the calls that look like checks and cannot fail.
func (b *builder) hollow() {
	seen := map[model.Span]bool{}
	add := func(h model.HollowCheck) {
		if !seen[h.Span] {
			seen[h.Span] = true
			b.ep.Hollow = append(b.ep.Hollow, h)
		}
	}
	for _, u := range b.res.Unexecuted() {
		add(model.HollowCheck{Why: model.HollowNeverExecutes, Call: u.Callee, Name: u.Name, Span: b.span(u.Pos, u.End)})
	}
	fails := b.ep.Answer.Unknown || b.ep.Answer.CanFail()
	for _, e := range b.res.Effects {
		s := b.span(e.Pos, e.End)
		switch {
		case e.Background || e.Detached:
		case e.Connectionless:
			add(model.HollowCheck{Why: model.HollowConnectionless, Call: e.Callee, Span: s})
		case !fails && asks(e.Op) && dropped(e):
			add(model.HollowCheck{Why: model.HollowErrorDropped, Call: e.Callee, Name: e.Name, Span: s})
		}
	}
}

// asks reports an operation that is made for its answer.
func asks(op string) bool {
	switch op {
	case "ping", "query", "get", "connect", "dial", "list", "lookup", "head", "find", "state", "health", "status", "describe", "call":
		return true
	}
	return false
}

// dropped reports a call whose error nobody looks at, here or in the functions that hand it on.
func dropped(e *summary.Effect) bool {
	for _, s := range e.Stack {
		switch summary.FateOf(s.Pkg, s.Node, s.Pos, s.End) {
		case summary.FateReturned:
			continue
		case summary.FateDropped:
			return true
		}
		return false
	}
	return false
}
