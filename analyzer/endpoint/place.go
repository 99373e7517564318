package endpoint

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// place says where the handler stands, before any request was followed.
func (a *Analysis) place(ep *model.Endpoint, e *summary.Engine, f summary.Flat, vals summary.Values) {
	symbol, pos, end := e.HandlerNode(f.Handler)
	if s, p, q, ok := e.CheckPlace(f.Handler, vals); ok {
		symbol, pos, end = s, p, q
	}
	if symbol != "" {
		ep.Symbol = symbol
	}
	if !pos.IsValid() {
		pos, end = f.Route.Pos, f.Route.End
	}
	a.placeAt(ep, pos, end)
}

func (a *Analysis) placeAt(ep *model.Endpoint, pos, end token.Pos) {
	s := a.span(pos, end)
	ep.File, ep.Line = s.File, s.Line
	ep.EndLine = a.span(end, end).Line
	ep.Span = a.span(pos, min(end, pos+token.Pos(nameLength(ep.Symbol))))
}

// nameLength is the length of what names the handler: "func" of a literal, or the function's name.
func nameLength(symbol string) int {
	name := symbol[strings.LastIndexByte(symbol, '.')+1:]
	if strings.HasPrefix(name, "func") || name == "" {
		return len("func")
	}
	return len(name)
}

// answering moves the endpoint to the code that answers this very request: the innermost function that the registered
// handler hands it to, or the branch of a handler that looks at the path.
func (b *builder) answering(catchAll bool) {
	b.ep.HandedOn = b.res.Response.HandedOn
	if b.final == nil {
		b.ep.PathIgnored = b.followed() && b.engine.AnswersAlike(b.handler)
		return
	}
	b.ep.PathIgnored = b.followed() && !b.res.NeedsPath(b.final)
	node := b.final
	if e, ok := b.res.Answering(b.final); ok {
		b.ep.Symbol, node = e.Symbol, e.Node
		b.a.placeAt(b.ep, e.Pos, e.End)
	}
	if !catchAll || !b.res.ReadsPath(node) {
		return
	}
	for _, w := range b.res.Response.Writes {
		for _, s := range w.Stack {
			if s.Node != node {
				continue
			}
			if br, ok := summary.BranchOf(node, s.Pos, s.End); ok {
				b.placeBranch(br)
			}
			return
		}
	}
}

func (b *builder) placeBranch(n ast.Node) {
	s := b.span(n.Pos(), n.End())
	b.ep.File, b.ep.Line, b.ep.EndLine = s.File, s.Line, b.span(n.End(), n.End()).Line
}

// followed reports an endpoint of which every call was followed.
func (b *builder) followed() bool {
	return len(b.ep.Unfollowed) == 0 && b.res.Cut == "" && !b.res.Response.Unknown && !b.res.Status.Open
}

// grpc fills in what the program says through the gRPC health protocol.
func (b *builder) grpc(f summary.Flat) {
	standard, pos, end, ok := f.Health()
	if !ok {
		return
	}
	g := &model.GRPCHealth{Registered: true, Standard: standard, Server: b.span(pos, end), Complete: true}
	if standard {
		s := b.engine.Serving()
		g.Set, g.Complete, g.Turns = s.Set, s.Complete, s.Turns
		if g.Turns {
			b.ep.Answer.Static = false
			b.ep.Answer.Statuses = append(b.ep.Answer.Statuses, 503)
		}
	}
	b.ep.GRPC = g
}

// libraryCache is the verdict that a health library keeps instead of asking each time.
func (b *builder) libraryCache() {
	c := b.res.Stored()
	if c == nil || b.ep.Cache != nil {
		return
	}
	b.ep.Cache = &model.Cache{Kind: "library", Seconds: c.Seconds, Known: c.Seconds > 0, Aged: c.Aged, From: "library", Span: b.span(c.Pos, c.End)}
	if s, from, ok := b.seconds(c.Period); ok {
		b.ep.Cache.Seconds, b.ep.Cache.Known, b.ep.Cache.From = s, true, from
	}
}
