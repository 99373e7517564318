package summary

// settings are the causes of a value that the container's environment or flags make.
func (it *Interp) settings(v Value) Label {
	var out Label
	for _, s := range v.Scalars {
		if s.Sym != nil {
			out = out.union(it.settingOf(s.Sym, 0))
		}
	}
	return out
}

func (it *Interp) settingOf(y *Sym, depth int) Label {
	if depth > 4 {
		return nil
	}
	var out Label
	if y.Op == opEnv || y.Op == opFlag {
		name := y.Name
		if y.Op == opFlag {
			name = "-" + name
		}
		src := it.eng.inputs["setting "+name]
		if src == nil {
			src = &Source{Kind: Setting, Name: name, Pos: y.Pos}
			it.eng.inputs["setting "+name] = src
		}
		out = out.with(Cause{src, 0})
	}
	for _, a := range y.Args {
		if a.Sym != nil {
			out = out.union(it.settingOf(a.Sym, depth+1))
		}
	}
	return out
}
