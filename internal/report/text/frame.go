package text

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/snippet"
)

// frame writes one finding with its source.
func (p *printer) frame(f lint.Finding) {
	p.line(p.heading(f))
	snippets := snippet.Of(p.in.Set, f)
	gutter := 0
	for _, s := range snippets {
		for _, n := range s.Lines {
			gutter = max(gutter, len(strconv.Itoa(n)))
		}
	}
	gutter = max(gutter, 1)
	pad := strings.Repeat(" ", gutter)
	bar := p.paint(blue, pad+" |")
	for i, s := range snippets {
		arrow := "-->"
		if i > 0 {
			arrow = ":::"
		}
		p.line(p.paint(blue, pad+arrow) + fmt.Sprintf(" %s:%d:%d", report.Printable(s.Path), s.Place.Line, s.Place.Column))
		if len(s.Lines) > 0 {
			p.line(bar)
			p.draw(s, gutter, styleOf(f.Level))
		}
		if len(s.Lines) > 0 || i == len(snippets)-1 {
			p.line(bar)
		}
	}
	if also := unseen(f.Probes, snippets); len(also) > 0 {
		p.prose(pad, "also", probeList(also))
	}
	for _, n := range f.Notes {
		p.prose(pad, "note", n)
	}
	if f.Help != "" {
		p.prose(pad, "help", f.Help)
	}
	for _, x := range f.Fixes {
		title := x.Title
		if !x.Safe {
			title += " (--unsafe-fixes)"
		}
		p.prose(pad, "fix", title)
	}
	if f.Suppressed != nil {
		p.prose(pad, "suppressed", report.SuppressedBy(f.Suppressed))
	}
	docs := "probelint explain " + f.Rule
	if f.Docs != "" {
		docs = f.Docs
	}
	p.prose(pad, "docs", docs)
}

// prose writes `   = note: ...`, continued under its own first word.
func (p *printer) prose(pad, name, s string) {
	head := pad + " = " + name + ": "
	width := max(min(p.width, proseWidth)-len(head), 20)
	for i, l := range Wrap(report.Printable(s), width) {
		if i == 0 {
			p.line(p.paint(blue, pad+" = ") + p.paint(bold, name+":") + " " + l)
			continue
		}
		p.line(strings.Repeat(" ", len(head)) + l)
	}
}

// unseen are the probes of a finding that no frame shows: those of other manifests with the same cause.
func unseen(refs []lint.ProbeRef, snippets []*snippet.Snippet) []lint.ProbeRef {
	if len(refs) < 2 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r lint.ProbeRef) bool {
		return slices.ContainsFunc(snippets, func(s *snippet.Snippet) bool { return s.Path == r.File && slices.Contains(s.Lines, r.Line) })
	})
}

// maxProbes is how many probes a finding names.
const maxProbes = 6

func probeList(refs []lint.ProbeRef) string {
	var parts []string
	for _, r := range refs[:min(len(refs), maxProbes)] {
		parts = append(parts, fmt.Sprintf("%s %s of `%s` (%s:%d)", r.Workload, r.Role, r.Container, r.File, r.Line))
	}
	s := strings.Join(parts, ", ")
	if n := len(refs) - maxProbes; n > 0 {
		s += fmt.Sprintf(", and %d more", n)
	}
	return s
}
