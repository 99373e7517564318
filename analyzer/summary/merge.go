package summary

import "slices"

// merge makes the state the join of several ways that parted at mark and go on here. Where they differ, the control labels of
// the ways become part of the value: that is how an outcome reaches a status that is set in one branch. since is the number
// of the last object that was there where the ways parted, left the function that the ways leave, nil inside of one.
func (it *Interp) merge(mark int, ways []exit, since int, left *Frame) {
	markMerged(ways, true)
	defer it.drop(len(it.ends))
	switch {
	case len(ways) == 0:
		it.rollback(mark)
		return
	case it.pends(mark): // another way continues a place behind mark
		markMerged(ways, false)
		it.rollback(mark)
		markMerged(ways, true)
	}
	m := merger{it: it, mark: mark, ways: ways, since: since, left: left}
	m.run()
}

// merger joins ways.
type merger struct {
	it    *Interp
	mark  int
	ways  []exit
	since int
	left  *Frame
	recs  []changed
	next  []int32 // the next entry of the same cell, by entry behind mark; -1: none
	vals  []*Value
	pcs   []Label
}

// changed is one cell that was stored to since mark.
type changed struct {
	cell        *Cell
	first, last int // entries of the journal; -1: on other ways alone
	differs     bool
	before, out *Value
	base        *Value // what a request found in it
}

func (m *merger) run() {
	it := m.it
	m.recs, m.next = it.recs[:0], it.after[:0]
	m.collect()
	low, high := len(it.journal), m.mark // the places that the ways continue
	for _, w := range m.ways {
		at := m.mark
		if w.state != nil {
			at = w.state.at
		}
		low, high = min(low, at), max(high, at)
	}
	for i := range m.recs {
		r := &m.recs[i]
		r.before = it.now(r.cell)
		if r.first >= 0 {
			r.before = it.journal[r.first].old
		}
	}
	if it.request {
		m.settle()
	}
	for i := range m.recs {
		r := &m.recs[i]
		c := r.cell
		own := m.left != nil && c.owner == m.left
		switch {
		case !r.differs && !own && r.last < low && it.joinsToItself(it.now(c)):
			r.out = it.now(c)
		case !r.differs && r.first >= high:
			r.out = r.before
		default:
			r.out = m.join(r, own)
		}
	}
	it.cutJournal(m.mark)
	for i := range m.recs {
		r := &m.recs[i]
		it.place(r.cell, r.out)
		if r.out != r.before {
			it.journal = append(it.journal, journalEntry{r.cell, r.before})
		}
	}
	clear(m.recs)
	it.recs, it.after = m.recs[:0], m.next[:0]
}

// collect lists the cells that were stored to since mark, here or on another way.
func (m *merger) collect() {
	it := m.it
	it.eng.sweep++
	note := func(c *Cell) (r *changed, is bool) {
		if c.seen == it.eng.sweep {
			return &m.recs[c.slot], true
		}
		c.seen, c.slot = it.eng.sweep, int32(len(m.recs))
		m.recs = append(m.recs, changed{cell: c, first: -1, last: -1})
		return &m.recs[c.slot], false
	}
	for i := m.mark; i < len(it.journal); i++ {
		r, again := note(it.journal[i].cell)
		if again {
			m.next[r.last-m.mark] = int32(i)
		} else {
			r.first = i
		}
		r.last = i
		m.next = append(m.next, -1)
	}
	for _, w := range m.ways {
		if w.state == nil {
			continue
		}
		for c := range w.state.cells {
			r, _ := note(c)
			r.differs = true
		}
	}
}

// at is what a cell was worth when the journal had a length. ok is false where nothing was stored between mark and there.
func (m *merger) at(r *changed, length int) (v *Value, ok bool) {
	if r.first < 0 || r.first >= length {
		return nil, false
	}
	i := r.first
	for i >= 0 && i < length {
		i = int(m.next[i-m.mark])
	}
	if i < 0 {
		return m.it.now(r.cell), true
	}
	return m.it.journal[i].old, true
}

func (m *merger) stored(r *changed, s *state, own bool) *Value {
	if s == nil || own && !s.escapes {
		return nil
	}
	if v, ok := s.cells[r.cell]; ok {
		return v
	}
	v, _ := m.at(r, s.at)
	return v
}

