package summary

// Modules of a container of constructors (go.uber.org/fx) that package variables hold: a program has the constructors of all
// packages that it imports, and runs those that an fx.New gets to. Work of theirs counts from there on.

const fxPath = "go.uber.org/fx"

// inModule runs a call of fx. Work that a package variable's constructors would do waits for fx.New.
func (it *Interp) inModule(s *site, call func(*site) Value) Value {
	if s.path != fxPath || it.request || it != it.eng.setup {
		return call(s)
	}
	l := &it.eng.life
	if s.name == "New" {
		v := call(s)
		l.moments = append(l.moments, l.modules...)
		l.modules = nil
		return v
	}
	if it.declaring == 0 {
		return call(s)
	}
	before := len(l.moments)
	v := call(s)
	kept := l.moments[:min(before, len(l.moments))]
	for _, m := range l.moments[len(kept):] {
		if m.Kind == MomentWork {
			l.modules = append(l.modules, m)
		} else {
			kept = append(kept, m)
		}
	}
	l.moments = kept
	return v
}
