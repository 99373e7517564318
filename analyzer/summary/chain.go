package summary

import (
	"go/types"
	"strings"
)

// runChain runs handlers one after the other, each of which may call the rest itself and may end the chain.
func (it *Interp) runChain(hs []Value, s *site) {
	saved, savedIdx := it.chain, it.chainIdx
	it.chain, it.chainIdx = hs, 0
	if it.abortCell == nil {
		it.abortCell = &Cell{Name: "aborted", Type: types.Typ[types.Bool], Init: ptr(boolValue(false))}
	}
	it.put(it.abortCell, boolValue(false))
	it.runRest(s)
	it.chain, it.chainIdx = saved, savedIdx
}

// runRest runs what is left of the chain. With gin the rest follows by itself where a handler did not call it; fiber and iris
// stop there.
func (it *Interp) runRest(s *site) {
	from := it.chainIdx
	defer func() { it.chainIdx = from }()
	for i := from; i < len(it.chain); i++ {
		a := it.get(it.abortCell)
		if isBool(a) && a.truthy() > 0 {
			return
		}
		h, last := it.chain[i], i == len(it.chain)-1
		it.chainIdx = i + 1
		it.put(it.nextCellOf(), boolValue(false))
		run := func() flow {
			if len(h.Terms) == 0 && !last || !last && it.isForeign(h) {
				it.unknownWrapper(h, s)
			} else {
				it.runHandler(h, s)
			}
			return flowNext
		}
		if !isBool(a) && len(a.L) > 0 || a.Open {
			it.alternatives([]branch{{a.L.negate().blur(), run}, {a.L.blur(), func() flow { return flowNext }}})
		} else {
			run()
		}
		if last {
			return
		}
		called := it.get(it.nextCellOf())
		foreign := len(h.Terms) == 0 || it.isForeign(h)
		switch {
		case !foreign && (strings.HasPrefix(it.framework, "fiber") || it.framework == "iris"):
			return
		case !isBool(called):
			l := called.L
			for _, x := range called.Scalars {
				l = l.union(x.L)
			}
			it.alternatives([]branch{
				{l.blur(), func() flow { it.chainIdx = i + 1; it.runRest(s); return flowNext }},
				{l.blur(), func() flow { return flowNext }},
			})
			return
		case called.truthy() > 0:
			return
		}
	}
}

func (it *Interp) nextCellOf() *Cell {
	if it.nextCell == nil {
		it.nextCell = &Cell{Name: "next", Type: types.Typ[types.Bool], Init: ptr(boolValue(false))}
	}
	return it.nextCell
}

// next is c.Next() of gin and fiber.
func (it *Interp) next(s *site) Value {
	if s.name == "Next" {
		it.runRest(s)
		it.put(it.nextCellOf(), boolValue(true))
		v := it.lib("", handled, nil, s.result, posOf(s))
		v.Nil = mayNil | mayNonNil
		return v
	}
	return unknown(s.result, nil)
}
