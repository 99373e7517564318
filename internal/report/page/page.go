// Package page is what the pages of this program share: the style sheet for light, dark and paper, and text with names set as
// code. A page loads nothing: its Content-Security-Policy says so.
package page

import (
	_ "embed"
	"html"
	"html/template"
	"strings"
)

//go:embed style.css
var style string

// Style is the sheet of every page, in custom properties so that a scheme is a set of colours. Text has a contrast of at least
// 4.5 on every ground that it stands on, in both schemes; a test computes it.
func Style() template.CSS { return template.CSS(style) } //nolint:gosec // a constant of this package

// Code is text whose names in backticks are set as code.
func Code(s string) template.HTML {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i, p := range parts {
		p = html.EscapeString(p)
		switch {
		case i%2 == 1 && i+1 < len(parts):
			p = "<code>" + p + "</code>"
		case i%2 == 1:
			p = "`" + p
		}
		b.WriteString(p)
	}
	return template.HTML(b.String()) //nolint:gosec // every part is escaped
}
