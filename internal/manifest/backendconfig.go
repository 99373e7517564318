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
		Name: o.name, Type: text(o.node, "spec", "healthCheck", "type"), Path: text(o.node, "spec", "healthCheck", "requestPath"),
		Port: int(number("port")), Interval: number("checkIntervalSec"), Timeout: number("timeoutSec"), Unhealthy: int(number("unhealthyThreshold")),
		File: at.File, Span: at, Fields: o.fields(),
	}
}

// backendConfigs joins a Service with the BackendConfigs that its annotation names: {"default": "a", "ports": {"http": "b"}}.
func (j *joiner) backendConfigs(s *model.Service, file string) {
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
