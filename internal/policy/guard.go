package policy

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// The evaluator looks at its cancel flag between expressions, not within a builtin. A builtin whose result can be much
// larger than its arguments is therefore refused before it starts.
const (
	maxString  = 1 << 20 // bytes of a string that a builtin makes or cuts up
	maxItems   = 1 << 20 // elements of a list that a builtin makes
	maxDigits  = 4096    // of a number that is calculated with
	maxHostBit = 16      // of a network that is expanded
)

// stopper is the cancel flag of one query. It remembers the last builtin, for the case that one does not end.
type stopper struct {
	flag atomic.Bool
	at   atomic.Pointer[ast.Location]
}

func (s *stopper) Cancel()         { s.flag.Store(true) }
func (s *stopper) Cancelled() bool { return s.flag.Load() }

// limitError is a builtin that was refused for its size.
type limitError struct{ msg string }

func (e *limitError) Error() string { return e.msg }

// install puts the limits in front of OPA's builtins. OPA has one table of them for the process.
var install = sync.OnceFunc(func() {
	for _, b := range sandbox().capabilities.Builtins {
		f := topdown.GetBuiltin(b.Name)
		if f == nil {
			continue // the evaluator has it built in
		}
		check := checks[b.Name]
		topdown.RegisterBuiltinFunc(b.Name, func(bctx topdown.BuiltinContext, args []*ast.Term, iter func(*ast.Term) error) error {
			if s, ok := bctx.Cancel.(*stopper); ok && bctx.Location != nil {
				s.at.Store(bctx.Location)
			}
			for _, a := range args {
				if n, ok := a.Value.(ast.Number); ok && tooLong(n) {
					return topdown.Halt{Err: &limitError{fmt.Sprintf("a number of more than %d digits", maxDigits)}}
				}
			}
			if check != nil {
				if why := check(args); why != "" {
					return topdown.Halt{Err: &limitError{b.Name + ": " + why}}
				}
			}
			return f(bctx, args, iter)
		})
	}
})

// tooLong reports whether a number has too many digits, written out.
func tooLong(n ast.Number) bool {
	if len(n) > maxDigits {
		return true
	}
	i := strings.IndexAny(string(n), "eE")
	if i < 0 {
		return false
	}
	exp, err := strconv.Atoi(strings.TrimPrefix(string(n[i+1:]), "+"))
	return err != nil || exp > maxDigits || exp < -maxDigits
}

// checks say why a call is refused, "" for one that is not, by the name of the builtin.
var checks = map[string]func(args []*ast.Term) string{
	"concat":                           func(a []*ast.Term) string { return length(size(a[1].Value)*(1+text(a[0])) + text(a[0])) },
	"sprintf":                          sprintf,
	"internal.template_string":         func(a []*ast.Term) string { return length(size(a[0].Value)) },
	"replace":                          func(a []*ast.Term) string { return replaced(text(a[0]), text(a[2])) },
	"strings.replace_n":                func(a []*ast.Term) string { return replaced(text(a[1]), size(a[0].Value)) },
	"regex.replace":                    func(a []*ast.Term) string { return replaced(text(a[0]), text(a[2])) },
	"split":                            func(a []*ast.Term) string { return length(text(a[0])) },
	"json.marshal":                     marshalled,
	"json.marshal_with_options":        marshalled,
	"yaml.marshal":                     marshalled,
	"json.unmarshal":                   func(a []*ast.Term) string { return length(text(a[0])) },
	"yaml.unmarshal":                   func(a []*ast.Term) string { return length(text(a[0])) },
	"json.is_valid":                    func(a []*ast.Term) string { return length(text(a[0])) },
	"yaml.is_valid":                    func(a []*ast.Term) string { return length(text(a[0])) },
	"urlquery.encode":                  func(a []*ast.Term) string { return length(3 * text(a[0])) },
	"urlquery.encode_object":           func(a []*ast.Term) string { return length(3 * size(a[0].Value)) },
	"hex.encode":                       func(a []*ast.Term) string { return length(2 * text(a[0])) },
	"base64.encode":                    func(a []*ast.Term) string { return length(2 * text(a[0])) },
	"base64url.encode":                 func(a []*ast.Term) string { return length(2 * text(a[0])) },
	"base64url.encode_no_pad":          func(a []*ast.Term) string { return length(2 * text(a[0])) },
	"regex.split":                      func(a []*ast.Term) string { return length(text(a[1])) },
	"regex.find_n":                     func(a []*ast.Term) string { return length(text(a[1])) },
	"regex.find_all_string_submatch_n": func(a []*ast.Term) string { return length(text(a[1])) },
	"regex.match":                      func(a []*ast.Term) string { return length(text(a[0]) + text(a[1])) },
	"array.concat":                     func(a []*ast.Term) string { return items(float64(elements(a[0]) + elements(a[1]))) },
	"numbers.range":                    func(a []*ast.Term) string { return ranged(a, 1) },
	"numbers.range_step":               func(a []*ast.Term) string { return ranged(a, integer(a[2])) },
	"net.cidr_expand":                  expanded,
	"bits.lsh": func(a []*ast.Term) string {
		if integer(a[1]) > maxDigits {
			return fmt.Sprintf("a number of more than %d bits", maxDigits)
		}
		return ""
	},
	"mul": func(a []*ast.Term) string {
		if text(a[0])+text(a[1]) > maxDigits {
			return fmt.Sprintf("a number of more than %d digits", maxDigits)
		}
		return ""
	},
}

