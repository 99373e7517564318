package manifest

import (
	yaml "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/probelint/probelint/internal/model"
)

// timings are the timing fields of a probe in the order of the API, with what an absent field or an explicit 0 becomes
// (SEMANTICS.md K1).
var timings = []struct {
	name    string
	Default int32
	of      func(*corev1.Probe) int32
	set     func(*model.Probe) *int
}{
	{"initialDelaySeconds", 0, func(p *corev1.Probe) int32 { return p.InitialDelaySeconds }, func(p *model.Probe) *int { return &p.InitialDelaySeconds }},
	{"timeoutSeconds", 1, func(p *corev1.Probe) int32 { return p.TimeoutSeconds }, func(p *model.Probe) *int { return &p.TimeoutSeconds }},
	{"periodSeconds", 10, func(p *corev1.Probe) int32 { return p.PeriodSeconds }, func(p *model.Probe) *int { return &p.PeriodSeconds }},
	{"successThreshold", 1, func(p *corev1.Probe) int32 { return p.SuccessThreshold }, func(p *model.Probe) *int { return &p.SuccessThreshold }},
	{"failureThreshold", 3, func(p *corev1.Probe) int32 { return p.FailureThreshold }, func(p *model.Probe) *int { return &p.FailureThreshold }},
}

const graceField = "terminationGracePeriodSeconds"

// handlers are the handlers of a probe in the order in which the API server looks at them.
var handlers = []model.ProbeKind{model.Exec, model.HTTPGet, model.TCPSocket, model.GRPC}

// probe makes one probe of a container. Only problems of this probe are given, their paths below it. It is nil where the
// whole probe is a placeholder.
func (b *builder) probe(c *model.Container, typed *corev1.Container, role model.Role, key, value *yaml.Node, problems []problem) *model.Probe {
	doc := b.o.doc
	p := &model.Probe{
		ID: c.ID + "/" + string(role), Role: role, File: b.w.File, Span: doc.keySpan(key), Fields: make(model.Fields, 8), Declared: []string{},
	}
	p.File, p.Line = p.Span.File, p.Span.Line
	t := map[model.Role]*corev1.Probe{model.Liveness: typed.LivenessProbe, model.Readiness: typed.ReadinessProbe, model.Startup: typed.StartupProbe}[role]
	if t == nil {
		t = new(corev1.Probe)
	}
	doc.probeFields(p.Fields, value)
	for _, pr := range problems {
		if pr.kind == placeholder {
			if pr.path == "" {
				pr.path = role.Key()
			}
			p.Unknown = append(p.Unknown, pr.path)
		}
	}
	for _, f := range timings {
		v := f.of(t)
		if v <= 0 {
			v = f.Default
		}
		*f.set(p) = int(v)
		if written(value, f.name) {
			p.Declared = append(p.Declared, f.name)
		}
	}
	if written(value, graceField) {
		p.Declared = append(p.Declared, graceField)
		p.TerminationGracePeriodSeconds = t.TerminationGracePeriodSeconds
	}
	b.target(p, c, typed, t, value)
	b.validate(p, c, t, value, problems)
	return p
}

// written reports whether a field is there with a value; an explicit null counts as absent for the API server.
func written(n *yaml.Node, name string) bool {
	_, v := get(n, name)
	return v != nil && !isNull(v)
}

// target fills in the kind and what is asked.
func (b *builder) target(p *model.Probe, c *model.Container, typed *corev1.Container, t *corev1.Probe, value *yaml.Node) {
	for _, h := range handlers {
		if written(value, string(h)) {
			p.Kind = h
			break
		}
	}
	switch {
	case p.Kind == model.HTTPGet && t.HTTPGet != nil:
		g := t.HTTPGet
		p.Target = model.Target{Scheme: string(g.Scheme), Host: g.Host, Path: g.Path}
		for _, h := range g.HTTPHeaders {
			p.Target.Headers = append(p.Target.Headers, model.Header{Name: h.Name, Value: h.Value})
		}
		b.port(p, c, g.Port)
	case p.Kind == model.TCPSocket && t.TCPSocket != nil:
		p.Target = model.Target{Host: t.TCPSocket.Host}
		b.port(p, c, t.TCPSocket.Port)
	case p.Kind == model.GRPC && t.GRPC != nil:
		p.Target = model.Target{Port: int(t.GRPC.Port)}
		if t.GRPC.Service != nil {
			p.Target.Service = *t.GRPC.Service
		}
	case p.Kind == model.Exec && t.Exec != nil:
		p.Target = model.Target{Command: expandStatic(t.Exec.Command, typed.Env)}
	case b.knative() && p.Kind == model.KindNone && b.o.doc != nil:
		// Knative probes the container's port where no handler is written.
		p.Kind = model.TCPSocket
		b.port(p, c, intstr.IntOrString{})
	}
	if p.Kind == model.HTTPGet {
		if p.Target.Path == "" {
			p.Target.Path = "/"
		}
		if p.Target.Scheme == "" {
			p.Target.Scheme = string(corev1.URISchemeHTTP)
		}
	}
}

// port resolves a port as the kubelet does: a name is looked for among the ports of the probe's own container alone.
func (b *builder) port(p *model.Probe, c *model.Container, port intstr.IntOrString) {
	if port.Type == intstr.String {
		p.Target.PortName = port.StrVal
		for _, cp := range c.Ports {
			if cp.Name == port.StrVal {
				p.Target.Port = cp.Port
				break
			}
		}
		return
	}
	p.Target.Port = int(port.IntVal)
	if p.Target.Port == 0 && b.knative() && !p.IsUnknown(string(p.Kind)+".port") {
		p.Target.Port = 8080
		if len(c.Ports) > 0 {
			p.Target.Port = c.Ports[0].Port
		}
	}
}

// knative reports whether Knative fills in what the probe leaves out.
func (b *builder) knative() bool { return within(b.o.group(), "knative.dev") }
