package timeline

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"github.com/probelint/probelint/internal/report/page"
)

//go:embed page.html.tmpl
var pageTemplate string

// WriteHTML writes a page of its own that loads nothing.
func WriteHTML(w io.Writer, d *Document) error {
	n := 0
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg": func(s Section) template.HTML {
			n++
			return SVG(&s, fmt.Sprintf("tl%d", n))
		},
		"code": page.Code, "pageStyle": page.Style, "drawingStyle": Style,
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, d)
}
