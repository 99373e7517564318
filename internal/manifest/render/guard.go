package render

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync/atomic"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// Bounds of one rendering. Real charts take a few milliseconds, some thousand calls and less than a MiB. The calls are what ends a
// rendering, so that the same chart ends in the same way on a machine that is busy; the time is for what calls nothing.
const (
	mostTime   = time.Minute
	mostCalls  = 5_000_000
	mostText   = 8 << 20  // bytes in one string
	mostOutput = 64 << 20 // bytes printed by all actions
	mostNodes  = 1_000_000
	mostItems  = 100_000 // of a list that a number asks for
)

// errBound ends a rendering that grows beyond every real chart's size.
var errBound = errors.New("the template does more than any real one: it ran into the renderer's bounds")

// guard counts what a rendering does, and stops it.
type guard struct {
	until  time.Time
	calls  int
	output int
	over   atomic.Bool // ran into a bound, or nobody waits any more
}

func newGuard() *guard { return &guard{until: time.Now().Add(mostTime)} }

// step counts n units of work. It panics with errBound, which text/template turns into an error of the template.
func (g *guard) step(n int) {
	before := g.calls
	g.calls += n + 1
	if g.over.Load() || g.calls > mostCalls || before>>8 != g.calls>>8 && time.Now().After(g.until) {
		g.exceed()
	}
}

func (g *guard) exceed() {
	g.over.Store(true)
	panic(errBound)
}

func (g *guard) text(n int) {
	if n > mostText {
		g.exceed()
	}
}

// printed counts what an action prints.
func (g *guard) printed(n int) {
	if g.output += n; g.output > mostOutput {
		g.exceed()
	}
}

// count walks a value, so that nothing that it holds twice over and over is written out.
func (g *guard) count(v any) {
	left := mostNodes
	g.walk(reflect.ValueOf(v), &left, 0)
	g.step((mostNodes - left) / 16)
}

func (g *guard) walk(v reflect.Value, left *int, depth int) {
	if *left--; *left < 0 || depth > 1000 {
		g.exceed()
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			g.walk(v.Elem(), left, depth+1)
		}
	case reflect.String:
		*left -= v.Len() / 64
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			g.walk(it.Value(), left, depth+1)
		}
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); k == reflect.Uint8 || k == reflect.Int {
			*left -= v.Len() / 64
			return
		}
		for i := range v.Len() {
			g.walk(v.Index(i), left, depth+1)
		}
	}
}

// wrap bounds a function. Only functions that walk whole values have them counted.
func (g *guard) wrap(fn any, walks bool) any {
	f := reflect.ValueOf(fn)
	t := f.Type()
	return reflect.MakeFunc(t, func(in []reflect.Value) []reflect.Value {
		size := 0
		for _, a := range in {
			if a.Kind() == reflect.String {
				size += a.Len()
			}
			if walks {
				g.count(a.Interface())
			}
		}
		g.step(size / 1024)
		var out []reflect.Value
		if t.IsVariadic() {
			out = f.CallSlice(in)
		} else {
			out = f.Call(in)
		}
		switch out[0].Kind() {
		case reflect.String:
			g.text(out[0].Len())
		case reflect.Slice, reflect.Map:
			g.step(out[0].Len())
		}
		return out
	}).Interface()
}

// walking are the functions of sprig that walk whole values.
var walking = map[string]bool{
	"deepCopy": true, "mustDeepCopy": true, "merge": true, "mustMerge": true, "mergeOverwrite": true, "mustMergeOverwrite": true, "deepEqual": true,
	"toString": true, "toStrings": true, "quote": true, "squote": true, "cat": true, "join": true, "has": true, "mustHas": true, "without": true,
	"mustWithout": true, "uniq": true, "mustUniq": true, "toPrettyJson": true, "mustToPrettyJson": true, "toRawJson": true, "mustToRawJson": true,
	"sortAlpha": true, "compact": true, "mustCompact": true, "typeIsLike": false,
}

// functions are sprig's with bounds, and those of text/template that write values out.
func (g *guard) functions() template.FuncMap {
	f := sprig.TxtFuncMap()
	delete(f, "env")
	delete(f, "expandenv")
	delete(f, "fail")
	// Helm has its own of these; encode.go has them with bounds.
	for _, name := range []string{"toJson", "mustToJson", "fromJson"} {
		delete(f, name)
	}
	for name, fn := range fixed {
		f[name] = fn
	}
	g.sized(f)
	f["print"], f["printf"], f["println"] = fmt.Sprint, fmt.Sprintf, fmt.Sprintln
	f["html"], f["js"], f["urlquery"] = template.HTMLEscaper, template.JSEscaper, template.URLQueryEscaper
	for name, fn := range f {
		f[name] = g.wrap(fn, walking[name] || strings.HasPrefix(name, "print") || name == "html" || name == "js" || name == "urlquery")
	}
	return f
}

