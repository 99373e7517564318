package summary

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// A setting is a condition that the container decides: a comparison of environment variables and flags with constants. At
// start-up both of its ways are taken, and each alternative of a value remembers on which way it was chosen; for one
// container the alternatives of the other way do not exist.

// openEnv is the name under which a container's unknown variables are listed (envFrom of what is not in the input).
const openEnv = "*"

// testScalar is the scalar of a condition on settings. ok is false where none of the two is one.
func testScalar(op string, a, b Value, pos token.Pos) (Scalar, bool) {
	x, okx := onlyScalar(a)
	y, oky := onlyScalar(b)
	if !okx || !oky || x.Sym == nil && y.Sym == nil || heavy(x, y) {
		return Scalar{}, false
	}
	return Scalar{Sym: &Sym{Op: opTest, Name: op, Args: []Scalar{x, y}, Pos: pos}, Pos: pos}, true
}

// onlyScalar is the one scalar of a value, or the choice among several where each is known to be one of them.
func onlyScalar(v Value) (Scalar, bool) {
	if v.Open || len(v.Terms) > 0 || len(v.Scalars) == 0 || changes(v.L) {
		return Scalar{}, false
	}
	if len(v.Scalars) == 1 {
		return v.Scalars[0], true
	}
	sym := false
	for _, s := range v.Scalars {
		sym = sym || s.Sym != nil || conditional(s.L)
	}
	if !sym || heavy(v.Scalars...) {
		return Scalar{}, false
	}
	return Scalar{Sym: &Sym{Op: opChoice, Args: v.Scalars, Pos: v.Scalars[0].Pos}, Pos: v.Scalars[0].Pos}, true
}

// maxSetting is how many parts a condition on settings has at most: each is written out to tell values apart.
const maxSetting = 24

// heavy reports scalars that have more parts together.
func heavy(ss ...Scalar) bool {
	left := maxSetting
	for _, s := range ss {
		s.weigh(&left)
	}
	return left < 0
}

func (s Scalar) weigh(left *int) {
	if *left--; *left < 0 || s.Sym == nil {
		return
	}
	for _, a := range s.Sym.Args {
		a.weigh(left)
	}
	if s.Sym.Def != nil {
		s.Sym.Def.weigh(left)
	}
}

// changes reports a cause that does not hold for the life of the process.
func changes(l Label) bool {
	for _, c := range l {
		if c.Src.Kind != Decided && c.Src.Kind != Setting {
			return true
		}
	}
	return false
}

func conditional(l Label) bool {
	for _, c := range l {
		if c.Src.Kind == Decided {
			return true
		}
	}
	return false
}

// unset leaves the settings out of a label.
func (l Label) unset() Label {
	if !conditional(l) {
		return l
	}
	var out Label
	for _, c := range l {
		if c.Src.Kind != Decided {
			out = append(out, c)
		}
	}
	return out
}

// either is the label of one alternative that was chosen on two ways: a setting holds where both ways had it.
func (l Label) either(m Label) Label {
	out := l.unset().union(m.unset())
	for _, c := range l {
		if c.Src.Kind != Decided || c.Sense == 0 {
			continue
		}
		for _, d := range m {
			if d == c {
				out = append(out[:len(out):len(out)], c)
			}
		}
	}
	return out
}

// tested is a condition on settings as a value: at start-up it stays open under the setting's label, for a container it
// is what the values in force make it.
func (it *Interp) tested(op string, a, b Value, pos token.Pos) (Value, bool) {
	s, ok := testScalar(op, a, b, pos)
	if !ok {
		return Value{}, false
	}
	return it.setting(s), true
}

func (it *Interp) setting(s Scalar) Value {
	if it.request {
		if c, _, ok, _ := s.resolve(it.vals); ok {
			return boolValue(c.Kind() == constant.Bool && constant.BoolVal(c))
		}
		return Value{Open: true, L: it.settingOf(s.Sym, 0), Type: types.Typ[types.Bool]}
	}
	key := s.Sym.key()
	src := it.eng.inputs[key]
	if src == nil {
		src = &Source{Kind: Decided, Name: s.Sym.Name, Sym: s.Sym, Pos: s.Pos}
		it.eng.inputs[key] = src
	}
	return Value{Scalars: []Scalar{s}, L: it.settingOf(s.Sym, 0).with(Cause{src, 1}), Type: types.Typ[types.Bool]}
}

