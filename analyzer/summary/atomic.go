package summary

import (
	"go/token"
	"go/types"
	"strings"
)

// modelAtomic gives atomic values one cell.
func (it *Interp) modelAtomic(s *site) (Value, bool) {
	var cells []*Cell
	args := s.args
	if s.method {
		for _, o := range it.objectsIn(s.recv) {
			c := it.field(o, "v", nil, atomicElem(o))
			if c.Pos == token.NoPos {
				c.Pos = o.Pos
			}
			if o.home != nil && c.Var == nil {
				c.Var, c.Name, c.Pos = o.home, o.home.Name(), o.home.Pos()
			}
			it.eng.tieAtomic(it, s, c)
			cells = append(cells, c)
		}
	} else {
		if len(args) == 0 {
			return it.opaque(s), true
		}
		for _, t := range args[0].Terms {
			if p, ok := t.(*Pointer); ok {
				cells = append(cells, p.Cell)
			}
		}
		args = args[1:]
	}
	if len(cells) == 0 {
		if it.request {
			src := &Source{Kind: State, Name: s.short(), Pos: s.e.Pos()}
			return unknown(s.result, Label{{src, 0}}), true
		}
		return unknown(s.result, nil), true
	}
	switch {
	case strings.HasPrefix(s.name, "Load"):
		v := it.get(cells[0])
		for _, c := range cells[1:] {
			v = join(v, it.get(c))
		}
		if v.Type == nil {
			v.Type = s.result
		}
		return v, true
	case strings.HasPrefix(s.name, "Store"), strings.HasPrefix(s.name, "Swap"):
		if len(args) > 0 {
			for _, c := range cells {
				it.set(c, args[len(args)-1].under(it.frame.pc))
			}
		}
	case strings.HasPrefix(s.name, "CompareAndSwap"), strings.HasPrefix(s.name, "Toggle"):
		if len(args) > 1 {
			for _, c := range cells {
				it.weakly(func() { it.set(c, args[1]) })
			}
		}
	default: // Add, Inc, Dec, And, Or: a number that changes
		for _, c := range cells {
			it.set(c, unknown(c.Type, nil))
		}
		v := unknown(s.result, nil)
		if it.request {
			v.L = Label{{cells[0].source(), 0}}
		}
		return v, true
	}
	return unknown(s.result, nil), true
}

func atomicElem(o *Object) types.Type {
	n := namedOf(o.Type)
	if n == nil {
		return nil
	}
	switch n.Obj().Name() {
	case "Bool":
		return types.Typ[types.Bool]
	case "Int32", "Uint32", "Int64", "Uint64":
		return types.Typ[types.Int64]
	case "Pointer":
		if ta := n.TypeArgs(); ta != nil && ta.Len() > 0 {
			return types.NewPointer(ta.At(0))
		}
	}
	return nil
}
