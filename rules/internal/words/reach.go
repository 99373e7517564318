package words

import (
	"fmt"
	"path"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// What rules say about a probe that reaches something else than what it asks for (model.Miss).

// ContentRules are the rules about what a handler does. A probe that never reaches the handler that it means is not judged
// by them (RULES.md, "One cause, one finding").
var ContentRules = []string{
	"liveness-checks-dependency", "check-without-deadline", "check-budget-exceeds-timeout", "sequential-checks", "cached-aggregate",
	"readiness-always-ok", "readiness-shared-dependency", "liveness-mirrors-dependency", "liveness-fails-on-overload",
	"liveness-fails-while-draining", "ready-before-warm", "fleet-check-load", "health-chain", "unhealthy-answers-200",
	"status-after-body", "flush-before-verdict", "error-text-in-body", "deadline-ignored-by-client", "check-cannot-fail",
	"check-heavy-query", "check-mutates", "new-connection-per-probe", "check-leaks-goroutine", "check-leaks-body",
	"probe-hits-redirect", "health-behind-middleware",
}

// Program names a Go program as an argument of the go command: "./cmd/api".
func Program(p *model.Program) string {
	if p == nil {
		return "the program"
	}
	switch d := path.Clean(p.Dir); {
	case p.Dir == "" || d == ".":
		return lint.Quote(path.Base(p.Package))
	case strings.HasPrefix(d, "/") || strings.HasPrefix(d, ".."):
		return lint.Quote(p.Package)
	default:
		return lint.Quote("./" + d)
	}
}

// Missed is the miss of the pass's probe if it is of one of these kinds and the kubelet runs the probe, else nil.
func Missed(p *lint.Pass, kinds ...model.MissKind) *model.Miss {
	if !Judged(p) || p.Probe.Miss == nil {
		return nil
	}
	for _, k := range kinds {
		if p.Probe.Miss.Kind == k {
			return p.Probe.Miss
		}
	}
	return nil
}

// Graded is the level and certainty of a miss: an error where it is proven, else info, with the note that names what was
// not resolved ("" for a proven one).
func Graded(m *model.Miss) (lint.Level, model.Certainty, string) {
	if m.Grade == model.MissProven {
		return lint.Error, model.Proven, ""
	}
	if m.Unresolved == "" {
		return lint.Info, model.Likely, "that the container runs " + Program(m.Program) + " is inferred, not proven"
	}
	return lint.Info, model.Likely, "not proven: " + m.Unresolved + " was not resolved"
}

// NeverSucceeds says what becomes of a container whose probe fails each time.
func NeverSucceeds(p *lint.Pass) string {
	pr := p.Probe
	if pr.Role == model.Readiness {
		return "no pod of this template ever becomes ready"
	}
	if p.UnknownTimings() || pr.IsUnknown("initialDelaySeconds") {
		return "the container is restarted again and again"
	}
	window := kubelet.Span(kubelet.TimingOf(pr).Boot())
	if pr.Role == model.Liveness && p.Container.Probe(model.Startup) != nil {
		window = kubelet.Span(kubelet.TimingOf(pr).DetectFast())
		return fmt.Sprintf("the container is restarted at most %s after its startup probe has succeeded, again and again", lastOf(window))
	}
	return fmt.Sprintf("the container is restarted %s after each start", window)
}

func lastOf(window string) string {
	if _, last, ok := strings.Cut(window, " to "); ok {
		return last
	}
	return window
}

// ListensLabel shows the server of a miss with its address; ok is false where its place is not known.
func ListensLabel(m *model.Miss) func() (lint.Label, bool) {
	return func() (lint.Label, bool) {
		if m.Server == nil || m.Server.Span.IsZero() {
			return lint.Label{}, false
		}
		return lint.Label{Span: m.Server.Span, Text: lint.Text("listens on %s", lint.Quote(m.Address))}, true
	}
}

// AddressLabel shows where the address was written, if that is another place than the server.
func AddressLabel(m *model.Miss) func() (lint.Label, bool) {
	return func() (lint.Label, bool) {
		if m.Server == nil || m.AddressSpan.IsZero() || m.AddressSpan == m.Server.Span {
			return lint.Label{}, false
		}
		from := map[string]string{"manifest": "by the manifest", "Dockerfile": "by the Dockerfile", "default": "by default"}[m.AddressFrom]
		if from == "" {
			return lint.Label{Span: m.AddressSpan, Text: "the address"}, true
		}
		return lint.Label{Span: m.AddressSpan, Text: "the address, " + from}, true
	}
}

// RouteLabel shows a registration.
func RouteLabel(r *model.Route, text string) func() (lint.Label, bool) {
	return func() (lint.Label, bool) {
		if r == nil || r.Span.IsZero() {
			return lint.Label{}, false
		}
		return lint.Label{Span: r.Span, Text: text}, true
	}
}
