// Package timeline draws what the numbers of a probe mean: how long a container may start, how long a fault goes unseen, what
// happens when a pod is stopped, and for a dependency that several replicas share, when the first and the last of them leaves.
// Every figure is computed in package kubelet; here it becomes lanes, which the writers draw as text and as SVG.
package timeline

import (
	"fmt"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
)

// Document is all that is drawn of a run.
type Document struct {
	Containers []Container
	Fleet      []Section // a dependency each
}

// Container is one container of a workload.
type Container struct {
	Workload, Name, File string
	Line                 int
	Sections             []Section
}

// Section is one drawing: lanes over one scale of seconds.
type Section struct {
	// Title names what happens, About what was read for it. Legend is how the parts of its lanes are to be read.
	Title, About string
	Lanes        []Lane
	Notes        []string
}

// Lane is one line of a drawing. Text says in words what it shows.
type Lane struct {
	Name, Text string
	Parts      []Part
	Marks      []Mark
}

// Part is a stretch of a lane, in seconds.
type Part struct {
	From, To float64
	Kind     Kind
}

// Mark is a moment on a lane.
type Mark struct {
	At   float64
	Name string
}

// Kind is what a part means.
type Kind int

// The kinds. Before: nothing has happened for certain. May: it happens in here. Naive: the product that people compute. Takes: the pod
// takes new connections; Ends: it ends what it has. Sent: others still send to it.
const (
	Before Kind = iota
	May
	Naive
	Takes
	Ends
	Sent
)

// kinds are the glyph of the text, the class in SVG, and the legend of each kind.
var kinds = [...]struct {
	glyph         byte
	class, legend string
}{
	Before: {'-', "before", "not yet"},
	May:    {'=', "may", "it happens in here"},
	Naive:  {'.', "naive", "failureThreshold x periodSeconds"},
	Takes:  {'+', "takes", "takes connections"},
	Ends:   {'#', "ends", "ends open requests"},
	Sent:   {'~', "sent", "others still send"},
}

// Max is the end of a section's scale in seconds, at least 1.
func (s *Section) Max() float64 {
	m := 1.0
	for _, l := range s.Lanes {
		for _, p := range l.Parts {
			m = max(m, p.To)
		}
		for _, k := range l.Marks {
			m = max(m, k.At)
		}
	}
	return m
}

// Build computes the drawings of all containers that live as long as their pod, and of the dependencies that their probes share.
func Build(workloads []*model.Workload) *Document {
	d := &Document{}
	for _, w := range workloads {
		for _, c := range w.Containers {
			if c.Kind == model.Init || c.Kind == model.Ephemeral {
				continue
			}
			out := Container{Workload: w.Ref(), Name: c.Name, File: w.File, Line: lineOf(w, c)}
			out.Sections = append(out.Sections, startup(c)...)
			for _, p := range c.Probes {
				out.Sections = append(out.Sections, fault(w, c, p)...)
			}
			if s, ok := shutdown(w, c); ok {
				out.Sections = append(out.Sections, s)
			}
			d.Containers = append(d.Containers, out)
		}
	}
	d.Fleet = fleets(workloads)
	d.clean()
	return d
}

// clean takes out of every word what an input could have smuggled in.
func (d *Document) clean() {
	for i := range d.Containers {
		c := &d.Containers[i]
		c.Workload, c.Name, c.File = report.Printable(c.Workload), report.Printable(c.Name), report.Printable(c.File)
	}
	for s := range d.sections {
		s.Title, s.About = report.Printable(s.Title), report.Printable(s.About)
		for i := range s.Lanes {
			s.Lanes[i].Name, s.Lanes[i].Text = report.Printable(s.Lanes[i].Name), report.Printable(s.Lanes[i].Text)
		}
		for i := range s.Notes {
			s.Notes[i] = report.Printable(s.Notes[i])
		}
	}
}

func lineOf(w *model.Workload, c *model.Container) int {
	if c.Span.File == w.File && c.Span.Line > 0 {
		return c.Span.Line
	}
	return w.Line
}

// window is a lane whose event falls between two moments.
func window(name string, r model.Range, text string) Lane {
	return Lane{Name: name, Text: text, Parts: []Part{{0, r.Best, Before}, {r.Best, r.Worst, May}}}
}

// naive is the lane of the product beside the truth.
func naive(t kubelet.Timing) Lane {
	n := t.Naive()
	return Lane{
		Name:  fmt.Sprintf("%d x %s", t.FailureThreshold, kubelet.Seconds(float64(t.Period))),
		Text:  kubelet.Seconds(n) + " is what the product says",
		Parts: []Part{{0, n, Naive}},
	}
}

