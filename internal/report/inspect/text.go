package inspect

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

// WriteText writes the model as an indented tree.
func WriteText(w io.Writer, in *Input) error {
	t := &tree{w: bufio.NewWriter(w)}
	for i, wl := range in.Workloads {
		if i > 0 {
			t.line(0, "")
		}
		t.workload(wl)
	}
	if len(in.Programs) > 0 {
		if len(in.Workloads) > 0 {
			t.line(0, "")
		}
		t.line(0, "programs")
		for _, p := range in.Programs {
			t.program(p)
		}
	}
	if len(in.Limits) > 0 {
		t.line(0, "")
		t.line(0, "not read or not followed")
		for _, l := range in.Limits {
			t.line(1, "%s", report.LimitLine(l))
		}
	}
	return t.w.Flush()
}

type tree struct{ w *bufio.Writer }

func (t *tree) line(depth int, format string, args ...any) {
	s := strings.TrimRight(strings.Repeat("  ", depth)+report.Printable(fmt.Sprintf(format, args...)), " ")
	_, _ = t.w.WriteString(s + "\n") // the writer keeps its error until Flush
}

func (t *tree) workload(w *model.Workload) {
	facts := []string{}
	if w.Replicas != nil {
		most := ""
		if w.ReplicasFrom != "" {
			most = "up to "
		}
		facts = append(facts, most+plural(*w.Replicas, "replica"))
	}
	if w.Namespace != "" {
		facts = append(facts, "namespace "+w.Namespace)
	}
	if w.Renderer != "" {
		facts = append(facts, "rendered by "+w.Renderer)
	}
	for _, s := range w.Services {
		facts = append(facts, "service "+s.Name)
	}
	for _, s := range w.Ingresses {
		facts = append(facts, strings.ToLower(s.Kind)+" "+s.Name)
	}
	t.line(0, "%s  %s:%d%s", w.Ref(), w.File, w.Line, tail(facts))
	if len(w.Containers) == 0 {
		t.line(1, "no containers")
	}
	for _, c := range w.Containers {
		facts := []string{}
		if c.Kind != model.Main {
			facts = append(facts, string(c.Kind))
		}
		if c.Image != "" {
			facts = append(facts, "image "+c.Image)
		}
		for _, p := range c.Ports {
			facts = append(facts, strings.TrimSpace("port "+strconv.Itoa(p.Port)+" "+p.Name))
		}
		t.line(1, "container %s%s", c.Name, tail(facts))
		if len(c.Probes) == 0 {
			t.line(2, "no probes")
		}
		for _, p := range c.Probes {
			t.probe(p)
		}
	}
}

func (t *tree) probe(p *model.Probe) {
	t.line(2, "%s  %s  %s:%d", p.Role, Asks(p), p.File, p.Line)
	t.line(3, "timing    %s", timing(p))
	for _, l := range windows(p.Windows) {
		t.line(3, "window    %s", l)
	}
	if e := p.Endpoint; e != nil {
		t.line(3, "answered  %s  %s%s%s", e.Symbol, at(e.File, e.Line), lineRange(e), certain(p.Certainty))
		for _, ev := range p.Evidence {
			t.line(4, "%s", evidence(ev))
		}
		t.endpoint(e)
		return
	}
	for _, ev := range p.Evidence {
		t.line(3, "known     %s", evidence(ev))
	}
	if p.Reason != "" {
		t.line(3, "unlinked  %s", p.Reason)
	}
}

func (t *tree) endpoint(e *model.Endpoint) {
	t.line(3, "answer    %s", answer(e.Answer))
	if b := e.Budget; b != nil {
		t.line(3, "budget    %s", budget(b))
	}
	if c := e.Cache; c != nil {
		t.line(3, "cache     %s", cache(c))
	}
	for _, s := range e.State {
		t.line(3, "state     %s, %s%s%s", s.Name, s.Kind, gates(s.Gates), place(s.File, s.Line))
	}
	for _, w := range e.Wrappers {
		t.line(3, "wrapper   %s%s%s", w.Symbol, statuses(w.Statuses), place(w.File, w.Line))
	}
	if len(e.Dependencies) == 0 {
		t.line(3, "depends   on nothing outside the process%s", asFollowed(e))
	}
	for _, d := range e.Dependencies {
		name := d.Name
		if name == "" {
			name = d.Kind
		}
		if d.Target != "" {
			name += " " + d.Target
		}
		t.line(3, "depends   %s: %s, %s%s, %s%s", name, d.Call, d.Scope, decides(d), bound(d), place(d.File, d.Line))
		for _, f := range d.Via {
			t.line(4, "via %s%s", f.Symbol, place(f.File, f.Line))
		}
	}
	for _, u := range e.Unfollowed {
		t.line(3, "stopped   at %s: %s%s", u.Call, u.Why, place(u.File, u.Line))
	}
}

