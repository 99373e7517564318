package manifest

import (
	"strconv"
	"strings"

	yaml "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"

	"github.com/probelint/probelint/internal/model"
)

// longestValue bounds expansion: variables that double each other would grow without end. Linux takes no longer argument.
const longestValue = 128 << 10

// expand replaces each $(NAME) that lookup knows. What it does not know and the escape $$ stay as written, so that a reader
// of the model can tell them and finish the expansion as the kubelet does
// (k8s.io/kubernetes/third_party/forked/golang/expansion).
func expand(s string, lookup func(string) (string, bool)) (out string, complete bool) {
	if !strings.Contains(s, "$(") {
		return s, true
	}
	var b strings.Builder
	complete = true
	for i := 0; i < len(s); i++ {
		if s[i] != '$' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		if s[i+1] == '$' {
			b.WriteString("$$")
			i++
			continue
		}
		end := strings.IndexByte(s[i:], ')')
		if s[i+1] != '(' || end < 0 {
			b.WriteByte(s[i])
			continue
		}
		if v, ok := lookup(s[i+2 : i+end]); ok && b.Len()+len(v) <= longestValue {
			b.WriteString(v)
		} else {
			b.WriteString(s[i : i+end+1])
			complete = false
		}
		i += end
	}
	return b.String(), complete
}

// expandStatic expands the command of an exec probe, for which the kubelet knows the literal values of env alone
// (SEMANTICS.md K4).
func expandStatic(command []string, env []corev1.EnvVar) []string {
	out := make([]string, len(command))
	for i, word := range command {
		out[i], _ = expand(word, func(name string) (string, bool) {
			for j := len(env) - 1; j >= 0; j-- {
				if env[j].Name == name && env[j].ValueFrom == nil {
					return env[j].Value, true
				}
			}
			return "", false
		})
	}
	return out
}

// environment fills in Env, Command and Args of a container. config finds the data of a ConfigMap of the input.
func (c *draftContainer) environment(config func(name string) map[string]string) {
	for i, from := range c.envFrom {
		span := c.Fields.Key("envFrom", c.Span)
		if i < len(c.envFromAt) {
			span = c.envFromAt[i]
		}
		switch {
		case from.ConfigMapRef != nil:
			of := "configMap " + from.ConfigMapRef.Name
			data := config(from.ConfigMapRef.Name)
			if data == nil {
				c.Env = append(c.Env, model.EnvVar{Name: from.Prefix + "*", From: of, Span: span})
			}
			for _, name := range keys(data) {
				c.Env = append(c.Env, model.EnvVar{Name: from.Prefix + name, Value: data[name], Known: true, From: of, Span: span})
			}
		case from.SecretRef != nil:
			c.Env = append(c.Env, model.EnvVar{Name: from.Prefix + "*", From: "secret " + from.SecretRef.Name, Span: span})
		}
	}
	for i, e := range c.env {
		v := model.EnvVar{Name: e.Name, Value: e.Value, Known: true, From: "manifest", Span: c.Fields.Key("env", c.Span)}
		if i < len(c.envAt) {
			v.Span = c.envAt[i]
		}
		switch f := e.ValueFrom; {
		case f == nil:
			v.Value, v.Known = expand(e.Value, c.lookup)
			if isPlaceholder(v.Value) && v.Known {
				v.Known = strings.Contains(v.Value, "$(") // an escape, not a placeholder
			}
		case f.ConfigMapKeyRef != nil:
			v.From = "configMap " + f.ConfigMapKeyRef.Name
			v.Value, v.Known = config(f.ConfigMapKeyRef.Name)[f.ConfigMapKeyRef.Key]
		case f.SecretKeyRef != nil:
			v.From, v.Known = "secret "+f.SecretKeyRef.Name, false
		case f.FieldRef != nil:
			v.From, v.Known = "fieldRef "+f.FieldRef.FieldPath, false
		case f.ResourceFieldRef != nil:
			v.From, v.Known = "resourceFieldRef "+f.ResourceFieldRef.Resource, false
		default:
			v.From, v.Known = "valueFrom", false
		}
		c.Env = append(c.Env, v)
	}
	c.Command, c.Args = c.words(c.Command), c.words(c.Args)
}

func (c *draftContainer) words(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, w := range in {
		out[i], _ = expand(w, c.lookup)
	}
	return out
}

// lookup finds a variable that was set so far; the last one of a name wins.
func (c *draftContainer) lookup(name string) (string, bool) {
	for i := len(c.Env) - 1; i >= 0; i-- {
		if e := c.Env[i]; e.Name == name {
			return e.Value, e.Known
		}
	}
	return "", false
}

