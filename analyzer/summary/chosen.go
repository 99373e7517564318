package summary

import (
	"go/constant"
	"go/token"
)

// What the container chooses at start-up: of several implementations of an interface only that exists in one container whose
// constructor its settings lead to.

// chosen are the settings that led the start-up to where it is.
func (it *Interp) chosen() Label {
	var l Label
	for f := it.frame; f != nil; f = f.caller {
		if !conditional(f.pc) {
			continue
		}
		for _, c := range f.pc {
			if c.Src.Kind == Decided && c.Sense != 0 {
				l = l.with(c)
			}
		}
	}
	return l
}

// absent reports an object that start-up makes on a way that this container does not take. A way that leads to a listener is
// taken by each container that answers, whatever is known of its settings.
func (it *Interp) absent(o *Object) bool {
	for _, c := range o.when {
		if c.Src.Sym == nil || c.Sense == 0 || it.eng.given[c] {
			continue
		}
		r, _, ok, _ := Scalar{Sym: c.Src.Sym}.resolve(it.vals)
		if ok && r.Kind() == constant.Bool && constant.BoolVal(r) != (c.Sense > 0) {
			return true
		}
	}
	return false
}

// there leaves the objects out of a value that do not exist in this container, as long as another one does: where none is
// left, the values of the container are not all known.
func (it *Interp) there(v Value) Value {
	if len(v.Terms) < 2 {
		return v
	}
	var gone []bool
	left := len(v.Terms)
	for i, t := range v.Terms {
		o, ok := t.(*Object)
		if !ok || len(o.when) == 0 || !it.absent(o) {
			continue
		}
		if gone == nil {
			gone = make([]bool, len(v.Terms))
		}
		gone[i] = true
		left--
	}
	if gone == nil || left == 0 {
		return v
	}
	terms := make([]Term, 0, left)
	for i, t := range v.Terms {
		if !gone[i] {
			terms = append(terms, t)
		}
	}
	v.Terms = terms
	return v
}

// give notes the settings that lead to a listener.
func (it *Interp) give() {
	for _, c := range it.chosen() {
		if it.eng.given == nil {
			it.eng.given = map[Cause]bool{}
		}
		it.eng.given[c] = true
	}
}

// picked is an element of a map under a constant key, asked for by a key that a setting decides: a function of it runs only
// in the containers that pick it (a registry of drivers).
func (it *Interp) picked(v Value, key, asked Value, pos token.Pos) Value {
	if it.request || len(v.Terms) == 0 {
		return v
	}
	s, ok := testScalar(token.EQL.String(), asked, key, pos)
	if !ok {
		return v
	}
	var when Label
	for _, c := range it.setting(s).L {
		if c.Src.Kind == Decided {
			when = when.with(c)
		}
	}
	if len(when) == 0 {
		return v
	}
	terms := make([]Term, len(v.Terms))
	for i, t := range v.Terms {
		terms[i] = it.eng.pick(t, when)
	}
	v.Terms = terms
	return v
}

// pickKey tells the copies of a function apart.
type pickKey struct {
	of    Term
	first Cause
}

// pick is the function under a choice; the same one each time.
func (g *Engine) pick(t Term, when Label) Term {
	k := pickKey{t, when[0]}
	if p, ok := g.picks[k]; ok {
		return p
	}
	var p Term
	switch t := t.(type) {
	case *Closure:
		c := *t
		c.when = c.when.union(when)
		p = &c
	case *Func:
		f := *t
		f.when = f.when.union(when)
		p = &f
	default:
		return t
	}
	if g.picks == nil {
		g.picks = map[pickKey]Term{}
	}
	g.picks[k] = p
	return p
}
