// Package probepathunregistered is the rule probe-path-unregistered.
package probepathunregistered

import (
	_ "embed"
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/rules/internal/words"
)

//go:embed doc.md
var doc string

// Rule is probe-path-unregistered.
var Rule = &lint.Rule{
	Name:     "probe-path-unregistered",
	Level:    lint.Error,
	Sees:     []lint.Sees{lint.Link},
	Scope:    lint.PerProbe,
	Doc:      doc,
	Check:    check,
	Silences: words.ContentRules,
}

func check(p *lint.Pass) {
	m := words.Missed(p, model.MissPath, model.MissNoServer, model.MissNoProgram)
	if m == nil || p.Probe.Kind != model.HTTPGet {
		return
	}
	if m.Kind == model.MissNoProgram {
		noProgram(p, m)
		return
	}
	level, certainty, unresolved := words.Graded(m)
	asked, program := lint.Quote(p.Path()), words.Program(m.Program)
	f := lint.Finding{Level: level, Certainty: certainty}
	text := lint.Text("no route of %s has this path", program)
	switch {
	case m.Kind == model.MissNoServer:
		f.Title = lint.FirstTitle(
			p.Subject()+" asks for "+asked+", and "+program+" opens no server",
			p.Subject()+" asks for "+asked+", and no server is opened",
		)
		text = lint.Text("%s opens no server", program)
		if m.Grade != model.MissProven {
			f.Title = lint.FirstTitle(
				p.Subject()+" asks for "+asked+", and no server of "+program+" was found",
				p.Subject()+" asks for "+asked+", and no server was found",
			)
			text = lint.Text("no server of %s was found", program)
		}
		f.Notes = append(f.Notes, "each attempt is refused, which is a failure: "+words.NeverSucceeds(p))
		f.Help = "serve " + asked + " from this program, or probe the one that serves it"
	case m.CatchAll != nil && m.CatchAllStatus < 400:
		f.Title = lint.FirstTitle(
			p.Subject()+" asks for "+asked+", and the catch-all "+lint.Quote(m.CatchAll.Pattern)+" answers",
			p.Subject()+" asks for "+asked+", and a catch-all answers",
		)
		f.Notes = append(f.Notes, whatCatchAllSays(p, m))
		f.Help = help(m, asked)
	default:
		f.Title = lint.FirstTitle(
			p.Subject()+" asks for "+asked+", which no route of "+program+" serves",
			p.Subject()+" asks for "+asked+", which no route serves",
		)
		f.Notes = append(f.Notes, fmt.Sprintf("the answer is %d, which is a failure: %s", status(m), words.NeverSucceeds(p)))
		f.Help = help(m, asked)
	}
	f.Primary = lint.Label{Span: p.TargetSpan(), Text: text}
	catchAll := "answers every path that has no route"
	if m.CatchAllStatus >= 400 {
		catchAll = fmt.Sprintf("answers %d to every path that has no route", m.CatchAllStatus)
	}
	near := m.Near
	if near == m.CatchAll {
		near = nil
	}
	f.Labels = lint.Labels(words.ListensLabel(m), words.RouteLabel(m.CatchAll, catchAll), words.RouteLabel(near, "the nearest route"))
	if unresolved != "" {
		f.Notes = append(f.Notes, unresolved)
	}
	p.Report(f)
}

// noProgram: the image is built from a main package that nobody committed here, so nothing is known to serve the path.
func noProgram(p *lint.Pass, m *model.Miss) {
	asked := lint.Quote(p.Path())
	p.Report(lint.Finding{
		Level: lint.Info, Certainty: model.Likely,
		Title: lint.FirstTitle(
			p.Subject()+" asks for "+asked+", and the Go code here has no program",
			p.Subject()+" asks for "+asked+" of a program that is not here",
		),
		Primary: lint.Label{Span: p.TargetSpan(), Text: "no main package registers this path"},
		Labels:  []lint.Label{{Span: m.Built, Text: lint.Text("builds %s, which is no main package of this tree", m.Unresolved)}},
		Notes:   []string{"a handler that no main package registers answers nothing; which routes the missing one has is not known"},
		Help:    "commit the main package, or run probelint where it is",
	})
}

func status(m *model.Miss) int {
	if m.CatchAllStatus >= 400 {
		return m.CatchAllStatus
	}
	return 404
}

// whatCatchAllSays is the consequence of an answer that is not about health.
func whatCatchAllSays(p *lint.Pass, m *model.Miss) string {
	if m.Grade != model.MissProven {
		return "what answers is a handler for whatever has no route, which can dispatch paths of its own"
	}
	if m.CatchAllStatus == 0 {
		return "what answers does not look at the path, so the verdict says nothing about " + lint.Quote(p.Path())
	}
	return fmt.Sprintf("it answers %d to any path, so the probe passes whatever the state of the program", m.CatchAllStatus)
}

func help(m *model.Miss, asked string) string {
	if m.Near != nil && m.Near != m.CatchAll {
		return fmt.Sprintf("register %s, or ask for %s, which is served", asked, lint.Quote(m.Near.Pattern))
	}
	return "register " + asked + " on this server, or ask for a path that is served"
}
