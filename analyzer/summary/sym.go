package summary

import (
	"go/constant"
	"go/token"
	"strconv"
	"strings"
	"time"

	"github.com/probelint/probelint/internal/model"
)

// Sym is a scalar that is not known before the container is: an environment variable, a flag, or something made of them.
type Sym struct {
	Op   symOp
	Name string // of the variable or flag; separator for opJoin
	Args []Scalar
	Def  *Scalar // default of a flag or of an environment helper
	// Filed: a file may set it as well, so that it is not empty where no variable sets it.
	Filed bool
	Pos   token.Pos
}

type symOp uint8

const (
	opEnv symOp = iota
	opFlag
	opConcat
	opInt      // number from text
	opDuration // duration from text
	opMul      // product of two numbers
	opText     // text from number
	opUnknown  // nothing is known of it
	opBool     // truth from text
	opTest     // a condition, Name its operator
	opChoice   // one of several, by the settings under which each was chosen
	opFile     // a key of a configuration file, with its default
)

func (s *Sym) key() string {
	if s == nil {
		return "?"
	}
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(s.Op)) + ":" + s.Name + "(")
	for _, a := range s.Args {
		b.WriteString(a.key() + ",")
	}
	if s.Def != nil {
		b.WriteString("=" + s.Def.key())
	}
	return b.String() + ")"
}

// Values are what a container sets: environment and flags, with where each was written.
type Values struct {
	Env   map[string]string
	Flags map[string]string
	// Opaque names are set to something that is not known (a Secret).
	Opaque map[string]bool
}

// ValuesOf reads the values in force of a container. c may be nil.
func ValuesOf(c *model.Container) Values {
	v := Values{Env: map[string]string{}, Flags: map[string]string{}, Opaque: map[string]bool{}}
	if c == nil {
		return v
	}
	for _, e := range c.Env {
		if e.Known {
			v.Env[e.Name] = e.Value
			delete(v.Opaque, e.Name)
		} else {
			delete(v.Env, e.Name)
			v.Opaque[e.Name] = true
		}
	}
	words := append(append([]string(nil), c.Command...), c.Args...)
	for i, w := range words {
		name, ok := strings.CutPrefix(w, "-")
		if !ok || name == "" || name == "-" {
			continue
		}
		name = strings.TrimPrefix(name, "-")
		if k, val, ok := strings.Cut(name, "="); ok {
			v.Flags[k] = val
		} else if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			v.Flags[name] = words[i+1]
		} else {
			v.Flags[name] = "true"
		}
	}
	return v
}

// Where a resolved scalar comes from, from strong to weak.
const (
	FromConstant = "constant"
	FromManifest = "manifest"
	FromDefault  = "default"
)

