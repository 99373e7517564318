package render

import (
	"fmt"
	"path"
	"regexp"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// templateFailed reports a template that does not render. lenient: what is missing was taken as empty and the rest was read.
func (r *run) templateFailed(a *attempt, set valuesSet, src *source.File, at templateError, lenient bool) {
	if src == nil {
		src = source.New(path.Join(a.tree.dir, "Chart.yaml"), nil)
	}
	r.in.Set.Add(src)
	r.out.Failed[src.Path] = !lenient
	start := src.Offset(max(at.line, 1), max(at.column+1, 1))
	if at.column == 0 && at.line > 0 {
		start += max(0, indent(string(src.Line(at.line))))
	}
	end := max(start, src.Offset(max(at.line, 1), 1<<20))
	if from, to, ok := actionAt(string(src.Data), min(start+1, len(src.Data))); ok && src.LineNumber(from) == at.line {
		start, end = from, min(to, end)
	}
	if name, ok := undefinedName(at.message); ok && !lenient {
		r.helperUndefined(a, set, src.Span(start, end), name)
		return
	}
	f := lint.Finding{
		Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
		Title:    lint.Title("%s does not render: "+escape(clip(at.message)), lint.Quote(path.Base(src.Path))),
		Primary:  lint.Label{Span: src.Span(start, end), Text: lint.Text("%s", at.message)},
		Notes:    []string{at.message, "rendered with " + set.name, "what this template renders was not checked; the chart's other templates were"},
		Identity: []string{src.Path, "render", set.rel},
		Cause:    "render " + src.Path + " " + at.message,
	}
	if lenient {
		f.Level = lint.Info
		f.Notes = []string{at.message, "rendered with " + set.name, "the chart was read with this value left empty"}
		f.Help = "name values that set it: `probelint check --values FILE`"
	}
	r.out.Findings = append(r.out.Findings, f)
}

// undefinedHelper are the two messages of text/template for a helper that is not defined: of `template`, and of Helm's `include`.
var undefinedHelper = regexp.MustCompile(`^(?:template: no template "([^"]+)" associated with template .*|template "([^"]+)" not defined)$`)

func undefinedName(message string) (string, bool) {
	m := undefinedHelper.FindStringSubmatch(message)
	if m == nil {
		return "", false
	}
	return m[1] + m[2], true
}

// helperUndefined reports a helper that templates of a chart include and that nothing defines, once with all of them.
func (r *run) helperUndefined(a *attempt, set valuesSet, at model.Span, name string) {
	key := a.tree.dir + "\x00" + set.rel + "\x00" + name
	if i, told := r.undefined[key]; told {
		f := &r.out.Findings[i]
		const most = 20 // labels; the rest is counted
		if len(f.Labels) < most {
			f.Labels = append(f.Labels, lint.Label{Span: at, Text: "asked for here too"})
		}
		r.failedWith[key]++
		f.Title = undefinedTitle(name, r.failedWith[key])
		f.Notes[1] = "what they render was not checked; the chart's other templates were"
		return
	}
	r.undefined[key] = len(r.out.Findings)
	r.failedWith[key] = 1
	r.out.Findings = append(r.out.Findings, lint.Finding{
		Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
		Title:    undefinedTitle(name, 1),
		Primary:  lint.Label{Span: at, Text: "no template of the chart defines it"},
		Notes:    []string{"rendered with " + set.name, "what it renders was not checked; the chart's other templates were"},
		Identity: []string{a.tree.dir, "undefined", name, set.rel},
		Cause:    "undefined " + a.tree.dir + " " + name,
	})
}

func undefinedTitle(name string, templates int) string {
	what := "1 template does"
	if templates > 1 {
		what = fmt.Sprintf("%d templates do", templates)
	}
	return lint.Title(what+" not render: helper %s is not defined", lint.Quote(name))
}