// decide turns a condition that start-up left to the container into what it is for this one.
func (it *Interp) decide(v Value) Value {
	if isBool(v) {
		return v
	}
	if it.failing.IsValid() {
		for _, c := range v.L {
			if c.Sense != 0 && c.Src.Effect != nil && c.Src.Effect.Pos == it.failing {
				return boolValue(c.Sense > 0)
			}
		}
	}
	s, ok := onlyScalar(v)
	if !ok || s.Sym == nil {
		return v
	}
	if !it.request {
		if len(v.L) == 0 && (s.Sym.Op == opBool || s.Sym.Op == opChoice) {
			v.L = it.setting(s).L
		}
		return v
	}
	c, _, ok, unset := s.resolve(it.vals)
	if unset {
		c, ok = zeroOfSym(s.Sym, it.vals)
	}
	if !ok || c.Kind() != constant.Bool {
		return v
	}
	return boolValue(constant.BoolVal(c))
}

// both is && or || of two conditions on settings.
func (it *Interp) both(op token.Token, a, b Value, pos token.Pos) (Value, bool) {
	v, ok := it.tested(op.String(), a, b, pos)
	if !ok {
		return Value{}, false
	}
	// the way on which both hold is the way of each: its causes say more than the pair's
	v.L = a.L.unionValue(b.L)
	return v, true
}

// resolveTest computes a condition.
func (s *Sym) resolveTest(v Values) (constant.Value, string, bool) {
	from := FromConstant
	var args []constant.Value
	for _, a := range s.Args {
		c, f, ok, unset := a.resolve(v)
		switch {
		case ok && f == FromDefault && a.filed():
			return nil, "", false // a file may say otherwise
		case ok:
		case unset:
			if c, ok = zeroOfSym(a.Sym, v); !ok {
				return nil, "", false
			}
			f = FromDefault
		default:
			return nil, "", false
		}
		args, from = append(args, c), weaker(from, f)
	}
	switch s.Name {
	case "!":
		if args[0].Kind() != constant.Bool {
			return nil, "", false
		}
		return constant.MakeBool(!constant.BoolVal(args[0])), from, true
	case "&&", "||":
		if args[0].Kind() != constant.Bool || args[1].Kind() != constant.Bool {
			return nil, "", false
		}
		a, b := constant.BoolVal(args[0]), constant.BoolVal(args[1])
		return constant.MakeBool(s.Name == "&&" && a && b || s.Name == "||" && (a || b)), from, true
	case "EqualFold", "HasPrefix", "HasSuffix", "Contains":
		if args[0].Kind() != constant.String || args[1].Kind() != constant.String {
			return nil, "", false
		}
		f := map[string]func(string, string) bool{"EqualFold": strings.EqualFold, "HasPrefix": strings.HasPrefix, "HasSuffix": strings.HasSuffix, "Contains": strings.Contains}[s.Name]
		return constant.MakeBool(f(constant.StringVal(args[0]), constant.StringVal(args[1]))), from, true
	}
	for _, op := range []token.Token{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ} {
		if op.String() == s.Name {
			r, ok := compareConst(op, args[0], args[1])
			return constant.MakeBool(r), from, ok
		}
	}
	return nil, "", false
}

// zeroOfSym is what a program sees of a setting that nothing sets. ok is false where something that is not in the input may
// set it.
func zeroOfSym(s *Sym, v Values) (c constant.Value, ok bool) {
	if s == nil {
		return nil, false
	}
	for x := s; ; x = x.Args[0].Sym {
		if x == nil || x.Filed || x.Op == opEnv && v.Opaque[openEnv] {
			return nil, false
		}
		if len(x.Args) == 0 {
			break
		}
	}
	switch s.Op {
	case opEnv, opFlag:
		return constant.MakeString(""), true
	case opInt, opDuration:
		return constant.MakeInt64(0), true
	case opBool:
		return constant.MakeBool(false), true
	}
	return nil, false
}

// excluded reports an alternative that was chosen on a way that this container does not take.
func (s Scalar) excluded(v Values) bool {
	for _, c := range s.L {
		if c.Src.Kind != Decided || c.Sense == 0 || c.Src.Sym == nil {
			continue
		}
		r, _, ok, _ := Scalar{Sym: c.Src.Sym}.resolve(v)
		if ok && r.Kind() == constant.Bool && constant.BoolVal(r) != (c.Sense > 0) {
			return true
		}
	}
	return false
}

// asDefault is a value as the default of a flag.
func asDefault(v Value) (*Scalar, bool) {
	s, ok := onlyScalar(v)
	if !ok {
		return nil, false
	}
	return &s, true
}

// filed reports a value that a configuration file may set.
func (s Scalar) filed() bool {
	if s.Sym == nil {
		return false
	}
	if s.Sym.Filed || s.Sym.Def != nil && s.Sym.Def.filed() {
		return true
	}
	for _, a := range s.Sym.Args {
		if a.filed() {
			return true
		}
	}
	return false
}
