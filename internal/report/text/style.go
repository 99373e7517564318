package text

import (
	"strings"

	"github.com/probelint/probelint/internal/lint"
)

// style is a set of SGR attributes. Three colours by meaning: red and yellow for what is wrong, blue for what explains.
type style uint8

const (
	red style = 1 << iota
	yellow
	blue
	bold
	plain style = 0
)

func styleOf(l lint.Level) style {
	switch l {
	case lint.Error:
		return red
	case lint.Warning:
		return yellow
	}
	return blue
}

func (p *printer) paint(st style, s string) string {
	if !p.o.Color || st == plain || s == "" {
		return s
	}
	var codes []string
	for _, c := range []struct {
		st   style
		code string
	}{{bold, "1"}, {red, "31"}, {yellow, "33"}, {blue, "34"}} {
		if st&c.st != 0 {
			codes = append(codes, c.code)
		}
	}
	return "\x1b[" + strings.Join(codes, ";") + "m" + s + "\x1b[0m"
}
