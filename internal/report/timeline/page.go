package timeline

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html.tmpl
var page string

// WriteHTML writes a page of its own that loads nothing.
func WriteHTML(w io.Writer, d *Document) error {
	n := 0
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg": func(s Section) template.HTML {
			n++
			return template.HTML(SVG(&s, fmt.Sprintf("tl%d", n))) //nolint:gosec // SVG escapes every text
		},
		"code":  code,
		"style": func() template.CSS { return Style },
	}).Parse(page)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}

// code is text whose names in backticks are set as code.
func code(s string) template.HTML {
	parts := strings.Split(s, "`")
	var b strings.Builder
	for i, p := range parts {
		if p = html.EscapeString(p); i%2 == 1 && i+1 < len(parts) {
			p = "<code>" + p + "</code>"
		}
		b.WriteString(p)
	}
	return template.HTML(b.String()) //nolint:gosec // every part is escaped
}
