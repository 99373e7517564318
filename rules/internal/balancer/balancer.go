// Package balancer reads the health checks that load balancers in front of a workload do by themselves, from annotations on
// its Services and Ingresses and from GKE's BackendConfig and HealthCheckPolicy. Defaults and units are those of SEMANTICS.md, "Other platforms":
// AWS Load Balancer Controller pkg/ingress/model_builder.go and pkg/service/model_builder.go, ingress-gce
// pkg/translator/healthchecks.go, cloud-provider-azure; of a HealthCheckPolicy those of Compute Engine's healthChecks (interval and timeout 5 s,
// 2 failures, path /).
package balancer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Check is the health check of one load balancer for the pods of one container.
type Check struct {
	// Platform is what checks: "the ALB", "the NLB", "the GKE load balancer", "the Azure load balancer".
	Platform string
	// Path is asked over HTTP, "" where the check is no HTTP check. Default: nobody wrote it, under the name PathKey.
	Path    string
	Default bool
	PathKey string
	// Port is the port of the pod that is asked, 0 where that is not known.
	Port int
	// Codes are the statuses that count as healthy as written ("200-299"), "" where nothing is written.
	Codes string
	// Interval and Timeout are in seconds, Unhealthy is how many failures take an instance out. Interval is 0 where the
	// window is not known.
	Interval, Timeout float64
	Unhealthy         int
	// Object names what holds the setting ("Ingress/shop"); PathSpan, PortSpan, CodesSpan and TimeSpan are where it is
	// written, or else the object's name.
	Object                                  string
	PathSpan, PortSpan, CodesSpan, TimeSpan model.Span
	// Service, Container and Probe are what stands behind it.
	Service   *model.Service
	Container *model.Container
	Probe     *model.Probe
}

// Window is the longest time in seconds that an instance which hangs stays in the balancer's rotation: U·I + T.
func (c Check) Window() float64 { return float64(c.Unhealthy)*c.Interval + c.Timeout }

// settings are annotations of which the nearer one wins.
type settings struct {
	prefix string
	of     []owner
}

type owner struct {
	ref         string
	annotations map[string]string
	fields      model.Fields
	span        model.Span
}

func (s settings) get(key string) (value string, at model.Span, ok bool) {
	for _, o := range s.of {
		if v, ok := o.annotations[s.prefix+key]; ok {
			return strings.TrimSpace(v), o.fields.Value("metadata.annotations."+s.prefix+key, o.span), true
		}
	}
	last := s.of[len(s.of)-1]
	return "", last.span, false
}

// any reports whether one of the annotations is there at all.
func (s settings) any() bool {
	for _, o := range s.of {
		for k := range o.annotations {
			if strings.HasPrefix(k, s.prefix) {
				return true
			}
		}
	}
	return false
}

