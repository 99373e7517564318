package endpoint

import (
	"strings"
	"time"

	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/model"
)

// directive is one `//probelint:NAME text` comment.
type directive struct {
	name, text string
	span       model.Span
}

// at is a line of a file.
type at struct {
	file string
	line int
}

// directives finds the comments of the program's code that speak to probelint, by the lines that they stand for: their own,
// and the one behind their group.
func directives(r *load.Result) map[at][]directive {
	out := map[at][]directive{}
	for _, p := range r.Packages {
		for _, f := range p.Files {
			for _, g := range f.Comments {
				for _, c := range g.List {
					rest, ok := strings.CutPrefix(c.Text, "//probelint:")
					if !ok {
						continue
					}
					name, text, _ := strings.Cut(rest, " ")
					d := directive{name, strings.TrimSpace(text), r.Span(c.Pos(), c.End())}
					own := at{d.span.File, r.Fset.Position(c.Pos()).Line}
					next := at{d.span.File, r.Fset.Position(g.End()).Line + 1}
					out[own] = append(out[own], d)
					if next != own {
						out[next] = append(out[next], d)
					}
				}
			}
		}
	}
	return out
}

// find is the first directive of that name that stands for one of the lines.
func (a *Analysis) find(name string, lines ...at) (directive, bool) {
	for _, l := range lines {
		for _, d := range a.directives[l] {
			if d.name == name {
				return d, true
			}
		}
	}
	return directive{}, false
}

// critical is the opt-in on the call, on a call that leads to it, or on the handler.
func (b *builder) critical(d *model.Dependency) {
	lines := []at{{d.File, d.Line}}
	for _, f := range d.Via {
		lines = append(lines, at{f.File, f.Line})
	}
	lines = append(lines, at{b.ep.File, b.ep.Line})
	if x, ok := b.a.find("critical", lines...); ok {
		d.Critical = &model.Critical{Reason: x.text, Span: x.span}
	}
}

// role is what a directive on the handler or the registration says the endpoint is for.
func (b *builder) role() {
	lines := []at{{b.ep.File, b.ep.Line}, {b.ep.Registration.File, b.ep.Registration.Line}}
	for _, r := range []model.Role{model.Liveness, model.Readiness, model.Startup} {
		x, ok := b.a.find(string(r), lines...)
		if !ok {
			continue
		}
		d := &model.RoleDirective{Role: r, Span: x.span}
		for _, w := range strings.Fields(x.text) {
			if v, ok := strings.CutPrefix(w, "timeout="); ok {
				if t, err := time.ParseDuration(v); err == nil {
					d.TimeoutSeconds = t.Seconds()
				}
			}
		}
		b.ep.Directive = d
		return
	}
}
