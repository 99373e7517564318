// Package values says which values are in force in one container: its env, the flags of its command and args, and what the
// Dockerfile sets where the manifest is silent (DESIGN.md, "Values in force"). It resolves a value that the Go code takes
// from the environment, from a flag, or from a constant. Pure functions on the model: the analyzer and the link stage
// both use it.
package values

import (
	"sort"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// The words that say which source won, as in the JSON contract.
const (
	FromManifest   = "manifest"
	FromDockerfile = "Dockerfile"
	FromDefault    = "default"
	FromConstant   = "constant"
)

// Values are the values in force in one container. The zero Values is a container that sets nothing.
type Values struct {
	env   map[string]Setting
	flags map[string]Setting
	words []string
	// open are the prefixes of variables whose names are not known (envFrom of something that is not in the input).
	open []string
	// opaque: the command line could not be read, or hands flags on from outside.
	opaque bool
}

// Setting is one variable or flag that the container sets.
type Setting struct {
	Value string
	// Known is false where the value comes from a Secret, a field of the pod, or an object that is not in the input.
	Known bool
	// From is FromManifest or FromDockerfile.
	From string
	Span model.Span
}

// Of collects the values in force in a container. The container may already carry what its Dockerfile sets: variables
// whose From is "Dockerfile" come first, so that the manifest's own win.
func Of(c *model.Container) Values {
	v := Values{env: map[string]Setting{}, flags: map[string]Setting{}}
	if c == nil {
		return v
	}
	for _, e := range c.Env {
		if prefix, ok := strings.CutSuffix(e.Name, "*"); ok || e.Name == "" {
			v.open = append(v.open, prefix)
			continue
		}
		s := Setting{Value: e.Value, Known: e.Known, From: FromManifest, Span: e.Span}
		if e.From == FromDockerfile {
			s.From = FromDockerfile
		}
		if s.Known {
			s.Value, s.Known = v.expand(s.Value)
		}
		v.env[e.Name] = s
	}
	var words []Setting
	for i, w := range c.Command {
		words = append(words, v.word(c, "command", i, w))
	}
	for i, w := range c.Args {
		words = append(words, v.word(c, "args", i, w))
	}
	v.readFlags(v.unwrapShell(words))
	return v
}

// word expands one word of the command line and finds where it was written.
func (v Values) word(c *model.Container, field string, i int, w string) Setting {
	s := Setting{From: FromManifest, Span: c.Fields.Value(field+"["+itoa(i)+"]", model.Span{})}
	if s.Span.IsZero() && len(c.Fields) > 0 {
		s.From = FromDockerfile // the manifest does not hold the word: the image does
	}
	s.Value, s.Known = v.expand(w)
	return s
}

// expand replaces $(NAME) by the variable's value, as the kubelet does (k8s.io/kubernetes/third_party/forked/golang/
// expansion): $$ is a dollar sign, an unset name stays as it is written.
func (v Values) expand(s string) (string, bool) {
	if !strings.Contains(s, "$") {
		return s, true
	}
	var b strings.Builder
	known := true
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		switch s[i+1] {
		case '$':
			b.WriteByte('$')
			i++
		case '(':
			end := strings.IndexByte(s[i:], ')')
			if end < 0 {
				b.WriteString(s[i:])
				return b.String(), known
			}
			name := s[i+2 : i+end]
			if e, ok := v.env[name]; ok {
				known = known && e.Known
				b.WriteString(e.Value)
			} else {
				known = known && !v.Open(name)
				b.WriteString(s[i : i+end+1])
			}
			i += end
		default:
			b.WriteByte('$')
		}
	}
	return b.String(), known
}

// unwrapShell replaces `sh -c "exec app --port=1"` by the words of the script's last command that has flags. Where the
// script is more than one plain command, the flags are read all the same, but an absent flag proves nothing.
func (v *Values) unwrapShell(words []Setting) []Setting {
	if len(words) < 3 || !isShell(words[0].Value) || !strings.HasPrefix(words[1].Value, "-") || !strings.HasSuffix(words[1].Value, "c") {
		return words
	}
	script := words[2]
	out := []Setting{}
	for _, w := range SplitShell(script.Value) {
		s := Setting{Value: w, Known: script.Known, From: script.From, Span: script.Span}
		s.Value, s.Known = v.expandShell(w, script.Known)
		out = append(out, s)
	}
	if strings.ContainsAny(script.Value, ";|&`\n") || strings.Contains(script.Value, "$(") || strings.Contains(script.Value, "$@") {
		v.opaque = true
	}
	return out
}

