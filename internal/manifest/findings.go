package manifest

import (
	"fmt"
	"path"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// unreadableFile is the finding about a file or directory that could not be opened. Its place is the start of an empty file
// of that name, so that reporters need not read it again.
func (r *reader) unreadableFile(rel, why string, level lint.Level) lint.Finding {
	f := r.set.Loaded(rel) // of a chart or kustomization that another finding is about
	if f == nil {
		f = source.New(rel, nil)
		r.set.Add(f)
	}
	return lint.Finding{
		Rule: "unreadable-input", Level: level, Certainty: model.Proven,
		Title:    lint.FirstTitle(lint.Quote(rel)+" cannot be read: "+why, lint.Quote(path.Base(rel))+" cannot be read: "+why),
		Primary:  lint.Label{Span: f.Span(0, 0), Text: "nothing in it was checked"},
		Notes:    []string{"nothing in it was checked: " + why},
		Identity: []string{rel, "read"},
	}
}

// fail makes a file unreadable as a whole.
func (r *reader) fail(c *contents, why string, level lint.Level) {
	c.file.Status, c.file.Why, c.file.Workloads = StatusUnreadable, why, 0
	c.findings = append(c.findings, r.unreadableFile(c.in.rel, why, level))
}

// broken reports a document that does not parse.
func (r *reader) broken(c *contents, err *syntaxError, i, of int) {
	c.file.Status = StatusUnreadable
	line, column := c.src.Position(err.off)
	why := fmt.Sprintf("line %d, column %d: %s", line, column, err.msg)
	c.note(why)
	format := "YAML"
	if strings.EqualFold(path.Ext(c.in.rel), ".json") {
		format = "JSON"
	}
	rest := "nothing in this file was checked"
	if of > 1 {
		rest = fmt.Sprintf("document %d of %d was not checked, the others were", i+1, of)
	}
	end := min(err.off+1, len(c.src.Data))
	if err.off < len(c.src.Data) && (c.src.Data[err.off] == '\n' || c.src.Data[err.off] == '\r') {
		end = err.off
	}
	c.findings = append(c.findings, lint.Finding{
		Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
		Title:    lint.Title("%s does not parse as "+format+": %s", lint.Quote(path.Base(c.in.rel)), err.msg),
		Primary:  lint.Label{Span: c.src.Span(err.off, end), Text: lint.Text("the parser gives up here: %s", err.msg)},
		Notes:    []string{rest},
		Identity: []string{c.in.rel, "parse", fmt.Sprint(i)},
	})
}

// chartFindings says of each chart that its templates were not rendered, once a chart.
func chartFindings(r *reader, read []*contents) []lint.Finding {
	count := map[string]int{}
	first := map[string]*contents{}
	var order []string
	for _, c := range read {
		if c.rendered {
			continue
		}
		dir := c.in.chart
		if count[dir] == 0 {
			order = append(order, dir)
			first[dir] = c
		}
		count[dir]++
	}
	var out []lint.Finding
	for _, dir := range order {
		c := first[dir]
		r.set.Add(c.src)
		out = append(out, lint.Finding{
			Rule: "unreadable-input", Level: lint.Info, Certainty: model.Proven,
			Title:    lint.Title("chart %s was not rendered", lint.Quote(dir)),
			Primary:  lint.Label{Span: c.src.Span(0, 0), Text: "a template of the chart"},
			Notes:    []string{lint.Count(count[dir], "template") + " with a pod template or an object beside one not checked"},
			Help:     "check what the chart renders: `helm template " + dir + " | probelint check -`",
			Identity: []string{dir, "chart"},
		})
	}
	return out
}

// limits says what the run did not follow.
func limits(read []*contents) []model.Limit {
	charts := map[string]bool{}
	var out []model.Limit
	for _, c := range read {
		if !c.rendered && !charts[c.in.chart] {
			charts[c.in.chart] = true
			out = append(out, model.Limit{What: "chart " + c.in.chart, Because: "charts are not rendered"})
		}
	}
	return out
}

// unread says in a line or two which files were left unread for a reason that is no error: it is information about each, and nobody
// who sees no information would know that there is something that was not judged. Charts have limits of their own, and an
// empty file has nothing to judge.
func unread(fs []lint.Finding) []model.Limit {
	var templates, others, why []string
	for _, f := range fs {
		if f.Level != lint.Info || len(f.Identity) < 2 {
			continue
		}
		switch rel := f.Identity[0]; f.Identity[1] {
		case "template":
			templates = append(templates, rel)
		case "read":
			others = append(others, rel)
			why = append(why, strings.TrimPrefix(f.Notes[0], "nothing in it was checked: "))
		}
	}
	var out []model.Limit
	if n := len(templates); n == 1 {
		out = append(out, model.Limit{What: templates[0], Because: "a template that is not rendered"})
	} else if n > 1 {
		out = append(out, model.Limit{What: fmt.Sprintf("%s and %d more", templates[0], n-1), Because: "templates that are not rendered"})
	}
	const most = 3
	for i := range others[:min(len(others), most)] {
		out = append(out, model.Limit{What: others[i], Because: why[i]})
	}
	if n := len(others) - most; n > 0 {
		out = append(out, model.Limit{What: lint.Count(n, "more file"), Because: "`--show info` names each"})
	}
	return out
}
