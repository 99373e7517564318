package render

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

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
	f.Level, f.Notes = a.tree.blame(f.Level, f.Notes)
	if at.demanded { // by the chart: it asks for values
		f.Level = lint.Info
	}
	if lenient {
		f.Level = lint.Info
		f.Notes = []string{at.message, "rendered with " + set.name, "the chart was read with this value left empty"}
		f.Help = "name values that set it: `probelint check --values FILE`"
	}
	r.out.Findings = append(r.out.Findings, f)
}

// blame makes what fails a matter of note where dependencies of the chart are absent, whose values and helpers may be all that is
// missing.
func (t *tree) blame(level lint.Level, notes []string) (lint.Level, []string) {
	if len(t.missing) == 0 {
		return level, notes
	}
	missing := slices.Compact(slices.Sorted(slices.Values(t.missing)))
	return lint.Info, append(notes, "the chart was rendered without its dependencies "+lint.And(missing)+", which may define what is missing")
}

// nilPointer is the message of text/template for a member of nothing: where it stands, and the member.
var nilPointer = regexp.MustCompile(`at <\$?\.Values\.([^>\s()]+)>: nil pointer evaluating \S+(?: \{\})?\.\w+$`)

// missingValue is the path of the value that a template takes a member of and that nothing sets, and the path down to which the
// template goes on below it.
func missingValue(err error, p *prepared, template string) (value, down string, ok bool) {
	m := nilPointer.FindStringSubmatch(oneLine(err.Error()))
	if m == nil {
		return "", "", false
	}
	var at []string
	for rest := template; ; {
		_, after, ok := strings.Cut(rest, "/charts/")
		if !ok {
			break
		}
		name, _, _ := strings.Cut(after, "/")
		at, rest = append(at, name), after
	}
	segments := strings.Split(m[1], ".")
	all := asMap(p.values["Values"])
	for i := 1; i < len(segments); i++ {
		if segments[0] == "global" {
			at = nil
		}
		if full := append(slices.Clone(at), segments[:i]...); lookUp(all, full) == nil {
			return strings.Join(full, "."), strings.Join(append(at, segments[:len(segments)-1]...), "."), true
		}
	}
	return "", "", false
}

// valueMissing reports a value that a template needs; the chart is read with it left empty.
func (r *run) valueMissing(a *attempt, set valuesSet, src *source.File, at templateError, value string) {
	r.templateFailed(a, set, src, at, false)
	f := &r.out.Findings[len(r.out.Findings)-1]
	f.Title = lint.Title(lint.Quote(path.Base(f.Primary.Span.File))+" does not render: nothing sets %s", lint.Quote(value))
	for i, n := range f.Notes {
		if strings.HasPrefix(n, "what this template") {
			f.Notes[i] = "the chart was read with this value left empty"
		}
	}
	f.Help = "name values that set it: `probelint check --values FILE`"
	f.Identity = append(f.Identity, value)
	r.out.Failed[f.Primary.Span.File] = false
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
	level, notes := a.tree.blame(lint.Error, []string{"rendered with " + set.name, "what it renders was not checked; the chart's other templates were"})
	r.out.Findings = append(r.out.Findings, lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    undefinedTitle(name, 1),
		Primary:  lint.Label{Span: at, Text: "no template of the chart defines it"},
		Notes:    notes,
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
