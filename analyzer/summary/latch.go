package summary

import "go/types"

// IsLatch reports a cell that is only ever set to one constant: it turns once and stays.
func (c *Cell) IsLatch() bool {
	h := deref(c.Hist)
	return len(h.Scalars) == 1 && h.Scalars[0].C != nil && !h.Open && len(h.Terms) == 0
}

// StoredFrom are the calls of start-up goroutines that decided what was stored to the cell.
func (c *Cell) StoredFrom() []*Effect {
	var out []*Effect
	add := func(l Label) {
		for _, x := range l {
			if x.Src.Effect != nil && x.Src.Effect.Background {
				out = append(out, x.Src.Effect)
			}
		}
	}
	h := deref(c.Hist)
	add(h.L)
	for _, s := range h.Scalars {
		add(s.L)
	}
	return out
}

// IsVerdict reports a cell of a type that can hold the outcome of a check: a boolean, a number, an error, a constant text,
// or something made of them. A handle, a client or an address is none.
func (g *Engine) IsVerdict(c *Cell) bool {
	t, h := c.Type, deref(c.Hist)
	if t == nil {
		t = h.Type
	}
	if isPlainData(t) {
		return len(h.Scalars) > 0 && !h.Open // the words or numbers of a status, not data
	}
	return g.verdictType(t, 0)
}

func isPlainData(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsString|types.IsNumeric) != 0
}

func (g *Engine) verdictType(t types.Type, depth int) bool {
	if t == nil || depth > 3 {
		return false
	}
	if isErrorType(t) {
		return true
	}
	if n := namedOf(t); n != nil && n.Obj().Pkg() != nil && structOf(t) != nil {
		if p := n.Obj().Pkg().Path(); p != "time" && !isAtomic(n) && !g.firstParty(p) {
			return false // a client or handle of a library
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsBoolean != 0
	case *types.Pointer:
		return g.verdictType(u.Elem(), depth+1)
	case *types.Slice:
		return g.verdictType(u.Elem(), depth+1)
	case *types.Map:
		return g.verdictType(u.Elem(), depth+1)
	case *types.Struct:
		if p, n := typeName(t); p == "time" && n == "Time" {
			return true
		}
		for i := range u.NumFields() {
			f := u.Field(i).Type()
			if b, ok := f.Underlying().(*types.Basic); ok && b.Info()&types.IsBoolean != 0 || isErrorType(f) {
				return true
			}
		}
	}
	return false
}
