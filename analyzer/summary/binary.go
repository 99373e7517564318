package summary

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

func (it *Interp) binaryExpr(e *ast.BinaryExpr) Value {
	switch e.Op {
	case token.LAND, token.LOR:
		return it.logic(e)
	}
	a, b := it.eval(e.X), it.eval(e.Y)
	if d, ok := it.ageTest(e, a, b); ok {
		return d
	}
	v := it.binary(e.Op, a, b, e.Pos())
	if v.Type == nil {
		v.Type = it.typeOf(e)
	}
	return v
}

// logic is && and ||: the right side is evaluated only where the left does not decide, under its label.
func (it *Interp) logic(e *ast.BinaryExpr) Value {
	a := it.decide(it.eval(e.X))
	stop := int8(-1) // && stops at false
	if e.Op == token.LOR {
		stop = 1
	}
	if isBool(a) {
		if a.truthy() == stop {
			return a
		}
		b := it.decide(it.eval(e.Y))
		return b.withLabel(a.L)
	}
	base, since := it.frame.pc, it.eng.nextID
	l := a.L
	if e.Op == token.LOR {
		l = l.negate()
	}
	it.frame.pc = base.union(l)
	mark := len(it.journal)
	var b Value
	n := it.collect(nodeSeq, func() { b = it.decide(it.eval(e.Y)) })
	if !n.empty() {
		alt := &node{kind: nodeAlt}
		alt.add(n)
		alt.add(&node{kind: nodeSeq})
		it.cur.add(alt)
	}
	it.frame.pc = base
	if len(it.journal) > mark {
		it.merge(mark, []exit{{state: it.hence(), pc: base.union(l)}, {pc: base}}, since, nil)
	}
	if isBool(b) {
		if b.truthy() == stop {
			return b.withLabel(a.L)
		}
		return a.withLabel(b.L)
	}
	if v, ok := it.both(e.Op, a, b, e.Pos()); ok {
		return v
	}
	return Value{Open: true, L: a.L.unionValue(b.L), Type: types.Typ[types.Bool]}
}

func (it *Interp) binary(op token.Token, a, b Value, pos token.Pos) Value {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return it.compare(op, a, b)
	}
	l := a.L.blur().union(b.L.blur())
	text := a.Text.union(b.Text)
	t := a.Type
	if x, ok := a.isConst(); ok {
		if y, ok := b.isConst(); ok {
			if c := fold(op, x, y); c != nil {
				v := constValue(c, t, pos).withLabel(l)
				v.Text = text
				return v
			}
			return Value{Open: true, L: l, Text: text, Type: t}
		}
	}
	if v, ok := joinedUnknown(op, a, b, pos); ok {
		v.Type, v.L, v.Text = t, l, text
		return v
	}
	// symbols and sets: text is joined, numbers are multiplied
	if len(a.Scalars) > 0 && len(b.Scalars) > 0 && len(a.Scalars)*len(b.Scalars) <= 8 && !a.Open && !b.Open {
		var out Value
		ok := true
		for _, x := range a.Scalars {
			for _, y := range b.Scalars {
				s, good := combine(op, x, y, pos)
				if !good {
					ok = false
					continue
				}
				out.Scalars = addScalar(out.Scalars, s)
			}
		}
		if ok {
			out.Type, out.L, out.Text = t, l, text
			return out
		}
	}
	return Value{Open: true, L: l, Text: text, Type: t}
}

func combine(op token.Token, x, y Scalar, pos token.Pos) (Scalar, bool) {
	if x.C != nil && y.C != nil {
		c := fold(op, x.C, y.C)
		return Scalar{C: c, L: x.L.union(y.L), Pos: pos}, c != nil
	}
	switch op {
	case token.ADD:
		return Scalar{Sym: &Sym{Op: opConcat, Args: []Scalar{x, y}, Pos: pos}, L: x.L.union(y.L), Pos: pos}, true
	case token.MUL:
		return Scalar{Sym: &Sym{Op: opMul, Args: []Scalar{x, y}, Pos: pos}, L: x.L.union(y.L), Pos: pos}, true
	}
	return Scalar{}, false
}

// fold computes two constants, nil where it cannot.
func fold(op token.Token, x, y constant.Value) constant.Value {
	if x.Kind() == constant.Unknown || y.Kind() == constant.Unknown {
		return nil
	}
	num := func(k constant.Kind) bool { return k == constant.Int || k == constant.Float }
	switch op {
	case token.ADD:
		if x.Kind() == constant.String && y.Kind() == constant.String {
			return constant.BinaryOp(x, op, y)
		}
		fallthrough
	case token.SUB, token.MUL:
		if num(x.Kind()) && num(y.Kind()) {
			return constant.BinaryOp(x, op, y)
		}
	case token.QUO:
		if num(x.Kind()) && num(y.Kind()) && constant.Sign(y) != 0 {
			if x.Kind() == constant.Int && y.Kind() == constant.Int {
				return constant.BinaryOp(x, token.QUO_ASSIGN, y)
			}
			return constant.BinaryOp(x, op, y)
		}
	}
	return nil
}

