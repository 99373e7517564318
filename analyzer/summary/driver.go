package summary

import (
	"go/token"
	"strings"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/model"
)

// driverIgnores applies what is known of the driver behind database/sql: a deadline that it does not honour bounds nothing.
// Only where the program imports the driver; sql.Open("postgres") alone proves nothing.
func (it *Interp) driverIgnores(e *Effect, ctx *Ctx) {
	if e.Kind != "database" || ctx == nil {
		return
	}
	name, ok := it.driverOf(e.Recv, 0)
	if !ok {
		return
	}
	drv, ok := it.eng.kb.LookupDriver(name)
	if !ok || drv.Entry == "" || drv.Entry == e.Entry {
		return
	}
	client, ok := it.eng.kb.LookupClient(drv.Entry)
	if !ok || client.Honors != knowledge.CtxNo {
		return
	}
	at, end := it.eng.importOf(drv.Entry)
	if !at.IsValid() {
		return
	}
	if len(e.Bounds) > 0 {
		e.Ignored, e.Bounds = e.Bounds, nil
		e.IgnoredBy, e.IgnoredAt, e.IgnoredEnd = drv.Entry, at, end
	}
	e.Bound = model.BoundNone
	if client.NoDeadlineSeconds > 0 {
		e.Bound, e.ClientLimit = model.BoundClient, client.NoDeadlineSeconds
	}
}

// importOf is where first-party code of the program imports a driver whose path ends with its id ("lib/pq").
func (g *Engine) importOf(entry string) (token.Pos, token.Pos) {
	for _, p := range g.reachable() {
		for _, f := range p.Files {
			for _, im := range f.Imports {
				path := strings.Trim(im.Path.Value, "\"`")
				if path == entry || strings.HasSuffix(path, "/"+entry) {
					return im.Path.Pos(), im.Path.End()
				}
			}
		}
	}
	return token.NoPos, token.NoPos
}
