// Package html writes one page that needs nothing besides itself (STYLE.md 5.15): the verdict, the findings by workload with the
// frames of both sides, the timelines of each container, and what was linked to code and what was not, with the reason.
package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/inspect"
	"github.com/probelint/probelint/internal/report/page"
	"github.com/probelint/probelint/internal/report/text"
	"github.com/probelint/probelint/internal/report/timeline"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed style.css
var style string

//go:embed filter.js
var script string

const (
	// maxFrames is how many findings are shown with their source; a line each stands for the rest.
	maxFrames = 500
	// maxDrawn is how many containers are drawn; `probelint timeline` draws any number.
	maxDrawn = 100
)

// view is what the template is given.
type view struct {
	Verdict, Summary, Version string
	Counts                    []levelCount
	Rules                     []string // of the findings, sorted
	Groups                    []group
	More                      []finding // beyond maxFrames
	Timelines                 *timeline.Document
	Undrawn                   int
	Coverage                  []coverage
	Linked, Unlinked          int
	Limits                    []string
}

type levelCount struct {
	Level string
	N     int
}

// group are the findings of one workload, or of one file where they name no probe.
type group struct {
	Title    string
	Findings []finding
}

type finding struct {
	ID, Level, Rule, Docs, Title, Certainty, Help, Suppressed, Place string
	Notes, Fixes, Probes                                             []string
	Frames                                                           []frame
}

// coverage are the probes of one container.
type coverage struct {
	Title  string
	Probes []covered
}

// covered is one probe: what it asks, what answers, how that is known, or why not.
type covered struct {
	Probe, Asks, Place, Answer, AnswerPlace, Reason string
	Evidence                                        []string
}

// Write writes the page.
func Write(w io.Writer, in *report.Input) error {
	n := 0
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg": func(s timeline.Section) template.HTML {
			n++
			return timeline.SVG(&s, fmt.Sprintf("tl%d", n))
		},
		"code": page.Code, "pageStyle": page.Style, "drawingStyle": timeline.Style,
		"style":    func() template.CSS { return template.CSS(style) }, //nolint:gosec // a constant of this package
		"script":   func() template.JS { return template.JS(script) },  //nolint:gosec // a constant of this package
		"hash":     scriptHash,
		"drawings": func(d *timeline.Document) []workload { return byWorkload(d.Containers) },
	}).Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, build(in))
}

// scriptHash lets this script run and no other.
func scriptHash() template.HTMLAttr {
	sum := sha256.Sum256([]byte(script))
	return template.HTMLAttr("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'") //nolint:gosec // a hash
}

func build(in *report.Input) *view {
	v := &view{Verdict: verdict(in), Summary: text.Summary(in), Version: in.Version, Linked: in.Summary.Linked, Unlinked: in.Summary.Unlinked}
	levels := map[string]int{}
	rules := map[string]bool{}
	for i, f := range in.Findings {
		out := convert(in, f, i < maxFrames)
		levels[out.Level]++
		if !rules[f.Rule] {
			rules[f.Rule] = true
			v.Rules = append(v.Rules, f.Rule)
		}
		if i >= maxFrames {
			v.More = append(v.More, out)
			continue
		}
		title := groupOf(in, f)
		k := slices.IndexFunc(v.Groups, func(g group) bool { return g.Title == title })
		if k < 0 {
			k = len(v.Groups)
			v.Groups = append(v.Groups, group{Title: title})
		}
		v.Groups[k].Findings = append(v.Groups[k].Findings, out)
	}
	slices.Sort(v.Rules)
	for _, l := range []string{"error", "warning", "info"} {
		if levels[l] > 0 {
			v.Counts = append(v.Counts, levelCount{l, levels[l]})
		}
	}
	v.Timelines = timeline.Build(in.Workloads)
	if n := len(v.Timelines.Containers) - maxDrawn; n > 0 {
		v.Undrawn = n
		v.Timelines.Containers = v.Timelines.Containers[:maxDrawn]
	}
	for _, w := range in.Workloads {
		for _, c := range w.Containers {
			if len(c.Probes) == 0 {
				continue
			}
			of := coverage{Title: report.Printable(w.Ref() + ", container " + c.Name)}
			for _, p := range c.Probes {
				of.Probes = append(of.Probes, cover(p))
			}
			v.Coverage = append(v.Coverage, of)
		}
	}
	for _, l := range in.Limits {
		v.Limits = append(v.Limits, report.LimitLine(l))
	}
	return v
}

