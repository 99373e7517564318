package summary

// IsLatch reports a cell that is only ever set to one constant: it turns once and stays.
func (c *Cell) IsLatch() bool {
	return len(c.Hist.Scalars) == 1 && c.Hist.Scalars[0].C != nil && !c.Hist.Open && len(c.Hist.Terms) == 0
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
	add(c.Hist.L)
	for _, s := range c.Hist.Scalars {
		add(s.L)
	}
	return out
}
