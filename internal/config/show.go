package config

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/probelint/probelint/internal/lint"
)

// Effective is what is in force in a run, and where each value comes from.
type Effective struct {
	Config   *Config // nil without a file
	Settings *lint.Settings
	// Profile says where the profile comes from: a flag, a place in the file, or "default".
	Profile string
	// Levels are those of flags, Exclude likewise.
	Levels  map[string]lint.Level
	Exclude []string
}

// line is one line of what is shown.
type line struct{ text, from string }

// Text is what is in force as a configuration file, with the origin of each value in a comment.
func (e *Effective) Text() string {
	c := e.Config
	if c == nil {
		c = &Config{}
	}
	out := []line{{"version: 1", ""}, {"profile: " + e.Settings.Profile, e.Profile}, {"budgets:", ""}}
	s := e.Settings
	for _, b := range []struct {
		name, text string
		written    *float64
	}{
		{"readiness-exposure", seconds(s.ReadinessExposure), c.Budgets.ReadinessExposure},
		{"liveness-exposure", seconds(s.LivenessExposure), c.Budgets.LivenessExposure},
		{"verdict-max-age", seconds(s.VerdictMaxAge), c.Budgets.VerdictMaxAge},
		{"fleet-calls-per-second", fmt.Sprintf("%g", s.FleetCallsPerSecond), c.Budgets.FleetCallsPerSecond},
	} {
		from := "profile " + s.Profile
		if b.written != nil {
			from = c.At("budgets." + b.name)
		}
		out = append(out, line{"  " + b.name + ": " + b.text, from})
	}
	out = append(out, ruleLines(c, "", c.Rules, e.Levels)...)
	if len(c.Exclude)+len(e.Exclude) > 0 {
		out = append(out, line{"exclude:", ""})
		for i, g := range c.Exclude {
			out = append(out, line{"  - " + quoted(g), c.At(fmt.Sprintf("exclude[%d]", i))})
		}
		for _, g := range e.Exclude {
			out = append(out, line{"  - " + quoted(g), "--exclude, relative to the working directory"})
		}
	}
	out = append(out, c.lists()...)
	return align(out)
}

// lists are the parts that only a file has.
func (c *Config) lists() []line {
	var out []line
	item := func(key string, i int, fields ...string) {
		if i == 0 {
			out = append(out, line{key + ":", ""})
		}
		from := c.At(fmt.Sprintf("%s[%d]", key, i))
		mark := "  - "
		for n := 0; n+1 < len(fields); n += 2 {
			if fields[n+1] != "" {
				out = append(out, line{mark + fields[n] + ": " + fields[n+1], from})
				mark, from = "    ", ""
			}
		}
	}
	for i, o := range c.Overrides {
		item("overrides", i, "paths", list(o.Paths), "workloads", list(o.Workloads))
		prefix := fmt.Sprintf("overrides[%d].", i)
		for _, l := range ruleLines(c, prefix, o.Rules, nil) {
			out = append(out, line{"    " + l.text, l.from})
		}
		if b := o.Budgets; b != (Budgets{}) {
			out = append(out, line{"    budgets:", ""})
			for _, x := range []struct {
				name string
				v    *float64
			}{{"readiness-exposure", b.ReadinessExposure}, {"liveness-exposure", b.LivenessExposure}, {"verdict-max-age", b.VerdictMaxAge}, {"fleet-calls-per-second", b.FleetCallsPerSecond}} {
				if x.v == nil {
					continue
				}
				text := seconds(*x.v)
				if x.name == "fleet-calls-per-second" {
					text = fmt.Sprintf("%g", *x.v)
				}
				out = append(out, line{"      " + x.name + ": " + text, c.At(prefix + "budgets." + x.name)})
			}
		}
	}
	for i, b := range c.Bindings {
		item("bindings", i, "workload", quoted(b.Workload), "container", optional(b.Container), "package", quoted(b.Package))
	}
	for i, x := range c.Critical {
		item("critical", i, "call", quoted(x.Call), "in", optional(x.In), "reason", quoted(x.Reason))
	}
	for _, l := range []struct {
		key   string
		files []string
	}{{"policies", c.Policies}, {"knowledge", c.Knowledge}} {
		for i, f := range l.files {
			if i == 0 {
				out = append(out, line{l.key + ":", ""})
			}
			out = append(out, line{"  - " + quoted(f), c.At(fmt.Sprintf("%s[%d]", l.key, i))})
		}
	}
	return out
}

// ruleLines are levels, those of flags over those of the file.
func ruleLines(c *Config, prefix string, file, flags map[string]lint.Level) []line {
	all := map[string]lint.Level{}
	for k, v := range file {
		all[k] = v
	}
	for k, v := range flags {
		all[k] = v
	}
	if len(all) == 0 {
		return nil
	}
	out := []line{{"rules:", ""}}
	for _, name := range sortedKeys(all) {
		from := c.At(prefix + "rules." + name)
		if _, flag := flags[name]; flag {
			from = "--level"
		}
		out = append(out, line{"  " + name + ": " + all[name].String(), from})
	}
	return out
}

func seconds(s float64) string { return fmt.Sprintf("%gs", s) }

func list(items []string) string {
	if len(items) == 0 {
		return ""
	}
	q := make([]string, len(items))
	for i, s := range items {
		q[i] = quoted(s)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

func optional(s string) string {
	if s == "" {
		return ""
	}
	return quoted(s)
}

// quoted is a text as YAML, in single quotes, or in double ones where it holds what those do not.
func quoted(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Sprintf("%q", s)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// align puts the origins into one column.
func align(lines []line) string {
	const most = 64
	width := 0
	for _, l := range lines {
		if n := utf8.RuneCountInString(l.text); l.from != "" && n <= most {
			width = max(width, n)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		if l.from != "" {
			b.WriteString(strings.Repeat(" ", max(2, width+2-utf8.RuneCountInString(l.text))) + "# " + l.from)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
