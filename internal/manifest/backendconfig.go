package manifest

import (
	"encoding/json"
	"sort"

	"github.com/probelint/probelint/internal/model"
)

// backendConfig reads the health check of GKE's BackendConfig (cloud.google.com/v1, spec.healthCheck).
func (o *object) backendConfig(at model.Span) *model.BackendConfig {
	number := func(field string) float64 {
		n, _ := integer(o.node, "spec", "healthCheck", field)
		return float64(n)
	}
	return &model.BackendConfig{
		Kind: o.kind, Name: o.name, Type: text(o.node, "spec", "healthCheck", "type"), Path: text(o.node, "spec", "healthCheck", "requestPath"),
		Port: int(number("port")), Interval: number("checkIntervalSec"), Timeout: number("timeoutSec"), Unhealthy: int(number("unhealthyThreshold")),
		File: at.File, Span: at, Fields: o.fields(), TargetFields: "spec.healthCheck", TimeFields: "spec.healthCheck",
	}
}

// policyChecks are the health checks of a HealthCheckPolicy that ask over HTTP, by type.
var policyChecks = map[string]string{"HTTP": "httpHealthCheck", "HTTPS": "httpsHealthCheck", "HTTP2": "http2HealthCheck"}

// healthCheckPolicy reads GKE's HealthCheckPolicy for Gateways (networking.gke.io/v1, spec.default).
func (o *object) healthCheckPolicy(at model.Span) *model.BackendConfig {
	number := func(field string) float64 {
		n, _ := integer(o.node, "spec", "default", field)
		return float64(n)
	}
	b := &model.BackendConfig{
		Kind: o.kind, Name: o.name, Type: text(o.node, "spec", "default", "config", "type"),
		Interval: number("checkIntervalSec"), Timeout: number("timeoutSec"), Unhealthy: int(number("unhealthyThreshold")),
		File: at.File, Span: at, Fields: o.fields(), TargetFields: "spec.default.config", TimeFields: "spec.default",
	}
	if check := policyChecks[b.Type]; check != "" {
		b.TargetFields += "." + check
		b.Path = text(o.node, "spec", "default", "config", check, "requestPath")
		if port, ok := integer(o.node, "spec", "default", "config", check, "port"); ok && text(o.node, "spec", "default", "config", check, "portSpecification") != "USE_SERVING_PORT" {
			b.Port = int(port)
		}
	}
	return b
}

// checkedService is the Service that a HealthCheckPolicy is about.
func (o *object) checkedService() (target, bool) {
	_, ref := get(o.node, "spec", "targetRef")
	if kind := text(ref, "kind"); kind != "Service" || text(ref, "name") == "" {
		return target{}, false
	}
	ns := text(ref, "namespace")
	if ns == "" {
		ns = o.namespace
	}
	return target{namespaceOf(ns), text(ref, "name")}, true
}

// backendConfigs joins a Service with the BackendConfigs that its annotation names, {"default": "a", "ports": {"http": "b"}}, and
// with the HealthCheckPolicies that name it.
func (j *joiner) backendConfigs(s *model.Service, file string) {
	for _, of := range j.checks[target{namespaceOf(s.Namespace), s.Name}] {
		if found := j.nearest(of, file); found != nil && j.leads(found, s) {
			s.BackendConfigs = append(s.BackendConfigs, found.backend)
		}
	}
	text := s.Annotations["cloud.google.com/backend-config"]
	if text == "" {
		text = s.Annotations["beta.cloud.google.com/backend-config"]
	}
	if text == "" {
		return
	}
	var a struct {
		Default string            `json:"default"`
		Ports   map[string]string `json:"ports"`
	}
	if json.Unmarshal([]byte(text), &a) != nil {
		return // a template, or a text that GKE refuses as well
	}
	names := map[string]string{}
	for port, name := range a.Ports {
		names[port] = name
	}
	if a.Default != "" {
		names["default"] = a.Default
	}
	ports := make([]string, 0, len(names))
	for port := range names {
		ports = append(ports, port)
	}
	sort.Strings(ports)
	for _, port := range ports {
		if found := j.nearest(id{"BackendConfig", namespaceOf(s.Namespace), names[port]}, file); found != nil {
			b := *found.backend
			b.ServicePort = port
			s.BackendConfigs = append(s.BackendConfigs, &b)
		}
	}
}