func (v Values) expandShell(w string, known bool) (string, bool) {
	for {
		i := strings.IndexByte(w, '$')
		if i < 0 {
			return w, known
		}
		name, def, end := w[i+1:], "", len(w)
		if strings.HasPrefix(name, "{") {
			j := strings.IndexByte(w[i:], '}')
			if j < 0 {
				return w, false
			}
			name, end = w[i+2:i+j], i+j+1
			name, def, _ = strings.Cut(name, ":-")
		} else {
			j := strings.IndexFunc(name, func(r rune) bool {
				return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			})
			if j >= 0 {
				name, end = name[:j], i+1+j
			}
		}
		e, ok := v.env[name]
		switch {
		case ok:
			known = known && e.Known
			def = e.Value
		case def == "":
			return w, false
		}
		w = w[:i] + def + w[end:]
	}
}

func isShell(w string) bool {
	switch w[strings.LastIndexByte(w, '/')+1:] {
	case "sh", "bash", "ash", "dash", "zsh":
		return true
	}
	return false
}

// SplitShell splits a script at blanks outside quotes. The operators ; | & become words of their own, and so does the end
// of a line, as a semicolon.
func SplitShell(s string) []string {
	var out []string
	var b strings.Builder
	inWord := false
	quote := byte(0)
	flush := func() {
		if inWord {
			out = append(out, b.String())
			b.Reset()
			inWord = false
		}
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote == '"' && c == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`\n", s[i+1]) >= 0:
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				b.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
				inWord = true
			}
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		case c == '\n':
			flush()
			out = append(out, ";")
		case c == ';' || c == '|' || c == '&':
			flush()
			out = append(out, string(c))
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	flush()
	return out
}

// readFlags reads the words of a command line: -name=value, --name value, -name. A flag that stands alone has the value
// "true"; its neighbour is kept as its value and as a word of its own, since the program alone knows which flags are
// boolean.
func (v *Values) readFlags(words []Setting) {
	for i, w := range words {
		if !strings.HasPrefix(w.Value, "-") || w.Value == "-" || w.Value == "--" {
			if w.Known {
				v.words = append(v.words, w.Value)
			}
			continue
		}
		name, value, has := strings.Cut(strings.TrimLeft(w.Value, "-"), "=")
		s := Setting{Value: value, Known: w.Known, From: w.From, Span: w.Span}
		if !has {
			s.Value = "true"
			if i+1 < len(words) && !strings.HasPrefix(words[i+1].Value, "-") {
				s = words[i+1]
			}
		}
		v.flags[name] = s
	}
}

// Words are the words of the command line that are no flags, the program first. A value that follows its flag after a
// blank is among them.
func (v Values) Words() []string { return v.words }

// Open reports whether a variable that is not listed can be set all the same, by an object that is not in the input.
func (v Values) Open(name string) bool {
	for _, prefix := range v.open {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Env returns the setting of an environment variable.
func (v Values) Env(name string) (Setting, bool) { s, ok := v.env[name]; return s, ok }

// Flag returns the setting of a flag by its long or its short name, without dashes.
func (v Values) Flag(name string) (Setting, bool) { s, ok := v.flags[name]; return s, ok }

// Key identifies the values: two containers with equal keys resolve everything alike.
func (v Values) Key() string {
	var b strings.Builder
	write := func(kind string, m map[string]Setting) {
		names := make([]string, 0, len(m))
		for n := range m {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			s := m[n]
			b.WriteString(kind + n + "\x00" + s.Value + "\x00")
			if !s.Known {
				b.WriteString("?")
			}
			b.WriteString(s.From + "\x01")
		}
	}
	write("e", v.env)
	write("f", v.flags)
	b.WriteString(strings.Join(v.words, "\x00"))
	for _, prefix := range v.open {
		b.WriteString("\x02" + prefix + "*")
	}
	if v.opaque {
		b.WriteString("\x02opaque")
	}
	return b.String()
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}
