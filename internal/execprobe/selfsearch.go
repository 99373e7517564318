package execprobe

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// selfSearch reports whether a pipe such as `ps aux | grep X` finds its own grep and the shell whose script holds X.
func (j *judge) selfSearch(c *syntax.BinaryCmd) bool {
	var stages []*syntax.CallExpr
	for {
		y, ok := c.Y.Cmd.(*syntax.CallExpr)
		if !ok || c.Y.Negated {
			return false
		}
		stages = append(stages, y)
		if x, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && (x.Op == syntax.Pipe || x.Op == syntax.PipeAll) {
			c = x
			continue
		}
		x, ok := c.X.Cmd.(*syntax.CallExpr)
		if !ok {
			return false
		}
		stages = append(stages, x)
		break
	}
	slices.Reverse(stages)
	words := func(c *syntax.CallExpr) []string {
		s := shell{env: func(string) (string, bool) { return "", false }}
		out := make([]string, len(c.Args))
		for i, w := range c.Args {
			out[i] = s.word(w)
		}
		return out
	}
	first := words(stages[0])
	if len(first) == 0 || commandOf(first[0]) != "ps" || !showsArguments(first[1:]) {
		return false
	}
	for _, st := range stages[1:] {
		w := words(st)
		if len(w) == 0 || commandOf(w[0]) != "grep" && commandOf(w[0]) != "egrep" && commandOf(w[0]) != "fgrep" {
			return false
		}
		pattern := ""
		for i, a := range w[1:] {
			switch {
			case a == "-e" && i+2 < len(w):
				pattern = w[i+2]
			case strings.HasPrefix(a, "-"):
				if strings.ContainsAny(strings.TrimLeft(a, "-"), "vxmfABC") {
					return false
				}
			case pattern == "":
				pattern = a
			default:
				if pattern != a {
					return false // a file
				}
			}
		}
		if !matches(pattern, j.text) {
			return false
		}
	}
	return true
}

// showsArguments reports whether `ps` prints whole command lines: with options such as aux and -ef, and without any, as
// busybox does. -e, -A and -o comm print names alone.
func showsArguments(args []string) bool {
	if len(args) == 0 {
		return true
	}
	a := args[0]
	if !strings.HasPrefix(a, "-") {
		return strings.ContainsAny(a, "auxw") && len(args) == 1
	}
	return len(args) == 1 && strings.ContainsAny(a, "fF")
}

// findsShell reports whether `pgrep -f X` finds the shell whose script holds X. pgrep leaves out itself alone, and bash
// starts the only command of a script in its own place.
func (j *judge) findsShell(args []string) bool {
	if j.shell == "bash" && j.single {
		return false
	}
	full, pattern := false, ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !strings.HasPrefix(a, "-") {
			if pattern != "" {
				return false
			}
			pattern = a
			continue
		}
		switch {
		case a == "--full":
			full = true
		case a == "--":
		case strings.HasPrefix(a, "--"):
			return false
		case strings.ContainsAny(a, "xvPgGuUtsFno"):
			return false
		default:
			full = full || strings.Contains(a, "f")
		}
	}
	return full && matches(pattern, j.text)
}

// matches reports whether a pattern finds itself in a text that holds it.
func matches(pattern, text string) bool {
	if pattern == "" || strings.Contains(pattern, unknown) {
		return false
	}
	re, err := regexp.Compile(pattern)
	return err == nil && re.MatchString(text)
}
