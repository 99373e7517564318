package livenessequalsreadiness

import (
	"fmt"
	"strings"

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
	if r := reasonOf(e); r.text != "" {
		v := verdict{certainty: lint.Weaker(link, r.certainty), labels: []lint.Label{r.at}}
		if !r.passes {
			v.level, v.notes = lint.Warning, []string{r.text + "; whether that passes by itself is for its author to know"}
			return v
		}
		v.notes = []string{r.text + ": that passes by itself, and a restart only adds a cold start"}
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

// reason is why an endpoint fails.
type reason struct {
	text      string
	at        lint.Label
	certainty model.Certainty
	passes    bool // by itself, so that a restart is the wrong answer
}

// reasonOf is the first reason that was found for the endpoint to fail, those that pass by themselves before others: a
// dependency, load, a drain, a flag that says "not yet". Other state of the process can be a heartbeat, which stops for good.
func reasonOf(e *model.Endpoint) reason {
	for _, d := range e.Dependencies {
		if d.Gates && !d.AfterAnswer && d.Scope != model.FileSys && d.Mode != "detached" {
			name := lint.DependencyName(d)
			if d.FailsOpen {
				return reason{
					text: "it fails by what " + name + " answers", certainty: d.Certainty, passes: true,
					at: lint.Label{Span: d.Span, Text: lint.Text("fails by what %s answers", name), Strong: true},
				}
			}
			return reason{
				text: "it fails while " + name + " does", certainty: d.Certainty, passes: true,
				at: lint.Label{Span: d.Span, Text: lint.Text("fails while %s does", name), Strong: true},
			}
		}
	}
	var other reason
	for _, s := range e.State {
		if !s.Gates {
			continue
		}
		name := lint.Quote(s.Name)
		r := reason{passes: true, at: lint.Label{Span: s.Span, Strong: true}}
		switch {
		case s.Load:
			r.text, r.at.Text = "it fails under load, by "+name, lint.Text("fails under load, by %s", name)
		case s.Draining:
			r.text, r.at.Text = "it fails while the process drains, by "+name, lint.Text("fails while draining, by %s", name)
		case s.Kind == "mirrored" && s.Dependency != "":
			r.text, r.at.Text = "it fails with "+s.Dependency+", whose state "+name+" holds", lint.Text("%s holds the state of "+s.Dependency, name)
		default:
			r.text, r.at.Text = "its answer turns with "+name, lint.Text("the answer turns with %s", name)
			r.passes = s.Kind != "local" || notYet(s.Name)
		}
		if r.passes {
			return r
		}
		if other.text == "" {
			other = r
		}
	}
	if g := e.GRPC; g != nil && g.Registered && g.Turns {
		return reason{
			text: "its gRPC status is set to NOT_SERVING at times", passes: true,
			at: lint.Label{Span: g.Server, Text: "this health service turns its status", Strong: true},
		}
	}
	return other
}

// notYet reports whether a variable's name says that something has not happened yet, which passes.
func notYet(name string) bool {
	name = strings.ToLower(name[strings.LastIndex(name, ".")+1:])
	for _, word := range []string{"ready", "warm", "synced", "loaded", "initialized", "initialised", "started", "serving", "leader"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
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