// asked is a probe's own timing in words.
func asked(p *model.Probe) string {
	t := kubelet.TimingOf(p)
	s := fmt.Sprintf("every %s, timeout %s, %s", kubelet.Seconds(float64(t.Period)), kubelet.Seconds(float64(t.Timeout)), count(t.FailureThreshold, "failure"))
	if t.SuccessThreshold > 1 {
		s += ", " + count(t.SuccessThreshold, "success")
	}
	if t.InitialDelay > 0 {
		s += ", delay " + kubelet.Seconds(float64(t.InitialDelay))
	}
	return s
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case what == "success":
		return fmt.Sprintf("%d successes", n)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// silent is the section of a probe that has no window, with the reason; ok is false where it has one.
func silent(p *model.Probe, title string) (Section, bool) {
	s := Section{Title: title}
	switch {
	case p.Kind == model.KindNone:
		s.Notes = []string{"the probe has no handler: the API server rejects it"}
	case kubelet.Never(p) != "":
		s.Notes = []string{kubelet.Never(p) + verdictless[p.Role]}
	case p.IsUnknown("periodSeconds") || p.IsUnknown("failureThreshold") || p.IsUnknown("timeoutSeconds"):
		s.Notes = []string{"a timing of the probe is a placeholder: no window is known"}
	default:
		return s, false
	}
	return s, true
}

var verdictless = map[model.Role]string{
	model.Liveness:  "; liveness never fails",
	model.Readiness: "; readiness stays what it was, and at birth that is not ready",
	model.Startup:   "; startup never ends, so liveness and readiness are never asked",
}

// startup is how long the container may start, where a startup probe or a liveness probe without one decides that, and when it
// counts as ready.
func startup(c *model.Container) []Section {
	limit := c.Probe(model.Startup)
	if limit == nil {
		limit = c.Probe(model.Liveness)
	}
	var out []Section
	if limit != nil {
		if s, ok := silent(limit, "start-up"); ok {
			if limit.Role == model.Startup { // of a liveness probe its own section says it
				out = append(out, s)
			}
			limit = nil
		}
	}
	s := Section{Title: "start-up"}
	if limit != nil && !limit.IsUnknown("initialDelaySeconds") {
		t := kubelet.TimingOf(limit)
		s.About = fmt.Sprintf("%s probe, %s", limit.Role, asked(limit))
		refused, hangs := t.Boot(), t.BootHang()
		s.Lanes = append(
			s.Lanes,
			window("refuses", refused, fmt.Sprintf("killed %s after its start if not up", kubelet.Span(refused))),
			window("hangs", hangs, fmt.Sprintf("killed %s after its start if not up", kubelet.Span(hangs))),
			naive(t),
		)
		if limit.Role == model.Startup {
			first := t.FirstProbe(model.Startup)
			s.Lanes = append(s.Lanes, window("up at once", first, "counts as started after "+kubelet.Span(first)))
			s.Notes = append(s.Notes, "liveness and readiness are asked from then on")
		}
	}
	if p := c.Probe(model.Readiness); p != nil && c.Probe(model.Startup) == nil && known(p, "initialDelaySeconds", "successThreshold") {
		t := kubelet.TimingOf(p)
		more := float64((t.SuccessThreshold - 1) * t.Period)
		first := t.FirstProbe(model.Readiness)
		ready := model.Range{Best: first.Best + more, Worst: first.Worst + more}
		s.Lanes = append(s.Lanes, window("ready", ready, "ready "+kubelet.Span(ready)+" after the start if up at once"))
	}
	if len(s.Lanes) == 0 {
		return out
	}
	return append(out, s)
}

func known(p *model.Probe, fields ...string) bool {
	if p.Kind == model.KindNone || kubelet.Never(p) != "" || p.IsUnknown("periodSeconds") {
		return false
	}
	for _, f := range fields {
		if p.IsUnknown(f) {
			return false
		}
	}
	return true
}

// fault is the time from a fault to the verdict, and what follows it.
func fault(w *model.Workload, c *model.Container, p *model.Probe) []Section {
	if p.Role == model.Startup { // never asked again after its first success: there is no fault for it to detect
		return nil
	}
	title := fmt.Sprintf("fault to %s", map[model.Role]string{model.Liveness: "restart", model.Readiness: "out of rotation"}[p.Role])
	if s, ok := silent(p, title); ok {
		return []Section{s}
	}
	t := kubelet.TimingOf(p)
	fast, hang := t.DetectFast(), t.DetectHang()
	s := Section{Title: title, About: fmt.Sprintf("%s probe, %s", p.Role, asked(p))}
	verdict := map[model.Role]string{model.Liveness: "restarted", model.Readiness: "out of rotation"}[p.Role]
	s.Lanes = append(
		s.Lanes,
		window("refuses", fast, fmt.Sprintf("%s %s into the fault", verdict, kubelet.Span(fast))),
		window("hangs", hang, fmt.Sprintf("%s %s into the fault", verdict, kubelet.Span(hang))),
		naive(t),
	)
	if p.Role == model.Liveness {
		s.Lanes = append(s.Lanes, gone(w, c, p, hang))
		return []Section{s}
	}
	if known(p, "successThreshold") {
		back := t.Recover()
		s.Lanes = append(s.Lanes, window("recovers", back, "ready again "+kubelet.Span(back)+" after it healed"))
	}
	if delay, front := kubelet.Propagation(w); delay > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s sends new connections for about %s more", front, kubelet.Seconds(delay)))
	}
	if e := p.Endpoint; e != nil && e.Cache != nil && e.Cache.Known && e.Cache.Seconds > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("the answer is stored for %s, which comes on top", kubelet.Seconds(e.Cache.Seconds)))
	}
	return []Section{s}
}

