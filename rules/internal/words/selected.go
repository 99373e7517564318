package words

import "github.com/probelint/probelint/internal/model"

// Selected is the Service that sends traffic to a port of container c, and that port; nil where none in the input does.
// A Service selects pods, not containers: its target port says which container answers. A number that no container
// declares belongs to the only main container, and to nobody known where there are several.
func Selected(w *model.Workload, c *model.Container) (*model.Service, int) {
	for _, s := range w.Services {
		for _, sp := range s.Ports {
			if port, ok := targets(w, c, sp); ok {
				return s, port
			}
		}
	}
	return nil, 0
}

func targets(w *model.Workload, c *model.Container, sp model.ServicePort) (int, bool) {
	if port, ok := declares(c, sp); ok {
		return port, true
	}
	if sp.TargetPort == 0 || c.Kind != model.Main {
		return 0, false
	}
	for _, other := range w.Containers {
		if other == c {
			continue
		}
		if _, ok := declares(other, sp); ok || other.Kind == model.Main || other.Kind == model.Sidecar {
			return 0, false
		}
	}
	return sp.TargetPort, true
}

func declares(c *model.Container, sp model.ServicePort) (int, bool) {
	if c.Kind != model.Main && c.Kind != model.Sidecar {
		return 0, false
	}
	for _, p := range c.Ports {
		if sp.TargetName != "" && p.Name == sp.TargetName || sp.TargetName == "" && sp.TargetPort != 0 && p.Port == sp.TargetPort {
			return p.Port, true
		}
	}
	return 0, false
}
