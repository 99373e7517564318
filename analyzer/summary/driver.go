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
	if limit := client.Limit(it.eng.version); limit > 0 {
		e.Bound, e.ClientLimit = model.BoundClient, limit
	}
}

// driverOf walks to the sql.Open that a handle comes from.
func (it *Interp) driverOf(v Value, depth int) (string, bool) {
	if depth > 4 {
		return "", false
	}
	found := ""
	for _, t := range v.Terms {
		d, ok := it.openedBy(t, depth)
		switch {
		case !ok:
		case found == "":
			found = d
		case !it.sameDriver(found, d):
			return "", false // what the code does not decide is not named
		}
	}
	return found, found != ""
}

// sameDriver reports two names for what people call the same.
func (it *Interp) sameDriver(a, b string) bool {
	x, ok := it.eng.kb.LookupDriver(a)
	y, known := it.eng.kb.LookupDriver(b)
	return a == b || ok && known && x.Display == y.Display && x.Entry == y.Entry
}

func (it *Interp) openedBy(t Term, depth int) (string, bool) {
	o, ok := t.(*Object)
	if !ok || o.Lib == nil {
		return "", false
	}
	switch {
	case o.Lib.Path == "database/sql" && o.Lib.Name == "Open", strings.HasSuffix(o.Lib.Path, "jmoiron/sqlx") && (o.Lib.Name == "Open" || o.Lib.Name == "Connect" || o.Lib.Name == "MustConnect" || o.Lib.Name == "ConnectContext" || o.Lib.Name == "NewDb"):
		for _, a := range o.Lib.Args {
			if d, ok := a.str(); ok {
				return d, true
			}
		}
	case strings.HasPrefix(o.Lib.Path, "gorm.io/driver/"), strings.HasPrefix(o.Lib.Path, "github.com/jackc/pgx"):
		return o.Lib.Path, true
	}
	for _, a := range o.Lib.Args {
		if d, ok := it.driverOf(a, depth+1); ok {
			return d, true
		}
	}
	return "", false
}

// version is the version of a module that the program is built with; "" where that is not known.
func (g *Engine) version(module string) string {
	if g.main == nil {
		return ""
	}
	return g.main.Version(module)
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
