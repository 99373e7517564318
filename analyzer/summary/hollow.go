package summary

import (
	"go/ast"
	"go/token"
	"strings"
)

// Unexecuted is a statement that is built and asked for its error, and that nothing sends.
type Unexecuted struct {
	Pos, End token.Pos
	Callee   string
	Name     string // what it means to ask
}

// Unexecuted are the statements of a request that are never sent.
func (r *Result) Unexecuted() []Unexecuted { return r.Interp.held.unsent }

// unsent notes db.Raw("SELECT 1").Error of gorm: the error of a builder that no finisher (Scan, Find, Exec) ended.
func (it *Interp) unsent(e *ast.SelectorExpr, v Value) {
	call, ok := ast.Unparen(e.X).(*ast.CallExpr)
	if !ok || !it.request || e.Sel.Name != "Error" {
		return
	}
	lib := libOf(v)
	if lib == nil || !strings.Contains(lib.Path, "gorm") || !isBuilder(strings.TrimPrefix(lib.Name, "DB.")) || hasEffect(v.L) {
		return
	}
	for _, old := range it.held.unsent {
		if old.Pos == call.Pos() {
			return
		}
	}
	u := Unexecuted{Pos: call.Pos(), End: call.End(), Callee: "(*" + lib.Path + ".DB)." + strings.TrimPrefix(lib.Name, "DB.")}
	if d, ok := it.driverOf(v, 0); ok {
		if drv, ok := it.eng.kb.LookupDriver(d); ok {
			u.Name = drv.Display
		}
	}
	it.held.unsent = append(it.held.unsent, u)
}

// isBuilder are the methods of gorm's DB that add to a statement and send nothing.
func isBuilder(name string) bool {
	switch name {
	case "Raw", "Model", "Table", "Where", "Select", "Order", "Limit", "Offset", "Joins", "Preload", "Unscoped", "Debug", "Session",
		"WithContext", "Clauses", "Distinct", "Group", "Having", "Omit", "Or", "Not":
		return true
	}
	return false
}

// connectionless reports a dial that succeeds whatever the other side does.
func connectionless(s *site) bool {
	if s.path != "net" || !strings.HasPrefix(s.name, "Dial") {
		return false
	}
	if s.name == "DialUDP" {
		return true
	}
	for _, a := range s.args {
		if t, ok := a.str(); ok {
			return strings.HasPrefix(t, "udp")
		}
	}
	return false
}