// verdict is the run in one sentence.
func verdict(in *report.Input) string {
	s := in.Summary
	switch {
	case s.Errors > 0:
		return lint.Count(s.Errors, "error") + ": a health check restarts, misroutes or hides a failure"
	case s.Warnings > 0:
		return "no errors, " + lint.Count(s.Warnings, "warning")
	case s.Infos > 0:
		return "no errors, no warnings"
	}
	return "no findings"
}

func groupOf(in *report.Input, f lint.Finding) string {
	if len(f.Probes) > 0 && f.Probes[0].Workload != "" {
		return report.Printable(f.Probes[0].Workload)
	}
	return report.Printable(report.SiteOf(in, f).File)
}

func convert(in *report.Input, f lint.Finding, frames bool) finding {
	site := report.SiteOf(in, f)
	out := finding{
		ID: id(f), Level: f.Level.String(), Rule: f.Rule, Docs: f.DocsURL(), Title: report.Printable(f.Title),
		Certainty: string(f.Certainty), Help: report.Printable(f.Help), Place: report.Printable(fmt.Sprintf("%s:%d", site.File, site.Line)),
	}
	if f.Certainty == model.Proven {
		out.Certainty = ""
	}
	if f.Suppressed != nil {
		out.Suppressed = "silenced: " + report.Printable(f.Suppressed.Reason)
	}
	for _, n := range f.Notes {
		out.Notes = append(out.Notes, report.Printable(n))
	}
	for _, x := range f.Fixes {
		s := report.Printable(x.Title)
		if !x.Safe {
			s += " (unsafe)"
		}
		out.Fixes = append(out.Fixes, s)
	}
	if len(f.Probes) > 1 {
		for _, p := range f.Probes {
			out.Probes = append(out.Probes, report.Printable(fmt.Sprintf("%s probe of %s, container %s (%s:%d)", p.Role, p.Workload, p.Container, p.File, p.Line)))
		}
	}
	if frames {
		out.Frames = framesOf(in, f)
	}
	return out
}

// id is the anchor of a finding: its fingerprint, so that a link outlives the run.
func id(f lint.Finding) string {
	if f.Fingerprint == "" {
		return "f-" + f.Rule
	}
	return "f-" + f.Fingerprint
}

func cover(p *model.Probe) covered {
	out := covered{
		Probe: string(p.Role), Asks: report.Printable(inspect.Asks(p)),
		Place: report.Printable(fmt.Sprintf("%s:%d", p.File, p.Line)), Reason: report.Printable(p.Reason),
	}
	for _, e := range p.Evidence {
		s := e.Step + ": " + e.Fact
		if e.File != "" {
			s += fmt.Sprintf(" (%s:%d)", e.File, e.Line)
		}
		out.Evidence = append(out.Evidence, report.Printable(s))
	}
	if e := p.Endpoint; e != nil {
		out.Answer, out.AnswerPlace = report.Printable(e.Symbol), report.Printable(fmt.Sprintf("%s:%d", e.File, e.Line))
	} else if out.Reason == "" {
		out.Reason = "why is not known"
		if p.Kind == model.TCPSocket {
			out.Reason = "the kernel answers, no handler does"
		}
	}
	return out
}

// workload are the drawings of one workload.
type workload struct {
	Title      string
	Containers []timeline.Container
}

func byWorkload(cs []timeline.Container) []workload {
	var out []workload
	for _, c := range cs {
		if n := len(out); n == 0 || out[n-1].Title != c.Workload {
			out = append(out, workload{Title: c.Workload})
		}
		out[len(out)-1].Containers = append(out[len(out)-1].Containers, c)
	}
	return out
}
