package endpoint

import (
	"github.com/probelint/probelint/internal/model"
)

// held lists what one request takes and does not give back: connections, response bodies, goroutines.
func (b *builder) held() {
	if b.res.Cut != "" {
		return // what was not read may close it
	}
	seen := map[model.Span]bool{}
	for _, c := range b.res.Connections() {
		s := b.span(c.Pos, c.End)
		if seen[s] {
			continue
		}
		seen[s] = true
		b.ep.Connections = append(b.ep.Connections, model.NewConnection{
			Call: c.Callee, Name: c.Name, Span: s, Closed: b.res.IsClosed(c), Escapes: c.Escapes,
		})
	}
	closed := map[model.Span]bool{} // a body that one way through the same call closes is closed somewhere
	for _, x := range b.res.Bodies() {
		if s := b.span(x.Effect.Pos, x.Effect.End); x.Closed || x.Escapes {
			closed[s] = true
		}
	}
	for _, x := range b.res.Bodies() {
		s := b.span(x.Effect.Pos, x.Effect.End)
		if closed[s] {
			continue
		}
		closed[s] = true
		b.ep.Leaks = append(b.ep.Leaks, model.Leak{Kind: "body", Call: x.Effect.Callee, Span: s, Cure: b.closeBehind(x.Effect)})
	}
	for _, x := range b.res.Stuck() {
		s := b.span(x.Pos, x.End)
		if closed[s] {
			continue
		}
		closed[s] = true
		b.ep.Leaks = append(b.ep.Leaks, model.Leak{Kind: "goroutine", Call: "make", Span: s, Exit: b.span(x.ExitPos, x.ExitEnd), Cure: b.buffer(x)})
	}
}