// number reads a count or seconds; known is false for a text that is none (a placeholder).
func (s settings) number(key string, def float64) (v float64, at model.Span, known bool) {
	text, at, ok := s.get(key)
	if !ok {
		return def, at, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, at, err == nil && v > 0
}

// Checks are those of all balancers in front of a workload for containers that a readiness probe asks over HTTP.
func Checks(w *model.Workload) []Check {
	var out []Check
	for _, s := range w.Services {
		for _, c := range w.Containers {
			pr := c.Probe(model.Readiness)
			if pr == nil || pr.Kind != model.HTTPGet || pr.Rejected() || pr.Target.Host != "" || !selects(w, s, c) {
				continue
			}
			for _, in := range w.Ingresses {
				if slices.Contains(in.Services, s.Name) && in.Kind == "Ingress" {
					out = append(out, alb(in, s)...)
				}
			}
			out = append(out, nlb(s)...)
			out = append(out, azure(s)...)
			out = append(out, gke(s)...)
			for i := range out {
				if out[i].Probe == nil {
					out[i].Service, out[i].Container, out[i].Probe = s, c, pr
				}
			}
		}
	}
	return out
}

// selects reports whether the Service leads to a port of the container: one that it declares, or any where the pod has no
// other container.
func selects(w *model.Workload, s *model.Service, c *model.Container) bool {
	if c.Kind != model.Main && c.Kind != model.Sidecar {
		return false
	}
	for _, sp := range s.Ports {
		for _, cp := range c.Ports {
			if sp.TargetPort != 0 && cp.Port == sp.TargetPort {
				return true
			}
		}
	}
	others := 0
	for _, o := range w.Containers {
		if o.Kind == model.Main || o.Kind == model.Sidecar {
			others++
		}
	}
	return others == 1 && len(s.Ports) > 0
}

// traffic is the pod's port behind a Service with one port, 0 where there are several.
func traffic(s *model.Service) int {
	if len(s.Ports) != 1 {
		return 0
	}
	return s.Ports[0].TargetPort
}

// alb: alb.ingress.kubernetes.io on the Ingress, or on the Service, which wins.
func alb(in *model.Ingress, s *model.Service) []Check {
	a := settings{"alb.ingress.kubernetes.io/", []owner{
		{"Service/" + s.Name, s.Annotations, s.Fields, s.Span}, {"Ingress/" + in.Name, in.Annotations, in.Fields, in.Span},
	}}
	if class := in.Annotations["kubernetes.io/ingress.class"]; !a.any() || class != "" && class != "alb" {
		return nil
	}
	if v, _, _ := a.get("backend-protocol-version"); strings.EqualFold(v, "GRPC") {
		return nil
	}
	target, _, _ := a.get("target-type")
	c := check(a, "the ALB", "Ingress/"+in.Name, s, strings.EqualFold(target, "ip"), "/")
	if v, at, ok := a.get("success-codes"); ok {
		c.Codes, c.CodesSpan = v, at
	}
	c.times(a, "healthcheck-interval-seconds", "healthcheck-timeout-seconds", "unhealthy-threshold-count", 15, 5, 2)
	return []Check{c}
}

// nlb: service.beta.kubernetes.io/aws-load-balancer-* on a Service of type LoadBalancer; TCP unless a protocol is set. With
// externalTrafficPolicy the controller checks the node's own port.
func nlb(s *model.Service) []Check {
	a := settings{"service.beta.kubernetes.io/aws-load-balancer-", []owner{{"Service/" + s.Name, s.Annotations, s.Fields, s.Span}}}
	kind, _, _ := a.get("type")
	if _, local := s.Fields["spec.externalTrafficPolicy"]; s.Type != "LoadBalancer" || !strings.HasPrefix(kind, "nlb") && kind != "external" || local {
		return nil
	}
	target, _, _ := a.get("nlb-target-type")
	protocol, _, _ := a.get("healthcheck-protocol")
	path := ""
	if p := strings.ToLower(protocol); p == "http" || p == "https" {
		path = "/"
	}
	c := check(a, "the NLB", "Service/"+s.Name, s, target == "ip" || kind == "nlb-ip", path)
	if path == "" {
		c.Path = ""
	}
	if v, at, ok := a.get("healthcheck-success-codes"); ok {
		c.Codes, c.CodesSpan = v, at
	}
	c.times(a, "healthcheck-interval", "healthcheck-timeout", "healthcheck-unhealthy-threshold", 10, 10, 3)
	return []Check{c}
}

// check reads what ALB and NLB have in common. A number as the port is the pod's only where the targets are pods.
func check(a settings, platform, object string, s *model.Service, pods bool, path string) Check {
	c := Check{Platform: platform, Object: object, Path: path, Default: true, PathKey: "healthcheck-path", Port: traffic(s)}
	if v, at, ok := a.get("healthcheck-path"); ok {
		c.Path, c.PathSpan, c.Default = v, at, false
	} else {
		c.PathSpan = at
	}
	v, at, ok := a.get("healthcheck-port")
	c.PortSpan = at
	if ok && v != "traffic-port" {
		c.Port = 0
		if n, err := strconv.Atoi(v); err == nil && pods {
			c.Port = n
		}
	}
	return c
}

func (c *Check) times(a settings, interval, timeout, unhealthy string, i, t, u float64) {
	iv, at, ok1 := a.number(interval, i)
	tv, _, ok2 := a.number(timeout, t)
	uv, _, ok3 := a.number(unhealthy, u)
	c.TimeSpan = at
	if ok1 && ok2 && ok3 {
		c.Interval, c.Timeout, c.Unhealthy = iv, tv, int(uv)
	}
}

// azure: a path is asked where one is written, for all ports or for one. The window is 0 where nothing is written: it then
// depends on the version of the provider.
func azure(s *model.Service) []Check {
	if s.Type != "LoadBalancer" {
		return nil
	}
	a := settings{"service.beta.kubernetes.io/", []owner{{"Service/" + s.Name, s.Annotations, s.Fields, s.Span}}}
	c := Check{Platform: "the Azure load balancer", Object: "Service/" + s.Name}
	path, at, ok := a.get("azure-load-balancer-health-probe-request-path")
	for _, sp := range s.Ports {
		if v, pat, found := a.get("port_" + strconv.Itoa(sp.Port) + "_health-probe_request-path"); found {
			path, at, ok = v, pat, true
			c.Port = sp.TargetPort
		}
	}
	interval, iat, written := a.get("azure-load-balancer-health-probe-interval")
	if !ok && !written {
		return nil
	}
	if ok {
		c.Path, c.PathSpan, c.PortSpan = path, at, at
	}
	if n, err := strconv.ParseFloat(interval, 64); err == nil && written {
		count, _, known := a.number("azure-load-balancer-health-probe-num-of-probe", 2)
		if known {
			c.Interval, c.Unhealthy, c.TimeSpan = n, int(count), iat
		}
	}
	return []Check{c}
}

// gke: BackendConfig and HealthCheckPolicy. A path that is not written is taken from the probe in the former, and is / in the
// latter. Ports from 30000 on are those of nodes.
func gke(s *model.Service) []Check {
	var out []Check
	for _, b := range s.BackendConfigs {
		at := func(field string) model.Span { return b.Fields.Value(b.TargetFields+"."+field, b.Span) }
		c := Check{
			Platform: "the GKE load balancer", Object: b.Kind + "/" + b.Name, Path: b.Path, PathKey: "requestPath",
			PathSpan: at("requestPath"), PortSpan: at("port"), TimeSpan: b.Fields.Value(b.TimeFields+".checkIntervalSec", b.Span),
		}
		if !strings.HasPrefix(b.Type, "HTTP") && b.Type != "" {
			c.Path = ""
		}
		c.Codes, c.CodesSpan = "200", c.PathSpan // "To be considered healthy, the endpoint must return 200 (OK)"
		if b.Port < 30000 {
			c.Port = b.Port
		}
		if b.Kind == policyKind {
			if strings.HasPrefix(b.Type, "HTTP") && c.Path == "" {
				c.Path, c.Default = "/", true
			}
			c.Interval, c.Timeout, c.Unhealthy = cmp.Or(b.Interval, 5), cmp.Or(b.Timeout, 5), cmp.Or(b.Unhealthy, 2)
		} else if b.Interval > 0 {
			c.Interval, c.Timeout, c.Unhealthy = b.Interval, b.Timeout, b.Unhealthy
			if c.Timeout == 0 {
				c.Timeout = min(15, c.Interval)
			}
			if c.Unhealthy == 0 {
				c.Unhealthy = 2
			}
		}
		out = append(out, c)
	}
	return out
}

const policyKind = "HealthCheckPolicy"

// Counts says which statuses a list such as "200,202" or "200-399" counts as healthy; ok is false where it cannot be read.
func Counts(codes string) (has func(status int) bool, ok bool) {
	type span struct{ from, to int }
	var spans []span
	for _, part := range strings.Split(codes, ",") {
		a, b, ranged := strings.Cut(strings.TrimSpace(part), "-")
		from, err := strconv.Atoi(strings.TrimSpace(a))
		if err != nil {
			return nil, false
		}
		to := from
		if ranged {
			if to, err = strconv.Atoi(strings.TrimSpace(b)); err != nil {
				return nil, false
			}
		}
		spans = append(spans, span{from, to})
	}
	return func(status int) bool {
		return slices.ContainsFunc(spans, func(s span) bool { return s.from <= status && status <= s.to })
	}, true
}