// decides says whether a dependency turns the status, and how.
func decides(d *model.Dependency) string {
	if d.FailsOpen {
		return ", decides the status by its answer, not by its failure"
	}
	return gates(d.Gates)
}

func (t *tree) program(p *model.Program) {
	t.line(1, "%s  %s", p.Package, p.Dir)
	for _, s := range p.Servers {
		facts := []string{}
		if s.TLS {
			facts = append(facts, "TLS")
		}
		if s.AddressFrom != "" {
			facts = append(facts, "address from "+s.AddressFrom)
		}
		addr := s.Address
		if addr == "" {
			addr = "unknown address"
		}
		kind := s.Kind
		if kind == "" {
			kind = "http"
		}
		t.line(2, "%s server on %s%s", kind, addr, tail(facts))
		for _, r := range s.Routes {
			pattern := strings.TrimSpace(r.Method + " " + r.Host + r.Pattern)
			if r.CatchAll {
				pattern += " (catch-all)"
			}
			t.line(3, "%s  %s%s", pattern, r.Handler, place(r.Span.File, r.Span.Line))
		}
	}
	if s := p.Shutdown; s != nil {
		t.line(2, "shutdown: %s before the listener closes, %s for open requests", seconds(s.Wait), seconds(s.Timeout))
	}
	for _, u := range p.Stopped {
		t.line(2, "stopped at %s: %s%s", u.Call, u.Why, place(u.File, u.Line))
	}
}

func windows(w *model.Windows) []string {
	if w == nil {
		return nil
	}
	if w.Never != "" {
		return []string{"never counts: " + w.Never}
	}
	var out []string
	if d := w.Detect; d != nil {
		out = append(out, fmt.Sprintf("detects a refusal or error in %s, a hang in %s", span(d.Fast), span(d.Hang)))
	}
	if w.Boot != nil {
		out = append(out, fmt.Sprintf("start-up may take %s for certain, %s at most", kubelet.Seconds(w.Boot.Best), kubelet.Seconds(w.Boot.Worst)))
	}
	if w.Recover != nil {
		out = append(out, "recovers in "+span(*w.Recover))
	}
	return out
}

func span(r model.Range) string {
	return kubelet.Seconds(r.Best) + " to " + kubelet.Seconds(r.Worst)
}

func timing(p *model.Probe) string {
	field := func(name, key string, v int) string {
		s := name + " " + strconv.Itoa(v)
		switch {
		case p.IsUnknown(key):
			s = name + " unknown"
			if f, ok := p.Fields[key]; ok && !f.Value.IsZero() {
				s += " (written in line " + strconv.Itoa(f.Value.Line) + ")"
			}
		case !p.IsDeclared(key):
			s += " (default)"
		}
		return s
	}
	parts := []string{
		field("period", "periodSeconds", p.PeriodSeconds), field("timeout", "timeoutSeconds", p.TimeoutSeconds),
		field("failures", "failureThreshold", p.FailureThreshold), field("successes", "successThreshold", p.SuccessThreshold),
	}
	if p.IsDeclared("initialDelaySeconds") {
		parts = append(parts, field("delay", "initialDelaySeconds", p.InitialDelaySeconds))
	}
	return strings.Join(parts, ", ")
}

// Asks is the probe's request in short: `GET http://:8080/healthz`.
func Asks(p *model.Probe) string {
	tg := p.Target
	port := tg.PortName
	if tg.Port != 0 {
		port = strconv.Itoa(tg.Port)
	}
	switch p.Kind {
	case model.HTTPGet:
		return fmt.Sprintf("GET %s://%s:%s%s", strings.ToLower(tg.Scheme), tg.Host, port, tg.Path)
	case model.TCPSocket:
		return fmt.Sprintf("TCP %s:%s", tg.Host, port)
	case model.GRPC:
		return strings.TrimSpace(fmt.Sprintf("gRPC :%s %s", port, tg.Service))
	case model.Exec:
		return "exec " + short(strings.Join(quoted(tg.Command), " "))
	}
	return "no handler"
}

// maxCommand is how many letters of a command are shown; some are whole scripts.
const maxCommand = 120

func short(s string) string {
	if r := []rune(s); len(r) > maxCommand {
		return string(r[:maxCommand]) + "..."
	}
	return s
}

func quoted(args []string) []string {
	return slices.Collect(func(yield func(string) bool) {
		for _, a := range args {
			if a == "" || strings.ContainsAny(a, " \t\n\"'") {
				a = strconv.Quote(a)
			}
			if !yield(a) {
				return
			}
		}
	})
}
