package summary

// Cause is one entry of a label. In a value, Sense +1 means that true or non-nil says the source failed, -1 that it
// succeeded, 0 that neither is known. In a control label, +1 is the side on which the source failed.
type Cause struct {
	Src   *Source
	Sense int8
}

// Label is a set of causes, sorted by nothing but free of duplicates. Labels are never changed in place.
type Label []Cause

const maxLabel = 32

func (l Label) with(c Cause) Label {
	for i, x := range l {
		if x.Src == c.Src {
			if x.Sense == c.Sense {
				return l
			}
			n := append(Label(nil), l...)
			n[i].Sense = 0
			return n
		}
	}
	if len(l) >= maxLabel {
		return l
	}
	return append(l[:len(l):len(l)], c)
}

func (l Label) union(m Label) Label {
	if len(l) == 0 {
		return m
	}
	if len(m) == 0 || len(l) == len(m) && &l[0] == &m[0] {
		return l
	}
	g := growing{Label: l}
	for i, c := range m {
		at := g.find(c.Src)
		switch {
		case at < 0:
			g.add(c, len(m)-i)
		case g.Label[at].Sense != c.Sense:
			g.sense(at, 0)
		}
	}
	return g.Label
}

// growing is a label while causes are added to it: the first change copies it, with room for what may follow.
type growing struct {
	Label
	owned bool
}

func (g *growing) find(src *Source) int {
	for i := range g.Label {
		if g.Label[i].Src == src {
			return i
		}
	}
	return -1
}

// add appends a cause where the label has room; more is how many are still to come, this one included.
func (g *growing) add(c Cause, more int) {
	if len(g.Label) >= maxLabel {
		return
	}
	g.own(more)
	g.Label = append(g.Label, c)
}

func (g *growing) sense(i int, s int8) {
	g.own(0)
	g.Label[i].Sense = s
}

func (g *growing) own(more int) {
	if g.owned {
		return
	}
	g.owned = true
	g.Label = append(make(Label, 0, min(len(g.Label)+more, max(maxLabel, len(g.Label)))), g.Label...)
}

// negate turns the sense of each cause.
func (l Label) negate() Label {
	n := make(Label, len(l))
	for i, c := range l {
		n[i] = Cause{c.Src, -c.Sense}
	}
	return n
}

// blur forgets the senses.
func (l Label) blur() Label {
	plain := true
	for _, c := range l {
		plain = plain && c.Sense == 0
	}
	if plain {
		return l
	}
	n := make(Label, len(l))
	for i, c := range l {
		n[i] = Cause{c.Src, 0}
	}
	return n
}

// Has reports whether the label names the effect.
func (l Label) Has(e *Effect) bool {
	for _, c := range l {
		if c.Src.Effect == e && e != nil {
			return true
		}
	}
	return false
}

// unionValue is union for the label of one value: an own cause keeps its sense against one without.
func (l Label) unionValue(m Label) Label {
	if len(m) == 0 || len(l) == len(m) && &l[0] == &m[0] {
		return l
	}
	if len(l) == 0 {
		return m
	}
	g := growing{Label: l}
	for i, c := range m {
		at := g.find(c.Src)
		switch {
		case at < 0:
			g.add(c, len(m)-i)
		case g.Label[at].Sense == 0 && c.Sense != 0:
			g.sense(at, c.Sense)
		}
	}
	return g.Label
}
