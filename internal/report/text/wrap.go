package text

import (
	"strings"
)

// Wrap breaks prose into lines of at most width columns, at spaces; a word that is longer stands alone and sticks out.
// What is between backticks is not broken.
func Wrap(s string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range words(s) {
		w := textWidth(word)
		switch {
		case line == "":
			line, used = word, w
		case used+1+w <= width:
			line, used = line+" "+word, used+1+w
		default:
			lines = append(lines, line)
			line, used = word, w
		}
	}
	return append(lines, line)
}

// words splits at blanks outside backticks; an unpaired backtick binds nothing.
func words(s string) []string {
	var out []string
	for _, f := range strings.Fields(s) {
		if n := len(out); n > 0 && strings.Count(out[n-1], "`")%2 == 1 && len(out[n-1])+len(f) < 60 {
			out[n-1] += " " + f
			continue
		}
		out = append(out, f)
	}
	return out
}
