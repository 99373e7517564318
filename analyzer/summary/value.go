package summary

import (
	"go/constant"
	"go/token"
	"go/types"
)

// maxTerms bounds the alternatives of one value; beyond it the value is open.
const maxTerms = 24

// SourceKind says what a label entry stands for.
type SourceKind uint8

// The kinds of source. An Effect is a call that leaves the process; State is memory that changes after start-up; Input is
// the part of the request that the probe does not fix; Opaque is the result of a call that could not be followed.
const (
	Effects SourceKind = iota
	State
	Input
	Opaque
	Clock
	// Setting is an environment variable or a flag: it is what it is for the life of the process.
	Setting
	// Decided is a condition that the container decides: it says which alternatives of a value there are, and causes none.
	Decided
	// Secret is text that names what nobody outside is to read: the environment, a password, the address of a database.
	Secret
)

// Source is something that a value or a branch can depend on.
type Source struct {
	Kind   SourceKind
	Effect *Effect
	Cell   *Cell
	Name   string
	Sym    *Sym // of a setting
	Pos    token.Pos
	End    token.Pos // of a call
	Mirror bool      // local view of another system's state
	Of     string    // what people call that system, where it is known
	Latch  bool      // it turns once and stays, whatever becomes of that system
}

// Nilness bits of a value.
const (
	mayNil    uint8 = 1
	mayNonNil uint8 = 2
)

// Term is one thing that a value may be: *Func, *Closure, *Object or *Pointer.
type Term any

// Func is a declared function or method, bound to a receiver where Recv is set.
type Func struct {
	Fn   *types.Func
	Recv *Value
	when Label // the settings under which it is called
}

// Pointer is the address of a variable or field that holds no struct.
type Pointer struct{ Cell *Cell }

// Scalar is one number, string or boolean that a value may be: a constant, or a symbol that the container decides.
type Scalar struct {
	C   constant.Value
	Sym *Sym
	L   Label
	Pos token.Pos
}

// Value is what an expression may be. The zero Value is unknown without a label.
type Value struct {
	Terms   []Term
	Scalars []Scalar
	Nil     uint8 // mayNil | mayNonNil; 0 where the value is no pointer or nothing is known
	Open    bool  // it may be something else as well
	L       Label
	Text    Label // sources whose error text it may carry
	Tuple   []Value
	Type    types.Type // static type where known
}

func unknown(t types.Type, l Label) Value { return Value{Open: true, L: l, Type: t} }

func constValue(c constant.Value, t types.Type, pos token.Pos) Value {
	return Value{Scalars: []Scalar{{C: c, Pos: pos}}, Type: t}
}

func boolValue(b bool) Value { return constValue(constant.MakeBool(b), types.Typ[types.Bool], 0) }

func termValue(t Term, typ types.Type) Value {
	return Value{Terms: []Term{t}, Nil: mayNonNil, Type: typ}
}

func nilValue(t types.Type) Value { return Value{Nil: mayNil, Type: t} }

// isConst returns the only constant that the value can be.
func (v Value) isConst() (constant.Value, bool) {
	if v.Open || len(v.Scalars) != 1 || len(v.Terms) > 0 || v.Scalars[0].C == nil {
		return nil, false
	}
	return v.Scalars[0].C, true
}

func (v Value) str() (string, bool) {
	c, ok := v.isConst()
	if !ok || c.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(c), true
}

// withLabel adds causes to a value and to each of its alternatives.
func (v Value) withLabel(l Label) Value {
	if len(l) == 0 {
		return v
	}
	v.L = v.L.union(l)
	if len(v.Tuple) > 0 {
		t := make([]Value, len(v.Tuple))
		for i, x := range v.Tuple {
			t[i] = x.withLabel(l)
		}
		v.Tuple = t
	}
	return v
}

// truthy tells how a value of a boolean, pointer or error type is used as a verdict: +1 true or non-nil, -1 false or nil,
// 0 both or neither known.
func (v Value) truthy() int8 {
	if c, ok := v.isConst(); ok {
		if c.Kind() == constant.Bool {
			if constant.BoolVal(c) {
				return 1
			}
			return -1
		}
		return 0
	}
	if v.Open {
		if v.Nil == mayNonNil {
			return 1
		}
		return 0
	}
	switch v.Nil {
	case mayNil:
		return -1
	case mayNonNil:
		return 1
	}
	return 0
}

// under is the value as it was assigned or returned under a control label: the label's causes become the value's, with
// the sense that the value's truth implies.
func (v Value) under(pc Label) Value {
	if len(pc) == 0 {
		return v
	}
	t := v.truthy()
	l := make(Label, 0, len(pc))
	for _, c := range pc.unset() {
		l = append(l, Cause{c.Src, c.Sense * t})
	}
	if len(v.Tuple) > 0 {
		tuple := make([]Value, len(v.Tuple))
		for i, x := range v.Tuple {
			tuple[i] = x.under(pc)
		}
		v.Tuple = tuple
	}
	if len(v.Scalars) > 0 {
		s := make([]Scalar, len(v.Scalars))
		for i, x := range v.Scalars {
			x.L = x.L.union(pc)
			s[i] = x
		}
		v.Scalars = s
	}
	v.L = v.L.unionValue(l)
	return v
}

