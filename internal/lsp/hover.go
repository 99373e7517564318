package lsp

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// asked is a probe with where it stands.
type asked struct {
	workload  *model.Workload
	container *model.Container
	probe     *model.Probe
}

// probes calls do for every probe of the result.
func (a at) probes(do func(asked)) {
	for _, w := range a.result.Workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				do(asked{w, c, p})
			}
		}
	}
}

// probeAt is the probe whose key, or any field of which, stands at an offset.
func (a at) probeAt(off int) (found asked, ok bool) {
	a.probes(func(x asked) {
		if ok {
			return
		}
		if overlaps(x.probe.Span, a.file, off, off) {
			found, ok = x, true
			return
		}
		for _, f := range x.probe.Fields {
			if overlaps(f.Key, a.file, off, off) || overlaps(f.Value, a.file, off, off) {
				found, ok = x, true
				return
			}
		}
	})
	return found, ok
}

// handlerAt are the probes that are answered by the handler whose name, or whose registration, stands at an offset.
func (a at) handlerAt(off int) []asked {
	line := strings.Count(a.text[:off], "\n") + 1
	var out []asked
	a.probes(func(x asked) {
		e := x.probe.Endpoint
		if e != nil && (e.File == a.file && e.Line == line || overlaps(e.Registration, a.file, off, off)) {
			out = append(out, x)
		}
	})
	return out
}

// Hover says of a probe what the kubelet will do and what answers, and of a handler who asks it.
func (s *server) Hover(_ context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	a, ok := s.find(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	off := offset(a.text, p.Position)
	var text string
	if x, ok := a.probeAt(off); ok {
		text = describeProbe(x)
	} else if xs := a.handlerAt(off); len(xs) > 0 {
		text = describeHandler(xs)
	} else {
		return nil, nil
	}
	return &protocol.Hover{Contents: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}}, nil
}

func describeProbe(x asked) string {
	p := x.probe
	var b strings.Builder
	fmt.Fprintf(&b, "**%s probe** of `%s`, container `%s`\n\n", p.Role, x.workload.Ref(), x.container.Name)
	verdict := "out of rotation"
	if p.Role != model.Readiness {
		verdict = "restarted"
	}
	if w := p.Windows; w != nil {
		switch {
		case w.Never != "":
			fmt.Fprintf(&b, "- no attempt counts: %s\n", w.Never)
		case w.Detect != nil:
			fmt.Fprintf(&b, "- %s %s after it begins to fail, %s after it begins to hang\n", verdict, kubelet.Span(w.Detect.Fast), kubelet.Span(w.Detect.Hang))
		}
		if w.Boot != nil {
			fmt.Fprintf(&b, "- a start may take %s\n", kubelet.Span(*w.Boot))
		}
		if w.Recover != nil {
			fmt.Fprintf(&b, "- back in rotation %s after it recovers\n", kubelet.Span(*w.Recover))
		}
	}
	e := p.Endpoint
	if e == nil {
		if p.Reason != "" {
			fmt.Fprintf(&b, "- not joined with code: %s\n", p.Reason)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "- answered by `%s` (%s:%d)\n", e.Symbol, e.File, e.Line)
	describeEndpoint(&b, e)
	return b.String()
}

func describeEndpoint(b *strings.Builder, e *model.Endpoint) {
	if e.Budget != nil {
		takes := "at least " + kubelet.Seconds(e.Budget.Lower)
		if e.Budget.Upper != nil {
			takes = "up to " + kubelet.Seconds(*e.Budget.Upper)
		}
		fmt.Fprintf(b, "- takes %s by its deadlines\n", takes)
	}
	for _, d := range e.Dependencies {
		if d.Scope != model.External {
			continue
		}
		decides := "reports it only"
		switch {
		case d.FailsOpen:
			decides = "fails by its answer"
		case d.Gates:
			decides = "fails with it"
		}
		deadline := "no deadline"
		switch {
		case d.Deadline != nil && d.Deadline.Known:
			deadline = "deadline " + kubelet.Seconds(d.Deadline.Seconds)
		case d.Bound != model.BoundNone && d.Bound != model.BoundRequest:
			deadline = "a deadline of unknown length"
		}
		fmt.Fprintf(b, "- asks %s: %s, %s (%s:%d)\n", lint.DependencyName(d), decides, deadline, d.File, d.Line)
	}
	if e.Answer.Static {
		fmt.Fprintf(b, "- one answer whatever the state\n")
	}
	for _, u := range e.Unfollowed {
		fmt.Fprintf(b, "- not followed: `%s`, %s\n", lint.ShortCall(u.Call), u.Why)
	}
}

func describeHandler(xs []asked) string {
	var b strings.Builder
	b.WriteString("**health handler**, asked by\n\n")
	for _, x := range xs {
		p := x.probe
		t := kubelet.TimingOf(p)
		fmt.Fprintf(&b, "- the %s probe of `%s`, container `%s`: every %s, answer within %s (%s:%d)\n",
			p.Role, x.workload.Ref(), x.container.Name, kubelet.Seconds(float64(t.Period)), kubelet.Seconds(float64(t.Timeout)), p.File, p.Line)
	}
	b.WriteString("\n")
	describeEndpoint(&b, xs[0].probe.Endpoint)
	return b.String()
}

// Definition leads from a probe to the handler that answers it, and from a handler to the probes that ask it.
func (s *server) Definition(_ context.Context, p *protocol.DefinitionParams) (protocol.DefinitionResult, error) {
	a, ok := s.find(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	off := offset(a.text, p.Position)
	var out protocol.LocationSlice
	add := func(span model.Span) {
		if loc, ok := location(a.result, span); ok {
			out = append(out, loc)
		}
	}
	if x, ok := a.probeAt(off); ok {
		if e := x.probe.Endpoint; e != nil {
			add(e.Span)
		}
	} else {
		for _, x := range a.handlerAt(off) {
			add(x.probe.Span)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}