// gone is when the process of a container that hung has ended, which is when its successor starts.
func gone(w *model.Workload, c *model.Container, p *model.Probe, hang model.Range) Lane {
	stop, _, _ := kubelet.ShutdownOf(w, c, nil)
	if p.TerminationGracePeriodSeconds != nil {
		stop.Grace = float64(*p.TerminationGracePeriodSeconds)
	}
	most := stop.StopMax()
	r := model.Range{Best: hang.Best, Worst: hang.Worst + most}
	return window("ends", r, fmt.Sprintf("the hung process ends up to %s later", kubelet.Seconds(most)))
}

// shutdown is what happens after the deletion of the pod.
func shutdown(w *model.Workload, c *model.Container) (Section, bool) {
	stop, hook, code := kubelet.ShutdownOf(w, c, kubelet.ProgramOf(c))
	s := Section{Title: "shutdown", About: "grace period " + kubelet.Seconds(stop.Grace)}
	if !hook {
		s.Notes = []string{"the preStop hook takes a time that is not known"}
		return s, true
	}
	delay, front := kubelet.Propagation(w)
	if delay > 0 {
		s.Lanes = append(s.Lanes, Lane{
			Name: "sent to", Text: fmt.Sprintf("%s sends for about %s", front, kubelet.Seconds(delay)), Parts: []Part{{0, delay, Sent}},
		})
	}
	term := max(0, min(stop.PreStop, stop.Grace)) // the grace period ends a hook too
	kill := term + stop.TermToKill()
	lane := Lane{Name: "process", Marks: []Mark{{term, "SIGTERM"}, {kill, "SIGKILL"}}}
	takes := max(0, min(kill, stop.Drain()))
	lane.Parts = append(lane.Parts, Part{0, takes, Takes})
	if stop.Timeout > 0 {
		lane.Parts = append(lane.Parts, Part{takes, min(kill, takes+stop.Timeout), Ends})
	}
	lane.Text = fmt.Sprintf("SIGTERM at %s, SIGKILL at %s", kubelet.Seconds(term), kubelet.Seconds(kill))
	if stop.PreStop > stop.Grace {
		s.Notes = append(s.Notes, "the grace period ends before the preStop hook of "+kubelet.Seconds(stop.PreStop)+" does")
	}
	s.Lanes = append(s.Lanes, lane)
	switch {
	case !code:
		s.Notes = append(s.Notes, "what the process does after SIGTERM is not known; one that does not handle it ends there")
	case delay > 0 && stop.Refuses(delay):
		s.Notes = append(s.Notes, fmt.Sprintf("connections are refused for up to %s: it takes them for %s and is sent some for %s",
			kubelet.Seconds(delay-stop.Drain()), kubelet.Seconds(stop.Drain()), kubelet.Seconds(delay)))
	case delay > 0:
		s.Notes = append(s.Notes, "no connection is refused: it takes them longer than it is sent some")
	}
	if code && stop.Cuts() {
		s.Notes = append(s.Notes, fmt.Sprintf("SIGKILL cuts requests: the parts take %s of %s", kubelet.Seconds(stop.Needs()), kubelet.Seconds(stop.Grace)))
	}
	return s, true
}
