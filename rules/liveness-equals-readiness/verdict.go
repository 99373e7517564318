package livenessequalsreadiness

import (
	"fmt"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// verdict is what the code behind the shared endpoint makes of the finding.
type verdict struct {
	level     lint.Level
	certainty model.Certainty
	notes     []string
	labels    []lint.Label
}

// verdictOf judges the endpoint: an error where it was followed and fails for a reason that passes, a warning where it was
// not followed, info where it cannot fail.
func verdictOf(pr *model.Probe) verdict {
	e := pr.Endpoint
	if e == nil {
		return verdict{level: lint.Warning, certainty: model.Proven}
	}
	link := pr.Certainty
	if link == "" {
		link = model.Proven
	}
	if reason, at, certainty := passing(e); reason != "" {
		v := verdict{
			certainty: lint.Weaker(link, certainty),
			notes:     []string{reason + ": that passes by itself, and a restart only adds a cold start"},
			labels:    []lint.Label{at},
		}
		v.level = lint.Lowered(lint.Error, v.certainty)
		if v.level < lint.Warning {
			v.level = lint.Warning // no less than without any code
		}
		return v
	}
	if link == model.Proven && cannotFail(e) {
		return verdict{level: lint.Info, certainty: link, notes: []string{"as followed in the code, this endpoint answers success whatever happens"}}
	}
	v := verdict{level: lint.Warning, certainty: link}
	if len(e.Unfollowed) > 0 {
		u := e.Unfollowed[0]
		v.notes = []string{fmt.Sprintf("%s was not followed: %s", lint.Quote(lint.ShortCall(u.Call)), u.Why)}
	}
	return v
}

// passing is a reason for which the endpoint fails and which passes by itself: a dependency, or state of the process that
// turns back.
func passing(e *model.Endpoint) (reason string, at lint.Label, certainty model.Certainty) {
	for _, d := range e.Dependencies {
		if d.Gates && !d.AfterAnswer && d.Scope != model.FileSys && d.Mode != "detached" {
			name := lint.DependencyName(d)
			return "it fails while " + name + " does", lint.Label{Span: d.Span, Text: lint.Text("fails while %s does", name), Strong: true}, d.Certainty
		}
	}
	for _, s := range e.State {
		if !s.Gates {
			continue
		}
		text := "the answer turns with %s"
		reason := "its answer turns with " + lint.Quote(s.Name)
		switch {
		case s.Load:
			reason, text = "it fails under load, by "+lint.Quote(s.Name), "fails under load, by %s"
		case s.Draining:
			reason, text = "it fails while the process drains, by "+lint.Quote(s.Name), "fails while draining, by %s"
		case s.Kind == "mirrored" && s.Dependency != "":
			reason, text = "it fails with "+s.Dependency+", whose state "+lint.Quote(s.Name)+" holds", "holds the state of "+s.Dependency+": %s"
		}
		return reason, lint.Label{Span: s.Span, Text: lint.Text(text, lint.Quote(s.Name)), Strong: true}, model.Proven
	}
	if g := e.GRPC; g != nil && g.Registered && g.Turns {
		return "its gRPC status is set to NOT_SERVING at times", lint.Label{Span: g.Server, Text: "this health service turns its status", Strong: true}, model.Proven
	}
	return "", lint.Label{}, ""
}

// cannotFail reports whether everything was followed and nothing leads to a failure or to a wait.
func cannotFail(e *model.Endpoint) bool {
	if e.Answer.CanFail() || e.Answer.Unknown || len(e.Unfollowed) > 0 || e.Answer.EarlyFlush != nil {
		return false
	}
	for _, d := range e.Dependencies {
		if d.Scope == model.External && !d.AfterAnswer && d.Mode != "detached" &&
			(d.GatesUnknown || d.Bound != model.BoundDeadline && d.Bound != model.BoundClient) {
			return false
		}
	}
	if g := e.GRPC; g != nil {
		return g.Registered && g.Standard && g.Complete && !g.Turns
	}
	return e.Answer.Static || len(e.Answer.Statuses) > 0
}