// join is what a value is when it may be either.
func join(a, b Value) Value {
	if isZero(a) {
		return b
	}
	if isZero(b) {
		return a
	}
	v := Value{Open: a.Open || b.Open, Nil: a.Nil | b.Nil, L: a.L.unionValue(b.L), Text: a.Text.union(b.Text), Type: a.Type}
	if v.Type == nil {
		v.Type = b.Type
	}
	if a.Nil == 0 && len(a.Terms)+len(a.Scalars) == 0 || b.Nil == 0 && len(b.Terms)+len(b.Scalars) == 0 {
		v.Nil = 0 // one of the two says nothing
	}
	v.Terms = addTerms(a.Terms, b.Terms)
	v.Scalars = a.Scalars
	for _, s := range b.Scalars {
		v.Scalars = addScalar(v.Scalars, s)
	}
	if len(v.Terms) > maxTerms {
		v.Terms, v.Open = v.Terms[:maxTerms], true
	}
	if len(v.Scalars) > maxTerms {
		v.Scalars, v.Open = v.Scalars[:maxTerms], true
	}
	n := max(len(a.Tuple), len(b.Tuple))
	for i := range n {
		var x, y Value
		if i < len(a.Tuple) {
			x = a.Tuple[i]
		}
		if i < len(b.Tuple) {
			y = b.Tuple[i]
		}
		v.Tuple = append(v.Tuple, join(x, y))
	}
	return v
}

// shares reports a value that is made of the very parts of another.
func (v *Value) shares(w *Value) bool {
	return v.Open == w.Open && v.Nil == w.Nil && v.Type == w.Type && len(v.Tuple) == 0 && len(w.Tuple) == 0 &&
		sameSlice(v.Terms, w.Terms) && sameSlice(v.Scalars, w.Scalars) && sameSlice(v.L, w.L) && sameSlice(v.Text, w.Text)
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func isZero(v Value) bool {
	return !v.Open && v.Nil == 0 && v.Type == nil && len(v.Terms) == 0 && len(v.Scalars) == 0 && len(v.Tuple) == 0 && len(v.L) == 0 && len(v.Text) == 0
}

func addTerm(ts []Term, t Term) []Term {
	for _, x := range ts {
		if sameTerm(x, t) {
			return ts
		}
	}
	return append(ts[:len(ts):len(ts)], t)
}

// addTerms adds several at once.
func addTerms(ts, more []Term) []Term {
	if len(ts) == 0 && len(more) <= 1 {
		return more
	}
	owned := false
next:
	for i, t := range more {
		for _, x := range ts {
			if sameTerm(x, t) {
				continue next
			}
		}
		if !owned {
			owned = true
			ts = append(make([]Term, 0, len(ts)+len(more)-i), ts...)
		}
		ts = append(ts, t)
	}
	return ts
}

func sameTerm(a, b Term) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case *Func:
		y, ok := b.(*Func)
		return ok && x.Fn == y.Fn && sameRecv(x.Recv, y.Recv)
	case *Pointer:
		y, ok := b.(*Pointer)
		return ok && x.Cell == y.Cell
	case *Closure:
		y, ok := b.(*Closure)
		return ok && x.Lit == y.Lit && x.Env == y.Env
	}
	return false
}

func sameRecv(a, b *Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Terms) != len(b.Terms) {
		return false
	}
	for i := range a.Terms {
		if a.Terms[i] != b.Terms[i] {
			return false
		}
	}
	return true
}

func addScalar(ss []Scalar, s Scalar) []Scalar {
	for i, x := range ss {
		if x.same(s) {
			if len(s.L) > 0 && len(x.L) > 0 {
				n := append([]Scalar(nil), ss...)
				n[i].L = x.L.either(s.L)
				return n
			}
			if conditional(x.L) {
				n := append([]Scalar(nil), ss...)
				n[i].L = x.L.unset()
				return n
			}
			return ss
		}
	}
	return append(ss[:len(ss):len(ss)], s)
}

// same reports scalars with the same key, without making it where that can be told.
func (s Scalar) same(x Scalar) bool {
	if s.C != nil && x.C != nil {
		switch k := s.C.Kind(); {
		case k != x.C.Kind():
			if k == constant.String || k == constant.Bool {
				return false
			}
		case k == constant.String:
			return constant.StringVal(s.C) == constant.StringVal(x.C)
		case k == constant.Bool:
			return constant.BoolVal(s.C) == constant.BoolVal(x.C)
		case k == constant.Int:
			a, exact := constant.Int64Val(s.C)
			b, both := constant.Int64Val(x.C)
			if exact && both {
				return a == b
			}
		}
	}
	if s.C == nil && x.C == nil && s.Sym == x.Sym {
		return true
	}
	return s.key() == x.key()
}

func (s Scalar) key() string {
	if s.C != nil {
		return s.C.ExactString()
	}
	return s.Sym.key()
}

// sameValue reports whether two values have the same alternatives, whatever decided them.
func sameValue(a, b Value) bool {
	if a.Open != b.Open || a.Nil != b.Nil || len(a.Terms) != len(b.Terms) || len(a.Scalars) != len(b.Scalars) || len(a.Tuple) != len(b.Tuple) || len(a.Text) != len(b.Text) {
		return false
	}
	for i := range a.Terms {
		if !sameTerm(a.Terms[i], b.Terms[i]) {
			return false
		}
	}
	for i := range a.Scalars {
		if !a.Scalars[i].same(b.Scalars[i]) {
			return false
		}
	}
	for i := range a.Tuple {
		if !sameValue(a.Tuple[i], b.Tuple[i]) {
			return false
		}
	}
	return true
}