// join is what a cell is worth where the ways meet.
func (m *merger) join(r *changed, own bool) *Value {
	born := m.born(r)
	m.vals, m.pcs = m.vals[:0], m.pcs[:0]
	any, same := false, true
	for _, w := range m.ways {
		v := m.stored(r, w.state, own)
		if v != nil {
			any = true
		} else {
			if born {
				continue // it does not exist on that way
			}
			v = m.found(r)
		}
		same = same && (len(m.vals) == 0 || m.vals[0] == v)
		m.vals, m.pcs = append(m.vals, v), append(m.pcs, w.pc)
	}
	switch {
	case !any:
		return r.before
	case same && m.it.joinsToItself(m.vals[0]):
		return m.vals[0]
	}
	out := joined(m.vals, m.pcs)
	return &out
}

// born reports a cell that came to be after the ways parted.
func (m *merger) born(r *changed) bool { return r.before == nil && m.it.bornSince(r.cell, m.since) }

// bornSince reports whether a cell to which nothing was stored before came to be after an object of that number.
func (it *Interp) bornSince(c *Cell, since int) bool {
	return (c.owner != nil || c.element || c.of > since) && !(it.request && c.stored)
}

// found is what a cell was worth where the ways parted.
func (m *merger) found(r *changed) *Value {
	switch {
	case r.before != nil:
		return r.before
	case r.base != nil:
		return r.base
	}
	m.it.initial(r.cell)
	return r.cell.Init
}

// joinsToItself reports a value that is the same when it is joined with itself. Settings leave the labels of a request's
// alternatives when ways meet (Label.either), and a value of too many alternatives becomes open.
func (it *Interp) joinsToItself(v *Value) bool {
	if !it.request || v == nil {
		return true
	}
	for _, s := range v.Scalars {
		if conditional(s.L) {
			return false
		}
	}
	return len(v.Terms) <= maxTerms && len(v.Scalars) <= maxTerms
}

// joined is what several ways leave of one cell.
func joined(vals []*Value, pcs []Label) Value {
	differ := false
	for _, v := range vals[1:] {
		differ = differ || !sameValue(*vals[0], *v)
	}
	var out Value
	for i, p := range vals {
		v := *p
		if differ {
			v = v.under(pcs[i])
		}
		if i == 0 {
			out = v
		} else {
			out = join(out, v)
		}
	}
	if !differ && len(vals) > 1 && !sameLabel(vals) {
		out.L = out.L.union(clocks(pcs)) // what is answered is the same, and where it comes from is a matter of age
	}
	return out
}

// settle looks what a request finds in the cells that it stores to for the first time, in an order that is the same in every
// run: what start-up left for later may run for it.
func (m *merger) settle() {
	var first []*changed
	for i := range m.recs {
		r := &m.recs[i]
		if r.before == nil && !m.born(r) && m.any(r) {
			first = append(first, r)
		}
	}
	slices.SortStableFunc(first, func(a, b *changed) int { return compareCells(a.cell, b.cell) })
	for _, r := range first {
		r.base = ptr(m.it.settled(r.cell))
	}
}

// any reports a store to the cell on one of the ways.
func (m *merger) any(r *changed) bool {
	own := m.left != nil && r.cell.owner == m.left
	for _, w := range m.ways {
		if m.stored(r, w.state, own) != nil {
			return true
		}
	}
	return false
}

// settleLeft does for a function with one way out what settle does for several.
func (it *Interp) settleLeft(mark int, s *state, f *Frame) {
	it.eng.sweep++
	var first []*Cell
	for _, j := range it.journal[mark:] {
		c := j.cell
		if c.seen == it.eng.sweep {
			continue
		}
		c.seen = it.eng.sweep
		if j.old == nil && !it.bornSince(c, f.since) && (s.escapes || c.owner != f) {
			first = append(first, c)
		}
	}
	sortCells(first)
	for _, c := range first {
		it.settled(c)
	}
}

func sameLabel(vals []*Value) bool {
	first := vals[0]
	for _, v := range vals[1:] {
		if len(v.L) != len(first.L) || len(v.L.union(first.L)) != len(v.L) {
			return false
		}
		for i := range v.Scalars {
			if len(v.Scalars[i].L.union(first.Scalars[i].L)) != len(v.Scalars[i].L) {
				return false
			}
		}
	}
	return true
}

// clocks are the tests of age among the causes of several ways.
func clocks(pcs []Label) Label {
	var out Label
	for _, l := range pcs {
		for _, c := range l {
			if c.Src.Kind == Clock {
				out = out.with(Cause{c.Src, 0})
			}
		}
	}
	return out
}
