package values

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Unknown stands in Answer.Value for a part that is not known: no address, path or number holds this byte.
const Unknown = "\x00"

// Answer is one constant that a value can come to.
type Answer struct {
	// Value may hold Unknown for the parts that are not known.
	Value string
	// From says which source won: FromManifest, FromDockerfile, FromDefault, FromConstant. Name is the variable or flag
	// that decided ("PORT", "--port"), "" for a constant.
	From string
	Name string
	// Span is where the winner was written.
	Span model.Span
	// Certain is false where something that is not in the input could still decide otherwise.
	Certain bool
}

// Known reports whether the whole value is known.
func (a Answer) Known() bool { return !strings.Contains(a.Value, Unknown) }

// Resolve turns a value into a constant for one container. ok is false where it is unknown or where several constants
// remain; from says which source won.
func Resolve(v model.Value, env Values) (value, from string, ok bool) {
	all := All(v, env)
	if len(all) != 1 || !all[0].Known() {
		return "", "", false
	}
	return all[0].Value, all[0].From, true
}

// All returns the constants that a value can come to for one container, without repetition, in the order of the
// alternatives. Alternatives are a joined set such as {Env PORT, "8080"}: what the container sets wins over what it does
// not set, and constants remain as defaults. An empty result means that nothing is known.
func All(v model.Value, env Values) []Answer {
	var set, rest, unset []Answer
	for _, e := range v.Alternatives {
		switch a, st := eval(e, env); {
		case st == wins && a.Value == "" && len(v.Alternatives) > 1:
			unset = append(unset, a) // the idiom tests for the empty string
		case st == wins:
			set = append(set, a)
		case st == absent:
			unset = append(unset, a)
		default:
			rest = append(rest, a)
		}
	}
	if len(set) > 0 {
		return set[:1]
	}
	if len(rest) == 0 {
		// Only variables, and none is set: what the program sees is the value without them.
		return unique(unset)
	}
	if len(unset) > 0 {
		for i := range rest {
			if rest[i].From == FromConstant {
				rest[i].From = FromDefault
			}
			for _, u := range unset {
				rest[i].Certain = rest[i].Certain && u.Certain
			}
		}
	}
	return unique(rest)
}

type status uint8

const (
	fixed  status = iota // a constant or a default
	wins                 // the container sets it
	absent               // a variable or flag that the container does not set and that has no default
)

func eval(e model.Expr, env Values) (Answer, status) {
	switch {
	case e.Const != nil:
		return Answer{Value: *e.Const, From: FromConstant, Span: e.Span, Certain: true}, fixed
	case e.Env != "":
		if s, ok := env.env[e.Env]; ok {
			if s.Known && s.Value == "" && e.Default != nil {
				return fallback(*e.Default, e, env, e.Env, e.Filed || env.Open(e.Env))
			}
			return setting(s, e.Env), wins
		}
		open := e.Filed || env.Open(e.Env)
		if e.Default != nil {
			return fallback(*e.Default, e, env, e.Env, open)
		}
		return Answer{Value: ifElse(open, Unknown, ""), Name: e.Env, From: FromDefault, Span: e.Span, Certain: !open}, absent
	case e.Flag != "":
		for _, name := range strings.Split(e.Flag, ",") {
			if s, ok := env.flags[name]; ok {
				return setting(s, "--"+name), wins
			}
		}
		if e.Default != nil {
			return fallback(*e.Default, e, env, "--"+e.Flag, env.opaque)
		}
		return Answer{Value: ifElse(env.opaque, Unknown, ""), Name: "--" + e.Flag, From: FromDefault, Span: e.Span, Certain: !env.opaque}, absent
	case len(e.Parts) > 0:
		return concat(e, env)
	case e.Filed && e.Default != nil:
		return fallback(*e.Default, e, env, "", true)
	}
	return Answer{Value: Unknown, From: FromConstant, Span: e.Span}, fixed
}

func setting(s Setting, name string) Answer {
	if !s.Known {
		return Answer{Value: Unknown, From: s.From, Name: name, Span: s.Span}
	}
	return Answer{Value: s.Value, From: s.From, Name: name, Span: s.Span, Certain: true}
}

func fallback(d, e model.Expr, env Values, name string, unsure bool) (Answer, status) {
	a, st := eval(d, env)
	if st == wins {
		return a, wins
	}
	a.From = FromDefault
	if a.Name == "" {
		a.Name = name
	}
	if a.Span.IsZero() {
		a.Span = e.Span
	}
	a.Certain = a.Certain && !unsure
	return a, fixed
}

// concat joins the parts. A part that the container sets makes the whole one that it sets; otherwise a default is louder
// than a constant.
func concat(e model.Expr, env Values) (Answer, status) {
	out := Answer{From: FromConstant, Span: e.Span, Certain: true}
	st := fixed
	var b strings.Builder
	for _, p := range e.Parts {
		a, s := eval(p, env)
		b.WriteString(a.Value)
		out.Certain = out.Certain && a.Certain
		switch {
		case s == wins && st != wins:
			st, out.From, out.Name, out.Span = wins, a.From, a.Name, a.Span
		case s == absent && st != wins:
			st, out.From, out.Name = absent, FromDefault, a.Name
		case s == fixed && st == fixed && a.From == FromDefault:
			out.From, out.Name = FromDefault, a.Name
			if !a.Span.IsZero() {
				out.Span = a.Span
			}
		}
	}
	out.Value = b.String()
	return out, st
}

func unique(in []Answer) []Answer {
	var out []Answer
next:
	for _, a := range in {
		for i := range out {
			if out[i].Value == a.Value {
				out[i].Certain = out[i].Certain || a.Certain
				continue next
			}
		}
		out = append(out, a)
	}
	return out
}

func ifElse(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}
