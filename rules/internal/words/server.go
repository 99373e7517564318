package words

import (
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// ServerAt is the server of a program that listens on a port, nil where none is known to.
func ServerAt(prog *model.Program, port int) *model.Server {
	for _, s := range prog.Servers {
		if strings.HasSuffix(s.Address, ":"+strconv.Itoa(port)) {
			return s
		}
	}
	return nil
}

// Traffic is the server that a Service sends requests to, and that Service.
func Traffic(prog *model.Program, w *model.Workload) (*model.Server, *model.Service) {
	for _, svc := range w.Services {
		for _, sp := range svc.Ports {
			port := sp.TargetPort
			for _, c := range w.Containers {
				for _, cp := range c.Ports {
					if port == 0 && sp.TargetName != "" && cp.Name == sp.TargetName {
						port = cp.Port
					}
				}
			}
			if s := ServerAt(prog, port); port > 0 && s != nil {
				return s, svc
			}
		}
	}
	return nil, nil
}

// ProbeTarget is the smallest place in the manifest that says what a probe asks.
func ProbeTarget(p *model.Probe) model.Span {
	for _, path := range []string{"httpGet.port", "grpc.port", "tcpSocket.port"} {
		if f, ok := p.Fields[path]; ok {
			return f.Value
		}
	}
	return p.Span
}
