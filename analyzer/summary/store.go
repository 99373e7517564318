package summary

// The store holds what each cell is worth at the point that the interpretation has reached. Start-up keeps it in the cells
// themselves, a request in a map of its own.
//
// The journal lists the cells that were stored to, with what they were worth before. A state that another way of the program
// continues from (a return, a break, the end of a branch) is not copied: it is a place in the journal and what differs from
// it. When the journal is undone beneath such a place, what is undone moves into the difference. A function with n stores and
// k returns so costs n, not n*k.

// journalEntry is one store.
type journalEntry struct {
	cell *Cell
	old  *Value // nil: nothing was stored before
}

// state is what the cells are worth at the end of one way.
type state struct {
	at    int              // the length of the journal that it continues
	cells map[*Cell]*Value // what differs from there; nil: nothing is stored
	// escapes: when the way ended something could keep the variables of the function that it leaves.
	escapes bool
	merged  bool
}

// exit is one way out of a function, a loop or a branch.
type exit struct {
	value Value
	pc    Label
	state *state // nil: as it was where the ways parted
}

// now is what was stored to a cell, nil where nothing was.
func (it *Interp) now(c *Cell) *Value {
	if it.request {
		return it.own[c]
	}
	return c.now
}

func (it *Interp) place(c *Cell, v *Value) {
	switch {
	case !it.request:
		c.now = v
	case v == nil:
		delete(it.own, c)
	default:
		it.own[c] = v
	}
}

// put sets the flow-sensitive value without touching the history.
func (it *Interp) put(c *Cell, v Value) { it.write(c, &v) }

func (it *Interp) write(c *Cell, v *Value) {
	it.journal = append(it.journal, journalEntry{c, it.now(c)})
	it.place(c, v)
}

// hence is the state here, as the end of a way.
func (it *Interp) hence() *state {
	s := &state{at: len(it.journal), escapes: it.frame.escapes}
	it.ends = append(it.ends, s)
	return s
}

// rollback undoes the stores since mark.
func (it *Interp) rollback(mark int) {
	n := len(it.ends)
	for n > 0 && it.ends[n-1].at > mark { // their places only grow
		n--
	}
	above := it.ends[n:]
	for i := len(it.journal) - 1; i >= mark; i-- {
		j := it.journal[i]
		for k := len(above) - 1; k >= 0 && above[k].at > i; k-- {
			s := above[k]
			if s.merged {
				continue
			}
			if _, ok := s.cells[j.cell]; !ok {
				if s.cells == nil {
					s.cells = map[*Cell]*Value{}
				}
				s.cells[j.cell] = it.now(j.cell)
			}
		}
		it.place(j.cell, j.old)
	}
	for _, s := range above {
		s.at = mark
	}
	it.cutJournal(mark)
}

func (it *Interp) cutJournal(n int) {
	clear(it.journal[n:])
	it.journal = it.journal[:n]
}

// drop forgets ways that nothing continues: those that are merged, and those that a function left behind that ended.
func (it *Interp) drop(from int) {
	for n := len(it.ends); n > from || n > 0 && it.ends[n-1].merged; n-- {
		it.ends[n-1] = nil
		it.ends = it.ends[:n-1]
	}
}

// pends reports a way that continues a place behind mark.
func (it *Interp) pends(mark int) bool {
	for n := len(it.ends); n > 0 && it.ends[n-1].at > mark; n-- {
		if !it.ends[n-1].merged {
			return true
		}
	}
	return false
}

func markMerged(ways []exit, v bool) {
	for _, w := range ways {
		if w.state != nil {
			w.state.merged = v
		}
	}
}

// leave is the end of a function with one way out, which ends here: all stays as it is but for its variables. It is false
// where that is not so.
func (it *Interp) leave(mark int, ways []exit, f *Frame) bool {
	if len(ways) != 1 {
		return false
	}
	s := ways[0].state
	if s == nil || s.at != len(it.journal) || len(s.cells) > 0 {
		return false
	}
	if it.request {
		it.settleLeft(mark, s, f)
	}
	n := len(it.journal) - mark
	if n > 64 && len(f.owned)*4 < n { // what is left of the variables goes with the next compaction
		if !s.escapes {
			for _, c := range f.owned {
				it.place(c, nil)
			}
		}
		return true
	}
	it.eng.sweep++
	kept := mark
	for _, j := range it.journal[mark:] {
		c := j.cell
		if c.seen == it.eng.sweep {
			continue
		}
		c.seen = it.eng.sweep
		if !s.escapes && c.owner == f {
			it.place(c, j.old)
		}
		if it.now(c) != j.old {
			it.journal[kept] = j
			kept++
		}
	}
	it.cutJournal(kept)
	return true
}

// conclude makes what was stored since mark the end of start-up, which is what requests find. Nothing is undone any more, so
// that the journal, which would keep every cell there ever was, ends too.
func (it *Interp) conclude(mark int) {
	for _, j := range it.journal[mark:] {
		if j.cell.now != nil {
			j.cell.Final = j.cell.now
		}
	}
	if mark == 0 {
		it.journal, it.ends, it.recs, it.after = nil, nil, nil, nil
	}
}
