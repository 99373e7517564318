package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// settings are values by their paths from the root of a chart's values, joined with dots.
type settings map[string]any

// solver finds what of the values has to change for conditions to have an outcome. at is the path of the chart's own values,
// and look finds the present value of a path from the root.
type solver struct {
	at   []string
	look func(path []string) any
	// kept are the values that have to stay as they are.
	kept settings
}

// keep records that a condition counts on the present value.
func (s *solver) keep(path []string, now any) {
	switch now.(type) {
	case bool, string, float64, int64:
		s.kept[strings.Join(path, ".")] = now
	}
}

// solve returns what has to be set for a condition to have the outcome, and false where no switch gives it.
func (s *solver) solve(c condition, want bool) (settings, bool) {
	switch c := c.(type) {
	case valuePath:
		return s.path(c, want)
	case literal:
		return nil, truth(c.v) == want
	case call:
		return s.call(c, want)
	case included:
		if want {
			return s.prints(c, func(outcome) (settings, bool) { return nil, true })
		}
	}
	return nil, true
}

// prints finds what makes a helper print something that fits.
func (s *solver) prints(c included, fits func(outcome) (settings, bool)) (settings, bool) {
	for _, p := range c {
		on, ok := fits(p)
		if !ok {
			continue
		}
		out := settings{}
		ok = out.add(on)
		for _, b := range p.around {
			more, solved := s.solve(b.of, b.want)
			ok = ok && solved && out.add(more)
		}
		if ok {
			return out, true
		}
	}
	return nil, false
}

func (s *solver) call(c call, want bool) (settings, bool) {
	switch c.name {
	case "not", "empty":
		if len(c.args) == 1 {
			return s.solve(c.args[0], !want)
		}
	case "and", "or":
		if (c.name == "and") == want {
			return s.all(c.args, want)
		}
		return s.one(c.args, want)
	case "eq", "ne":
		return s.equal(c.args, want == (c.name == "eq"))
	case "default":
		if len(c.args) != 2 {
			break
		}
		path, ok := c.args[1].(valuePath)
		l, isLiteral := c.args[0].(literal)
		if !ok || !isLiteral {
			break
		}
		if s.look(s.full(path)) != nil {
			return s.path(path, want)
		}
		if truth(l.v) == want {
			return nil, true
		}
		if _, isBool := l.v.(bool); isBool && want {
			return settings{strings.Join(s.full(path), "."): true}, true
		}
		return nil, false
	}
	return nil, true
}

func (s *solver) all(cs []condition, want bool) (settings, bool) {
	out := settings{}
	for _, c := range cs {
		more, ok := s.solve(c, want)
		if !ok || !out.add(more) {
			return nil, false
		}
	}
	return out, true
}

// one finds the first condition that can have the outcome; one that has it already needs nothing set.
func (s *solver) one(cs []condition, want bool) (settings, bool) {
	var first settings
	found := false
	for _, c := range cs {
		more, ok := s.solve(c, want)
		if !ok {
			continue
		}
		if len(more) == 0 {
			if _, guess := c.(unknown); guess && len(cs) > 1 {
				continue
			}
			return nil, true
		}
		if !found {
			first, found = more, true
		}
	}
	return first, found
}

// equal compares a value with texts or numbers: the first one is what it is set to.
func (s *solver) equal(args []condition, want bool) (settings, bool) {
	if len(args) < 2 {
		return nil, true
	}
	if in, ok := args[0].(included); ok {
		return s.equalPrinted(in, args[1], want)
	}
	path, ok := pathOf(args[0])
	with := args[1:]
	if !ok {
		if path, ok = pathOf(args[1]); !ok || len(args) > 2 {
			return nil, true
		}
		with = args[:1]
	}
	now := s.look(s.full(path))
	same := false
	for _, a := range with {
		l, ok := a.(literal)
		if !ok {
			return nil, true
		}
		same = same || strings.EqualFold(fmt.Sprint(now), fmt.Sprint(l.v))
	}
	if same == want {
		if same { // any other of many values would do as well
			s.keep(s.full(path), now)
		}
		return nil, true
	}
	to := with[0].(literal).v
	if b, isBool := to.(bool); isBool {
		if _, isBool := now.(bool); !isBool && now != nil {
			return nil, false
		}
		return settings{strings.Join(s.full(path), "."): b == want}, true
	}
	if _, isText := now.(string); !want || !isText {
		return nil, false // any other value could be meant
	}
	return settings{strings.Join(s.full(path), "."): to}, true
}

// equalPrinted compares what a helper prints with a text.
func (s *solver) equalPrinted(in included, with condition, want bool) (settings, bool) {
	l, ok := with.(literal)
	if !ok || !want {
		return nil, true
	}
	return s.prints(in, func(p outcome) (settings, bool) {
		if p.value == nil {
			return nil, p.text == fmt.Sprint(l.v)
		}
		switch fmt.Sprint(l.v) {
		case "true":
			return s.solve(p.value, true)
		case "false":
			return s.solve(p.value, false)
		}
		return nil, true
	})
}

// switchName is how a value that is not written is called where it is a switch.
var switchName = regexp.MustCompile(`(?i)(enabled?|create|install|deploy(ed)?)$`)

func (s *solver) path(p valuePath, want bool) (settings, bool) {
	now := s.look(s.full(p))
	if truth(now) == want {
		s.keep(s.full(p), now)
		return nil, true
	}
	b, isBool := now.(bool)
	if !isBool && (now != nil || !want || len(p) == 0 || !switchName.MatchString(p[len(p)-1])) {
		return nil, false
	}
	return settings{strings.Join(s.full(p), "."): !b}, true
}

// full is a path from the root of all values.
func (s *solver) full(p valuePath) []string {
	if len(p) > 0 && p[0] == "global" {
		return p
	}
	return append(slices.Clone(s.at), p...)
}

// add merges settings, and reports whether they agree.
func (s settings) add(more settings) bool {
	for k, v := range more {
		old, ok := s[k]
		if _, scalar := v.(map[string]any); ok && (scalar || old != v) {
			return false
		}
	}
	for k, v := range more {
		s[k] = v
	}
	return true
}

// holds reports whether all of some other settings are among these.
func (s settings) holds(all settings) bool {
	for k, v := range all {
		if have, ok := s[k]; !ok || have != v {
			return false
		}
	}
	return true
}

// words are the settings as they are written, in the order of their paths.
func (s settings) words() []string {
	var out []string
	for _, k := range sortedKeys(s) {
		out = append(out, fmt.Sprintf("%s: %v", k, s[k]))
	}
	return out
}

// values are the settings as nested values.
func (s settings) values() map[string]any {
	out := map[string]any{}
	for _, k := range sortedKeys(s) {
		at := out
		parts := strings.Split(k, ".")
		for _, p := range parts[:len(parts)-1] {
			next, ok := at[p].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[p] = next
			}
			at = next
		}
		at[parts[len(parts)-1]] = s[k]
	}
	return out
}

// truth is a value as a condition of a template.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	}
	if m := asMap(v); m != nil {
		return len(m) > 0
	}
	return true
}
