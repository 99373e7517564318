package endpoint

import (
	"github.com/probelint/probelint/analyzer/summary"
	"github.com/probelint/probelint/internal/model"
)

// retry says what makes the check try again. The loop of a background refresh repeats nothing within one answer.
func (b *builder) retry(d *model.Dependency, e *summary.Effect) {
	if e.Background || e.Detached {
		return
	}
	if a := e.Again; a != nil {
		d.Retry = &model.Retry{Span: b.span(a.Pos, a.End), Pause: a.Seconds, Attempts: a.Attempts, Endless: a.Endless, Request: a.Request}
		return
	}
	if a, ok := summary.AgainOf(b.a.kb, e.Stack); ok {
		d.Retry = &model.Retry{Span: b.span(a.Pos, a.End), Pause: a.Seconds, Attempts: a.Attempts, Endless: a.Endless, Request: a.Request}
	}
}
