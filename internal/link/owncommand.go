package link

import (
	"path"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// ownCommand follows an exec probe that starts the container's own program with a subcommand (`app healthcheck`) into its code:
// where that asks the running server over loopback, to what answers there, else to what it asks itself.
func (j *joiner) ownCommand(ch *choice, w *model.Workload, pr *model.Probe, words []string) {
	if ch.program == nil || len(words) < 2 || !isOwnBinary(ch, words[0]) {
		return
	}
	r := subcommand(ch.program.Program, words[1:])
	if r == nil {
		pr.Reason = "not followed: what `" + path.Base(words[0]) + "` does for `" + strings.Join(words[1:], " ") + "`"
		return
	}
	c := *ch.container
	c.Command, c.Args = words[:1:1], words[1:]
	a := attempt{program: ch.program, route: r, request: model.Request{Method: "EXEC", Path: "/" + r.Pattern}, certainty: model.Proven}
	e := j.endpoint(&a, &c)
	if e == nil {
		return
	}
	step := evidence("command", &e.Registration, "the subcommand `%s` of the program", r.Pattern)
	for _, d := range e.Dependencies {
		t, ok := ownURL(d.Target)
		if d.Scope != model.Loopback || !ok || d.Kind != "http" {
			continue
		}
		q := *pr
		q.Kind, q.Target = model.HTTPGet, t
		b := j.try(ch.program, ch.certainty == model.Proven, ch, w, &q)
		if b.route == nil || !b.answers {
			continue
		}
		own := j.endpoint(&b, ch.container)
		if own == nil {
			continue
		}
		pr.Program, pr.Server, pr.Endpoint, pr.Certainty = ch.program.Program, b.server, own, weaker(ch.certainty, b.certainty)
		asks := evidence("command", &d.Span, "it asks its own port %d for `GET %s`", t.Port, t.Path)
		pr.Evidence = append(append([]model.Evidence(nil), ch.evidence...), step, asks)
		pr.Evidence = append(pr.Evidence, b.steps()...)
		return
	}
	if e.Answer.Unknown || len(e.Dependencies) == 0 {
		pr.Reason = "not followed: what the subcommand `" + r.Pattern + "` makes its exit status of"
		pr.Evidence = append(append([]model.Evidence(nil), ch.evidence...), step)
		return
	}
	pr.Program, pr.Endpoint, pr.Certainty = ch.program.Program, e, ch.certainty
	pr.Evidence = append(append([]model.Evidence(nil), ch.evidence...), step)
}

// isOwnBinary reports whether a command starts the program that the container runs: by its names, or by what starts it.
func isOwnBinary(ch *choice, word string) bool {
	base := path.Base(word)
	if len(ch.container.Command) > 0 && path.Base(ch.container.Command[0]) == base {
		return true
	}
	return slices.Contains(ch.program.own, base)
}

// subcommand is the command that the words name: the deepest one.
func subcommand(p *model.Program, words []string) *model.Route {
	var found *model.Route
	for _, word := range words {
		for _, r := range p.Subcommands {
			if r.Pattern == strings.TrimLeft(word, "-") {
				found = r
			}
		}
	}
	return found
}
