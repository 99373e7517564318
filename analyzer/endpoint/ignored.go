package endpoint

import (
	"strings"

	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// ignored says which deadline a client does not honour, where that is seen, and what would make it count.
func (b *builder) ignored(e *summary.Effect) *model.IgnoredDeadline {
	out := &model.IgnoredDeadline{Client: e.Entry, Stated: *b.modelDeadline(e.Ignored[len(e.Ignored)-1])}
	if e.IgnoredBy != "" {
		out.Client = e.IgnoredBy
	}
	out.Because = b.span(e.IgnoredAt, e.IgnoredEnd)
	if c, ok := b.a.kb.LookupClient(e.Entry); ok && c.CtxIf != "" {
		_, field, _ := strings.Cut(c.CtxIf, ".")
		out.Client = e.Entry + " without `" + field + "`"
		out.Cure = "set `" + field + ": true` where the client is made"
	}
	return out
}
