package words

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// protocols are the parts of a port name that say what is spoken there (Istio's and Kubernetes' naming: "http", "grpc-api",
// "http-web").
var protocols = map[string]string{
	"http": "HTTP", "https": "HTTP", "http1": "HTTP", "http2": "HTTP", "h2c": "HTTP", "web": "HTTP", "www": "HTTP", "rest": "HTTP",
	"metrics": "HTTP", "prometheus": "HTTP", "prom": "HTTP", // Prometheus scrapes over HTTP alone
	"grpc": "gRPC", "grpcs": "gRPC",
}

// Speaks is what a container speaks on the port of a probe, HTTP or gRPC, with the place that shows it; "" where nothing
// does. The Go server is the best witness where it is sure that the container runs it, then another probe of the container,
// then the port's name.
func Speaks(p *lint.Pass) (protocol string, because lint.Label) {
	port := p.Probe.Target.Port
	if p.Program != nil && lint.Weaker(p.ProgramCertainty) == model.Proven {
		for _, s := range p.Program.Servers {
			here := s == p.Probe.Server || portOf(s.Address) == port
			if port != 0 && here && (s.Kind == "http" || s.Kind == "grpc") {
				protocol := map[string]string{"http": "HTTP", "grpc": "gRPC"}[s.Kind]
				return protocol, lint.Label{Span: s.Span, Text: fmt.Sprintf("serves %s on port %d", protocol, port)}
			}
		}
	}
	for _, other := range p.Container.Probes {
		if other == p.Probe || other.Target.Port != port || port == 0 || other.Target.Host != "" {
			continue
		}
		switch other.Kind {
		case model.HTTPGet:
			return "HTTP", lint.Label{Span: PortSpan(other), Text: fmt.Sprintf("the %s probe asks the same port over HTTP", other.Role)}
		case model.GRPC:
			return "gRPC", lint.Label{Span: PortSpan(other), Text: fmt.Sprintf("the %s probe asks the same port over gRPC", other.Role)}
		}
	}
	for i, cp := range p.Container.Ports {
		if cp.Port != port || port == 0 {
			continue
		}
		for _, part := range strings.Split(strings.ToLower(cp.Name), "-") {
			if protocol := protocols[part]; protocol != "" {
				at := p.Container.Fields.Value(fmt.Sprintf("ports[%d].name", i), p.Container.Span)
				return protocol, lint.Label{Span: at, Text: fmt.Sprintf("port %d speaks %s by its name", port, protocol)}
			}
		}
	}
	return "", lint.Label{}
}

// portOf is the number in ":8080" or "0.0.0.0:8080", 0 where there is none.
func portOf(address string) int {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return 0
	}
	return n
}