// compare folds what is known and keeps, for tests against nil, what the answer says about the source.
func (it *Interp) compare(op token.Token, a, b Value) Value {
	boolean := types.Typ[types.Bool]
	if op == token.EQL || op == token.NEQ {
		if isNilOnly(a) {
			a, b = b, a
		}
		if isNilOnly(b) {
			return nilTest(op, a)
		}
	}
	l := a.L.unset().union(b.L.unset())
	if (op == token.EQL || op == token.NEQ) && apart(a, b) {
		return boolValue(op == token.NEQ).withLabel(l.blur())
	}
	if t, ok := it.tested(op.String(), a, b, token.NoPos); ok {
		return t
	}
	x, okx := a.isConst()
	y, oky := b.isConst()
	if okx && oky {
		if r, ok := compareConst(op, x, y); ok {
			return boolValue(r).withLabel(l.blur())
		}
	}
	// x == true and friends keep the sense
	if oky && y.Kind() == constant.Bool && (op == token.EQL || op == token.NEQ) {
		if constant.BoolVal(y) == (op == token.EQL) {
			return a
		}
		return negated(a)
	}
	if (op == token.EQL || op == token.NEQ) && !a.Open && !b.Open && len(a.Scalars) > 0 && len(b.Scalars) > 0 {
		if never(a, b) {
			return boolValue(op == token.NEQ).withLabel(l.blur())
		}
		// the alternatives that decide give the sense: status == 200, where 503 was set on failure
		if out, ok := senseOfSet(op, a, b, oky); ok {
			out.Type = boolean
			return out
		}
	}
	return Value{Open: true, L: l.blur().union(it.settings(a)).union(it.settings(b)), Type: boolean}
}

// senseOfSet compares a set of constants with one: each cause under which an alternative was chosen says which answer it
// leads to.
func senseOfSet(op token.Token, a, b Value, bConst bool) (Value, bool) {
	if !bConst {
		if _, ok := a.isConst(); !ok {
			return Value{}, false
		}
		a, b = b, a
	}
	y, _ := b.isConst()
	out := Value{Open: true}
	for _, s := range a.Scalars {
		if s.C == nil {
			return Value{}, false
		}
		r, ok := compareConst(op, s.C, y)
		if !ok {
			return Value{}, false
		}
		sense := int8(-1)
		if r {
			sense = 1
		}
		for _, c := range s.L.unset() {
			out.L = out.L.unionValue(Label{{c.Src, c.Sense * sense}})
		}
	}
	for _, c := range a.L {
		out.L = out.L.unionValue(Label{{c.Src, 0}})
	}
	return out, true
}

// never reports that no alternative of a equals one of b.
func never(a, b Value) bool {
	for _, x := range a.Scalars {
		for _, y := range b.Scalars {
			if x.C == nil || y.C == nil {
				return false
			}
			if r, ok := compareConst(token.EQL, x.C, y.C); !ok || r {
				return false
			}
		}
	}
	return true
}

func isNilOnly(v Value) bool {
	return !v.Open && v.Nil == mayNil && len(v.Terms) == 0 && len(v.Scalars) == 0
}

func nilTest(op token.Token, a Value) Value {
	boolean := types.Typ[types.Bool]
	if a.Nil == mayNonNil {
		return boolValue(op == token.NEQ).withLabel(a.L.blur())
	}
	if isNilOnly(a) {
		return boolValue(op == token.EQL).withLabel(a.L.blur())
	}
	l := a.L
	if op == token.EQL {
		l = l.negate()
	}
	return Value{Open: true, L: l, Type: boolean}
}

func compareConst(op token.Token, x, y constant.Value) (r, ok bool) {
	num := func(k constant.Kind) bool { return k == constant.Int || k == constant.Float }
	if x.Kind() != y.Kind() && !(num(x.Kind()) && num(y.Kind())) || x.Kind() == constant.Unknown {
		return false, false
	}
	if x.Kind() == constant.Bool && op != token.EQL && op != token.NEQ {
		return false, false
	}
	return constant.Compare(x, op, y), true
}

// ageTest recognises the guard of a stored verdict: time.Since(t) < ttl and its kin. It marks the clock as the cause, with
// the limit, so that what is answered under it is known to be as old as that.
func (it *Interp) ageTest(e *ast.BinaryExpr, a, b Value) (Value, bool) {
	age, limit := a, b
	op := e.Op
	if !isAge(age) {
		age, limit = b, a
		switch op {
		case token.LSS:
			op = token.GTR
		case token.LEQ:
			op = token.GEQ
		case token.GTR:
			op = token.LSS
		case token.GEQ:
			op = token.LEQ
		}
	}
	if !isAge(age) {
		return Value{}, false
	}
	fresh := op == token.LSS || op == token.LEQ
	return it.ageCause(age, limit, fresh, e), true
}

func isAge(v Value) bool {
	for _, t := range v.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil && o.Lib.Path == "time" && o.Lib.Name == "age" {
			return true
		}
	}
	return false
}

// Age is a test of a stored time against a limit.
type Age struct {
	Limit Value
	Pos   token.Pos
	End   token.Pos
	Of    []*Cell
}

// ageCause is the boolean of an age test. Sense +1 of its cause: true means too old.
func (it *Interp) ageCause(age, limit Value, fresh bool, e ast.Expr) Value {
	a := &Age{Limit: limit, Pos: e.Pos(), End: e.End()}
	for _, t := range age.Terms {
		if o, ok := t.(*Object); ok && o.Lib != nil {
			for _, arg := range o.Lib.Args {
				for _, c := range arg.L {
					if c.Src.Cell != nil {
						a.Of = append(a.Of, c.Src.Cell)
					}
				}
			}
		}
	}
	src := &Source{Kind: Clock, Name: "age", Pos: e.Pos()}
	it.eng.ages[src] = a
	sense := int8(1)
	if fresh {
		sense = -1
	}
	l := Label{{src, sense}}
	return Value{Open: true, L: l.union(age.L.blur()), Type: types.Typ[types.Bool]}
}