// sized puts a check before the functions of sprig whose result can be much larger than what they are given.
func (g *guard) sized(f template.FuncMap) {
	until := f["until"].(func(int) []int)
	f["until"] = func(n int) []int { g.items(n); return until(n) }
	untilStep := f["untilStep"].(func(int, int, int) []int)
	f["untilStep"] = func(from, to, step int) []int {
		g.items((to - from) / nonZero(step))
		return untilStep(from, to, step)
	}
	seq := f["seq"].(func(...int) string)
	f["seq"] = func(p ...int) string {
		switch len(p) {
		case 1:
			g.items(p[0])
		case 2:
			g.items(p[1] - p[0])
		case 3:
			g.items((p[2] - p[0]) / nonZero(p[1]))
		}
		return seq(p...)
	}
	repeat := f["repeat"].(func(int, string) string)
	f["repeat"] = func(n int, s string) string {
		g.product(n, len(s))
		return repeat(max(n, 0), s)
	}
	for _, name := range []string{"indent", "nindent"} {
		fn := f[name].(func(int, string) string)
		f[name] = func(n int, s string) string {
			g.product(n, strings.Count(s, "\n")+1)
			return fn(n, s)
		}
	}
	replace := f["replace"].(func(string, string, string) string)
	f["replace"] = func(old, with, s string) string {
		g.product(strings.Count(s, old), len(with))
		return replace(old, with, s)
	}
	for _, name := range []string{"regexReplaceAll", "regexReplaceAllLiteral"} {
		fn := f[name].(func(string, string, string) string)
		f[name] = func(re, s, with string) string {
			g.replaced(re, s, with)
			return fn(re, s, with)
		}
	}
	for _, name := range []string{"mustRegexReplaceAll", "mustRegexReplaceAllLiteral"} {
		fn := f[name].(func(string, string, string) (string, error))
		f[name] = func(re, s, with string) (string, error) {
			g.replaced(re, s, with)
			return fn(re, s, with)
		}
	}
	join := f["join"].(func(string, any) string)
	f["join"] = func(sep string, v any) string {
		if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
			g.product(r.Len(), len(sep))
		}
		return join(sep, v)
	}
	wrapWith := f["wrapWith"].(func(int, string, string) string)
	f["wrapWith"] = func(n int, sep, s string) string {
		g.product(len(s), len(sep))
		return wrapWith(n, sep, s)
	}
}

func nonZero(n int) int {
	if n == 0 {
		return 1
	}
	return n
}

func (g *guard) items(n int) {
	if n > mostItems || n < -mostItems {
		g.exceed()
	}
}

// product bounds the length of a result that repeats a text.
func (g *guard) product(times, length int) {
	if times > 0 && length > mostText/times {
		g.exceed()
	}
}

// replaced bounds the length of what a pattern's matches in a text are replaced by. Groups of matches that do not overlap are together
// no longer than the text, each as often as the replacement names one.
func (g *guard) replaced(pattern, text, with string) {
	matches := len(text) + 1
	if matches*len(with) > mostText {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return // the function says so
		}
		matches = len(re.FindAllStringIndex(text, -1))
	}
	g.product(matches, len(with))
	g.product(strings.Count(with, "$"), len(text))
}

// moment is the time in a rendering.
var moment = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// fixed are functions of sprig whose result differs from run to run, or takes long to compute, with a result that does not.
// Nothing that a linter reads depends on it.
var fixed = template.FuncMap{
	"now":                      func() time.Time { return moment },
	"ago":                      func(any) string { return "0s" },
	"randAlphaNum":             letters("a"),
	"randAlpha":                letters("a"),
	"randAscii":                letters("a"),
	"randNumeric":              letters("1"),
	"randInt":                  func(least, _ int) int { return least },
	"randBytes":                func(n int) (string, error) { return letters("A")(n), nil },
	"shuffle":                  func(s string) string { return s },
	"uuidv4":                   func() string { return "00000000-0000-4000-8000-000000000000" },
	"bcrypt":                   func(any) string { return "$2a$10$" + strings.Repeat("a", 53) },
	"htpasswd":                 func(user, _ any, _ ...any) string { return fmt.Sprint(user) + ":$2a$10$" + strings.Repeat("a", 53) },
	"derivePassword":           func(_, _, _, _, _ any) string { return "password" },
	"encryptAES":               func(_, _ any) (string, error) { return "AAAA", nil },
	"genPrivateKey":            func(any) string { return pem("PRIVATE KEY") },
	"genCA":                    certificate,
	"genCAWithKey":             certificate,
	"genSelfSignedCert":        certificate,
	"genSelfSignedCertWithKey": certificate,
	"genSignedCert":            certificate,
	"genSignedCertWithKey":     certificate,
	"buildCustomCert":          certificate,
	"getHostByName":            func(any) string { return "" },
	"keys":                     keysOf,
	"values":                   valuesOf,
}

func letters(of string) func(int) string {
	return func(n int) string { return strings.Repeat(of, max(0, min(n, mostItems))) }
}

func certificate(...any) map[string]any {
	return map[string]any{"Cert": pem("CERTIFICATE"), "Key": pem("RSA PRIVATE KEY")}
}

func pem(what string) string {
	return "-----BEGIN " + what + "-----\nAAAA\n-----END " + what + "-----\n"
}

func keysOf(dicts ...map[string]any) []string {
	var out []string
	for _, d := range dicts {
		out = append(out, sortedKeys(d)...)
	}
	return out
}

func valuesOf(d map[string]any) []any {
	out := make([]any, 0, len(d))
	for _, k := range sortedKeys(d) {
		out = append(out, d[k])
	}
	return out
}
