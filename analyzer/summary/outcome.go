package summary

// fromDependency is what a method of a dependency's answer gives: an error that is non-nil is the dependency's failure.
func (it *Interp) fromDependency(s *site) Value {
	l := s.recv.L
	var text Label
	for _, c := range l {
		if c.Src.Kind == Effects {
			text = text.with(Cause{c.Src, 0})
		}
	}
	v := it.shaped(s.result, l, s.recv.Text.union(text))
	for i, x := range v.Tuple {
		if isErrorType(x.Type) {
			v.Tuple[i].L = failed(x.L)
		}
	}
	if len(v.Tuple) == 0 && isErrorType(v.Type) {
		v.L = failed(v.L)
	}
	return v
}

// failed is the label of an error that says so of the calls whose outcome nothing has told yet.
func failed(l Label) Label {
	out := make(Label, len(l))
	for i, c := range l {
		if c.Src.Kind == Effects && c.Sense == 0 {
			c.Sense = 1
		}
		out[i] = c
	}
	return out
}