func length(n float64) string {
	if n > maxString {
		return fmt.Sprintf("a string of more than %d bytes", maxString)
	}
	return ""
}

func items(n float64) string {
	if n > maxItems {
		return fmt.Sprintf("%.0f elements, and %d is the most", n, maxItems)
	}
	return ""
}

func marshalled(a []*ast.Term) string { return length(size(a[0].Value)) }

func replaced(s, by float64) string { return length((s + 1) * (1 + by)) }

// sprintf bounds the result by its verbs: each can repeat an argument or have a width of its own.
func sprintf(a []*ast.Term) string {
	format, ok := a[0].Value.(ast.String)
	if !ok {
		return ""
	}
	verbs := float64(strings.Count(string(format), "%"))
	width := 0
	for i := 0; i < len(format); i++ {
		n := 0
		for ; i < len(format) && format[i] >= '0' && format[i] <= '9' && n < maxString; i++ {
			n = 10*n + int(format[i]-'0')
		}
		width = max(width, n)
	}
	if strings.Contains(string(format), "*") {
		if list, ok := a[1].Value.(*ast.Array); ok {
			list.Foreach(func(t *ast.Term) { width = max(width, int(min(integer(t), maxString))) })
		}
	}
	return length(float64(len(format)) + verbs*(size(a[1].Value)+float64(width)))
}

func ranged(a []*ast.Term, step float64) string {
	from, to := integer(a[0]), integer(a[1])
	return items(max(from-to, to-from) / max(step, 1))
}

func expanded(a []*ast.Term) string {
	_, bits, ok := strings.Cut(string(stringOf(a[0])), "/")
	n, err := strconv.Atoi(bits)
	all := 32
	if strings.Contains(string(stringOf(a[0])), ":") {
		all = 128
	}
	if ok && err == nil && all-n > maxHostBit {
		return fmt.Sprintf("a network of more than %d addresses", 1<<maxHostBit)
	}
	return ""
}

func stringOf(t *ast.Term) ast.String {
	s, _ := t.Value.(ast.String)
	return s
}

// text is the length of a string or of a number's digits.
func text(t *ast.Term) float64 {
	switch v := t.Value.(type) {
	case ast.String:
		return float64(len(v))
	case ast.Number:
		return float64(len(v))
	}
	return 0
}

func integer(t *ast.Term) float64 {
	if n, ok := t.Value.(ast.Number); ok {
		f, err := strconv.ParseFloat(string(n), 64)
		if err == nil {
			return f
		}
	}
	return 0
}

func elements(t *ast.Term) int {
	if a, ok := t.Value.(*ast.Array); ok {
		return a.Len()
	}
	return 0
}

// size is about how many bytes a value has, written out. It stops above the limit: a value of few parts that share each
// other can be endless written out.
func size(v ast.Value) float64 {
	n := 0
	var add func(v ast.Value) bool
	add = func(v ast.Value) bool {
		n += 4
		switch v := v.(type) {
		case ast.String:
			n += len(v)
		case ast.Number:
			n += len(v)
		case *ast.Array:
			for i := range v.Len() {
				if !add(v.Elem(i).Value) {
					return false
				}
			}
		case ast.Object:
			return !v.Until(func(k, x *ast.Term) bool { return !add(k.Value) || !add(x.Value) })
		case ast.Set:
			return !v.Until(func(x *ast.Term) bool { return !add(x.Value) })
		}
		return n <= maxString
	}
	add(v)
	return float64(n)
}