// envSpans are the places of the entries of env or envFrom: of their values where they have one.
func (d *document) envSpans(n *yaml.Node, list string) []model.Span {
	entries := items(n, list)
	if len(entries) == 0 {
		return nil
	}
	out := make([]model.Span, len(entries))
	for i, e := range entries {
		out[i] = d.valueSpan(nil, e)
		if k, _ := get(e, "name"); k == nil {
			continue
		}
		for _, key := range []string{"value", "valueFrom"} {
			m := deref(e)
			for j := 0; j+1 < len(m.Content); j += 2 {
				if deref(m.Content[j]).Value == key {
					out[i] = d.valueSpan(m.Content[j], m.Content[j+1])
				}
			}
		}
	}
	return out
}

// needsConfig are the names of the ConfigMaps that a container takes values from.
func (c *draftContainer) needsConfig() []string {
	var out []string
	for _, f := range c.envFrom {
		if f.ConfigMapRef != nil {
			out = append(out, f.ConfigMapRef.Name)
		}
	}
	for _, e := range c.env {
		if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
			out = append(out, e.ValueFrom.ConfigMapKeyRef.Name)
		}
	}
	return out
}

// preStop describes a preStop hook, and how long it takes where that is known. The kubelet expands no $(NAME) in the command
// of a hook (pkg/kubelet/lifecycle/handlers.go), other than in that of a probe.
func preStop(kind string, h *corev1.LifecycleHandler, at model.Span) *model.PreStop {
	p := &model.PreStop{Kind: kind, Span: at}
	switch {
	case kind == "sleep" && h.Sleep != nil:
		s := float64(h.Sleep.Seconds)
		p.Seconds = &s
	case kind == "exec" && h.Exec != nil:
		p.Command = h.Exec.Command
		if s, exact, ok := sleeps(p.Command); ok && exact {
			p.Seconds = &s
		} else if ok {
			p.AtLeastSeconds = &s
		}
	}
	return p
}

// sleeps adds up the sleeps of a command. exact: nothing else in it takes time that matters.
func sleeps(command []string) (seconds float64, exact, ok bool) {
	if len(command) == 0 {
		return 0, false, false
	}
	if s, ok := sleep(command); ok {
		return s, true, true
	}
	if len(command) < 3 || !isShell(base(command[0])) {
		return 0, false, false
	}
	script := ""
	for i, w := range command[1:] {
		if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "c") && i+2 < len(command) {
			script = command[i+2]
			break
		}
	}
	exact = true
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(script, "&&", ";"), func(r rune) bool { return r == ';' || r == '\n' }) {
		words := strings.Fields(part)
		if len(words) > 0 && words[0] == "exec" {
			words = words[1:]
		}
		if len(words) == 0 {
			continue
		}
		if s, is := sleep(words); is {
			seconds += s
			ok = true
			continue
		}
		exact = exact && quick[base(words[0])] && !strings.ContainsAny(part, "|&`$(")
	}
	// Loops and branches decide how often a sleep runs.
	if strings.ContainsAny(script, "`") || hasWord(script, "while", "until", "for", "if", "case", "trap") || strings.Contains(script, "||") {
		return 0, false, false
	}
	return seconds, exact, ok
}

func hasWord(script string, words ...string) bool {
	for _, w := range strings.FieldsFunc(script, func(r rune) bool { return r == ' ' || r == ';' || r == '\n' || r == '\t' || r == '(' }) {
		for _, want := range words {
			if w == want {
				return true
			}
		}
	}
	return false
}

// quick are commands that end at once.
var quick = map[string]bool{"echo": true, "kill": true, "touch": true, "rm": true, "true": true, ":": true, "exit": true, "date": true, "set": true, "printf": true, "mkdir": true}

func isShell(name string) bool {
	return name == "sh" || name == "bash" || name == "ash" || name == "dash"
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// sleep reads `sleep 5`, `/bin/sleep 0.5`, `sleep 2m`.
func sleep(words []string) (float64, bool) {
	if len(words) != 2 || base(words[0]) != "sleep" {
		return 0, false
	}
	n, unit := words[1], 1.0
	if n != "" {
		if u, ok := map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}[n[len(n)-1]]; ok {
			n, unit = n[:len(n)-1], u
		}
	}
	n = strings.Trim(n, `"'`)
	s, err := strconv.ParseFloat(n, 64)
	if err != nil || s < 0 || s > 1e9 {
		return 0, false
	}
	return s * unit, true
}
