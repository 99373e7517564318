package lint

import (
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

// What rules about handlers say about both sides, so that it is said in the same words everywhere.

// Path is what the probe asks, without a query: "/readyz"; the gRPC service or the route where there is no path.
func (p *Pass) Path() string {
	if p.Probe != nil {
		t := p.Probe.Target
		switch {
		case p.Probe.Kind == model.GRPC && t.Service != "":
			return t.Service
		case p.Probe.Kind == model.GRPC:
			return "Health/Check"
		case t.Path != "":
			path, _, _ := strings.Cut(t.Path, "?")
			return path
		}
	}
	if p.Endpoint == nil {
		return ""
	}
	if p.Endpoint.Route != "" {
		return p.Endpoint.Route
	}
	return ShortCall(p.Endpoint.Symbol)
}

// Subject is whose probe it is: "liveness probe of `checkout`", or the path alone where there is no manifest.
func (p *Pass) Subject() string {
	if p.Workload == nil || p.Probe == nil || p.Probe.Guessed {
		return Quote(p.Path())
	}
	return fmt.Sprintf("%s probe of %s", p.Probe.Role, Named(p.Workload))
}

// TargetSpan is the smallest place in the manifest that says what the probe asks, zero where there is no manifest.
func (p *Pass) TargetSpan() model.Span {
	pr := p.Probe
	if pr == nil || pr.Guessed {
		return model.Span{}
	}
	for _, path := range []string{"httpGet.path", "grpc.service", "tcpSocket.port", "exec.command"} {
		if f, ok := pr.Fields[path]; ok {
			return f.Value
		}
	}
	for _, path := range []string{"grpc.port", "httpGet", "grpc", "tcpSocket", "exec"} {
		if f, ok := pr.Fields[path]; ok {
			return f.Key
		}
	}
	return pr.Span
}

// FieldSpan covers a written field of the probe, key and value; ok is false where it was left to its default.
func (p *Pass) FieldSpan(name string) (span model.Span, ok bool) {
	if p.Probe == nil || p.Probe.Guessed {
		return model.Span{}, false
	}
	f, ok := p.Probe.Fields[name]
	if !ok {
		return model.Span{}, false
	}
	span = f.Key
	if f.Value.File == span.File && f.Value.End > span.End {
		span.End = f.Value.End
	}
	return span, true
}

// Outage is the window from the fault of dependencies to the verdict; where none are given, of those that can fail the probe.
// ok is false where the timings are not known.
func (p *Pass) Outage(deps ...*model.Dependency) (o kubelet.Outage, ok bool) {
	if p.Probe == nil || p.Probe.Guessed || p.UnknownTimings() {
		return kubelet.Outage{}, false
	}
	t := kubelet.TimingOf(p.Probe)
	if len(deps) == 0 && p.Endpoint != nil {
		for _, d := range p.Endpoint.Dependencies {
			if !d.AfterAnswer && (d.Gates || WaitOf(d, float64(t.Timeout)) != WaitsNot) {
				deps = append(deps, d)
			}
		}
	}
	return t.Outage(p.Endpoint, deps...), true
}

// OutageLabel is DetectLabel for an outage of dependencies, as Outage has it.
func (p *Pass) OutageLabel(deps ...*model.Dependency) func() (Label, bool) {
	return func() (Label, bool) {
		out, ok := p.Outage(deps...)
		if !ok {
			return Label{}, false
		}
		return p.detectLabel(out)
	}
}

// DetectLabel shows the line of the thresholds with what they mean for a fault of the instance itself: from an error at once
// to a hang. ok is false where the timings are not known.
func (p *Pass) DetectLabel() (Label, bool) {
	if p.Probe == nil || p.Probe.Guessed || p.UnknownTimings() {
		return Label{}, false
	}
	return p.detectLabel(kubelet.TimingOf(p.Probe).Outage(nil))
}

func (p *Pass) detectLabel(out kubelet.Outage) (Label, bool) {
	pr := p.Probe
	t, window := kubelet.TimingOf(pr), kubelet.Span(out.Span())
	verdict := map[model.Role]string{model.Liveness: "restarted", model.Readiness: "out of rotation", model.Startup: "restarted"}[pr.Role]
	failures := Count(t.FailureThreshold, "failure")
	span, ok := p.FieldSpan("failureThreshold")
	if !ok {
		if span, ok = p.FieldSpan("periodSeconds"); !ok {
			span = pr.Span
		}
	}
	apart := ""
	if t.FailureThreshold > 1 {
		apart = ", " + kubelet.Seconds(float64(t.Period)) + " apart"
	}
	return Label{Span: span, Text: FirstFit(
		fmt.Sprintf("%s%s: %s %s into an outage", failures, apart, verdict, window),
		fmt.Sprintf("%s %s into an outage", verdict, window),
	)}, !span.IsZero()
}

// UnknownTimings reports whether a timing that windows need could not be read.
func (p *Pass) UnknownTimings() bool {
	for _, f := range []string{"periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold"} {
		if p.Probe.IsUnknown(f) {
			return true
		}
	}
	return false
}

// TimeoutLabel shows where the kubelet's patience is written, or the target where it is the default.
func (p *Pass) TimeoutLabel() (Label, bool) {
	if p.Probe == nil || p.Probe.Guessed || p.Probe.IsUnknown("timeoutSeconds") {
		return Label{}, false
	}
	t := kubelet.Seconds(float64(kubelet.TimingOf(p.Probe).Timeout))
	if span, ok := p.FieldSpan("timeoutSeconds"); ok {
		return Label{Span: span, Text: "the kubelet gives up after " + t}, true
	}
	span := p.Probe.Span
	return Label{Span: span, Text: "no `timeoutSeconds`: the kubelet gives up after " + t}, !span.IsZero()
}

// AskedLabel shows the manifest's side of a finding about code: who asks, and how often.
func (p *Pass) AskedLabel() (Label, bool) {
	span := p.TargetSpan()
	if span.IsZero() {
		return Label{}, false
	}
	text := fmt.Sprintf("%s asks this", p.Probe.Role)
	if !p.Probe.IsUnknown("periodSeconds") {
		text += " every " + kubelet.Seconds(float64(kubelet.TimingOf(p.Probe).Period))
	}
	return Label{Span: span, Text: text}, true
}

// TargetLabel shows what the manifest asks, without the interval.
func (p *Pass) TargetLabel() (Label, bool) {
	span := p.TargetSpan()
	if span.IsZero() {
		return Label{}, false
	}
	return Label{Span: span, Text: fmt.Sprintf("asked by the %s probe", p.Probe.Role)}, true
}

// ServedLabel shows the registration of the handler.
func (p *Pass) ServedLabel() (Label, bool) {
	e := p.Endpoint
	if e == nil || e.Registration.IsZero() {
		return Label{}, false
	}
	text := "served here"
	if p.Probe != nil && !p.Probe.Guessed {
		text = "same path, served here"
		if p.Probe.Kind == model.GRPC {
			text = "answered here"
		}
		if p.Probe.Target.Port > 0 && (p.Probe.Server == nil || p.Probe.Server.Address != "") {
			text += fmt.Sprintf(" on port %d", p.Probe.Target.Port)
		}
	}
	return Label{Span: e.Registration, Text: text}, true
}

// ViaLabels show the calls that lead from the handler to a dependency, at most three: the handler's own and the last ones.
// The frames of middleware in front of the handler say nothing of the way to the call.
func (p *Pass) ViaLabels(d *model.Dependency) []Label {
	via := d.Via
	for i, f := range via {
		if p.Endpoint != nil && f.Symbol == p.Endpoint.Symbol {
			via = via[i:]
			break
		}
	}
	frames := make([]model.Frame, 0, len(via))
	for _, f := range via {
		if !f.Span.IsZero() && f.Span != d.Span {
			frames = append(frames, f)
		}
	}
	if len(frames) > 3 {
		frames = append(frames[:1:1], frames[len(frames)-2:]...)
	}
	var labels []Label
	for _, f := range frames {
		labels = append(labels, Label{Span: f.Span, Text: Text("leads to %s", Quote(ShortCall(d.Call)))})
	}
	return labels
}

// Labels collects those labels that are there.
func Labels(of ...func() (Label, bool)) []Label {
	var labels []Label
	for _, f := range of {
		if l, ok := f(); ok {
			labels = append(labels, l)
		}
	}
	return labels
}

// CauseAt is the Cause of a finding about one place in the code: all probes that lead there are one finding.
func CauseAt(s model.Span) string { return fmt.Sprintf("%s:%d-%d", s.File, s.Start, s.End) }

// InCode is the Identity of a finding about code: the handler's or enclosing function's symbol and what in it. The file counts only
// where the code has no symbol, so that moved code stays known.
func (p *Pass) InCode(what ...string) []string {
	if p.Endpoint.Symbol == "" {
		return append([]string{"file", p.Endpoint.File}, what...)
	}
	return append([]string{"go", p.Endpoint.Symbol}, what...)
}

// DependencyName is what people call a dependency: "PostgreSQL", "the SQL database"; of one that has only a protocol
// "`catalog`" where its address is known, or else "an HTTP service".
func DependencyName(d *model.Dependency) string {
	name := d.Name
	if name == "" {
		return Quote(ShortCall(d.Call))
	}
	switch name[strings.LastIndexByte(name, ' ')+1:] {
	case "service", "server", "endpoint", "host", "process":
		if host := HostOf(d.Target); host != "" {
			return Quote(host)
		}
		return article(name) + " " + name
	case "database", "storage", "queue", "broker", "provider", "API":
		return "the " + name
	}
	return name
}

// article is "an" before a vowel, and before a letter of an abbreviation that is spoken with one.
func article(name string) string {
	vowels := "AEIOUaeiou"
	if len(name) > 1 && name[1] >= 'A' && name[1] <= 'Z' {
		vowels = "AEFHILMNORSX"
	}
	if strings.IndexByte(vowels, name[0]) >= 0 {
		return "an"
	}
	return "a"
}

// HostOf is the host of a target, which is a URL or host:port; "" where it is not known.
func HostOf(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok {
		target = rest
	}
	if i := strings.IndexAny(target, "/?#"); i >= 0 {
		target = target[:i]
	}
	if i := strings.LastIndex(target, "@"); i >= 0 {
		target = target[i+1:]
	}
	if i := strings.LastIndex(target, ":"); i >= 0 && !strings.Contains(target[i:], "]") {
		target = target[:i]
	}
	if strings.Contains(target, "...") { // a part of which nothing is known
		return ""
	}
	return target
}

// DependencyNames are the names of several without repetition, in order.
func DependencyNames(deps []*model.Dependency) []string {
	var names []string
	seen := map[string]bool{}
	for _, d := range deps {
		if n := DependencyName(d); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}

// Names lists names in a sentence, the third and further ones as a count, so that a title stays a title.
func Names(names []string, join func([]string) string) string {
	if len(names) > 2 {
		names = []string{names[0], fmt.Sprintf("%d others", len(names)-1)}
	}
	return join(names)
}

// AnyOf ends a title with names each of which is enough for the verb: "... A or B fails", "... A or 2 others fail", and
// where that is too long "... any of 3 dependencies fails". one and many are the verb.
func AnyOf(before string, names []string, one, many string) string {
	verb := one
	if len(names) > 2 {
		verb = many
	}
	texts := []string{before + " " + Names(names, Or) + " " + verb}
	if len(names) > 1 {
		texts = append(texts, fmt.Sprintf("%s any of %d dependencies %s", before, len(names), one))
	}
	return FirstTitle(texts...)
}

// LinkCertainty is how sure the link from the probe to the endpoint is. An absent certainty is proven.
func (p *Pass) LinkCertainty() model.Certainty {
	if p.Probe == nil || p.Probe.Guessed {
		return model.Guessed
	}
	if p.Probe.Certainty == "" {
		return model.Proven
	}
	return p.Probe.Certainty
}

// Weaker is the less certain of several; an absent one counts as proven.
func Weaker(of ...model.Certainty) model.Certainty {
	worst := model.Proven
	for _, c := range of {
		if c == model.Guessed || c == model.Likely && worst == model.Proven {
			worst = c
		}
	}
	return worst
}

// Lowered is the level of a finding whose certainty is c: an error that rests on an inference is a warning, one that rests
// on a convention alone is info.
func Lowered(l Level, c model.Certainty) Level {
	switch c {
	case model.Likely:
		return min(l, Warning)
	case model.Guessed:
		return min(l, Info)
	}
	return l
}

// Absence is the level and certainty of a finding that says what an endpoint does not do (DESIGN.md, "Which Go is read"):
// info wherever a call could not be followed or the link is not proven; the note names what stopped the analysis.
func (p *Pass) Absence(l Level) (level Level, certainty model.Certainty, note string) {
	certainty = p.LinkCertainty()
	if certainty != model.Proven {
		l = min(l, Info)
	}
	if e := p.Endpoint; e != nil && len(e.Unfollowed) > 0 {
		u := e.Unfollowed[0]
		note = fmt.Sprintf("%s was not followed: %s", Quote(ShortCall(u.Call)), u.Why)
		certainty = Weaker(certainty, model.Likely)
		l = min(l, Info)
	}
	return l, certainty, note
}

// Waits says how a dependency can hold up the verdict.
type Waits uint8

// WaitsNot: it is over before the kubelet gives up, or holds up nothing. WaitsMaybe: its bound is not known. WaitsLong: it
// can wait until the kubelet gives up.
const (
	WaitsNot Waits = iota
	WaitsMaybe
	WaitsLong
)

// WaitOf judges one call against the probe's timeout (seconds).
func WaitOf(d *model.Dependency, timeout float64) Waits {
	if d.AfterAnswer || d.Mode == "detached" {
		return WaitsNot
	}
	switch d.Bound {
	case model.BoundNone, model.BoundRequest, model.BoundAnswer:
		return WaitsLong
	}
	if d.Deadline != nil && d.Deadline.Known {
		if d.Deadline.Seconds >= timeout {
			return WaitsLong
		}
		return WaitsNot
	}
	return WaitsMaybe
}

// Suggested is a deadline that fits below a timeout with room for the rest of the answer, as Go writes it: "800ms",
// "1600ms" and "4s" below 1, 2 and 5 seconds.
func Suggested(timeout float64) string {
	ms := int(timeout*800 + 0.5)
	if ms%1000 == 0 {
		return fmt.Sprintf("%ds", ms/1000)
	}
	return fmt.Sprintf("%dms", ms)
}