func weaker(a, b string) string {
	rank := map[string]int{"": 0, FromConstant: 1, FromManifest: 2, FromDefault: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// resolve turns a scalar into a constant for these values. ok is false where it stays unknown. unset reports an
// environment variable that nothing sets: another alternative of the same value then holds.
func (s Scalar) resolve(v Values) (c constant.Value, from string, ok, unset bool) {
	if s.C != nil {
		return s.C, FromConstant, true, false
	}
	y := s.Sym
	if y == nil {
		return nil, "", false, false
	}
	fallback := func() (constant.Value, string, bool, bool) {
		if y.Def == nil {
			return nil, "", false, true
		}
		c, _, ok, _ := y.Def.resolve(v)
		return c, FromDefault, ok, false
	}
	switch y.Op {
	case opFile:
		return fallback()
	case opEnv:
		if x, ok := v.Env[y.Name]; ok {
			if x == "" {
				return fallback()
			}
			return constant.MakeString(x), FromManifest, true, false
		}
		if v.Opaque[y.Name] {
			return nil, "", false, false
		}
		return fallback()
	case opFlag:
		if x, ok := v.Flags[y.Name]; ok {
			return constant.MakeString(x), FromManifest, true, false
		}
		return fallback()
	case opConcat:
		text, from := "", FromConstant
		for _, a := range y.Args {
			c, f, ok, un := a.resolve(v)
			if !ok {
				return nil, "", false, un
			}
			if c.Kind() == constant.String {
				text += constant.StringVal(c)
			} else {
				text += c.ExactString()
			}
			from = weaker(from, f)
		}
		return constant.MakeString(text), from, true, false
	case opTest:
		c, from, ok := y.resolveTest(v)
		return c, from, ok, false
	case opChoice:
		c, from, ok := Value{Scalars: y.Args}.Resolve(v)
		return c, from, ok, false
	case opInt, opDuration, opText, opBool:
		c, from, ok, un := y.Args[0].resolve(v)
		if !ok {
			return nil, "", false, un
		}
		c, ok = convertScalar(y.Op, c)
		return c, from, ok, false
	case opMul:
		a, fa, oka, ua := y.Args[0].resolve(v)
		b, fb, okb, ub := y.Args[1].resolve(v)
		if !oka || !okb {
			return nil, "", false, ua || ub
		}
		a, b = number(a), number(b)
		if a == nil || b == nil {
			return nil, "", false, false
		}
		return constant.BinaryOp(a, token.MUL, b), weaker(fa, fb), true, false
	}
	return nil, "", false, false
}

func convertScalar(op symOp, c constant.Value) (constant.Value, bool) {
	switch op {
	case opText:
		if c.Kind() == constant.String {
			return c, true
		}
		return constant.MakeString(c.ExactString()), true
	case opDuration:
		if c.Kind() != constant.String {
			return c, true
		}
		d, err := time.ParseDuration(constant.StringVal(c))
		if err != nil {
			return nil, false
		}
		return constant.MakeInt64(int64(d)), true
	case opBool:
		if c.Kind() != constant.String {
			return c, c.Kind() == constant.Bool
		}
		b, err := strconv.ParseBool(constant.StringVal(c))
		return constant.MakeBool(b), err == nil
	default:
		n := number(c)
		return n, n != nil
	}
}

// number is a constant as a number, nil where it is none.
func number(c constant.Value) constant.Value {
	switch c.Kind() {
	case constant.Int, constant.Float:
		return c
	case constant.String:
		s := constant.StringVal(c)
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return constant.MakeInt64(n)
		}
		if d, err := time.ParseDuration(s); err == nil {
			return constant.MakeInt64(int64(d))
		}
	}
	return nil
}

// Resolve is the constant that a value has for these values: the alternative that the manifest sets wins, then the one
// that holds when it is unset.
func (v Value) Resolve(vals Values) (c constant.Value, from string, ok bool) {
	if v.Open && len(v.Scalars) == 0 {
		return nil, "", false
	}
	var consts []constant.Value
	var froms []string
	for _, s := range v.Scalars {
		if len(v.Scalars) > 1 && s.excluded(vals) {
			continue
		}
		c, f, ok, unset := s.resolve(vals)
		switch {
		case ok && f == FromManifest:
			return c, f, true
		case ok:
			consts, froms = append(consts, c), append(froms, f)
		case !unset:
			return nil, "", false
		}
	}
	if v.Open || len(consts) == 0 {
		return nil, "", false
	}
	from = froms[0]
	for i := range consts {
		if consts[i].ExactString() != consts[0].ExactString() {
			// Several constants: an empty string or a zero is the test for "not set".
			nz := -1
			for j, c := range consts {
				if !isEmpty(c) {
					if nz >= 0 && consts[nz].ExactString() != c.ExactString() {
						return nil, "", false
					}
					nz = j
				}
			}
			if nz < 0 {
				return nil, "", false
			}
			return consts[nz], FromDefault, true
		}
		from = weaker(from, froms[i])
	}
	if len(v.Scalars) > len(consts) {
		from = FromDefault
	}
	return consts[0], from, true
}

func isEmpty(c constant.Value) bool {
	switch c.Kind() {
	case constant.String:
		return constant.StringVal(c) == ""
	case constant.Int, constant.Float:
		return constant.Sign(c) == 0
	}
	return false
}

// ModelValue is the value in the plain form that the link stage resolves.
func (v Value) ModelValue(span func(token.Pos) model.Span) model.Value {
	var out model.Value
	if v.Open && len(v.Scalars) == 0 {
		return out
	}
	for _, s := range v.Scalars {
		if e, ok := s.expr(span); ok {
			out.Alternatives = append(out.Alternatives, e)
		} else {
			return model.Value{}
		}
	}
	return out
}

func (s Scalar) expr(span func(token.Pos) model.Span) (model.Expr, bool) {
	e := model.Expr{}
	if s.Pos.IsValid() {
		e.Span = span(s.Pos)
	}
	if s.C != nil {
		text := s.C.ExactString()
		if s.C.Kind() == constant.String {
			text = constant.StringVal(s.C)
		}
		e.Const = &text
		return e, true
	}
	y := s.Sym
	if y == nil {
		return e, false
	}
	if y.Def != nil {
		if d, ok := y.Def.expr(span); ok {
			e.Default = &d
		}
	}
	e.Filed = y.Filed
	switch y.Op {
	case opEnv:
		e.Env = y.Name
		return e, true
	case opFlag:
		e.Flag = y.Name
		return e, true
	case opFile:
		return e, e.Default != nil
	case opConcat:
		for _, a := range y.Args {
			p, ok := a.expr(span)
			if !ok {
				return e, false
			}
			e.Parts = append(e.Parts, p)
		}
		return e, true
	case opInt, opText, opDuration:
		return y.Args[0].expr(span)
	}
	return e, false
}
