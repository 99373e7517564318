package engine

import (
	"slices"
	"strconv"

	"github.com/probelint/probelint/internal/model"
)

// identify gives an identifier to each object that has none from the manifest reader, so that a team policy can name the
// place that it is about. Probes that reach one handler with one request share its endpoint until here; each gets its own
// copy, because whoever names a dependency means it as one probe sees it.
func identify(in *input) {
	for _, w := range in.result.Workloads {
		for _, s := range w.Services {
			s.ID = objectID("Service", s.Namespace, s.Name)
		}
		for _, i := range w.Ingresses {
			i.ID = objectID(i.Kind, w.Namespace, i.Name)
		}
		for _, b := range w.Budgets {
			b.ID = objectID("PodDisruptionBudget", w.Namespace, b.Name)
		}
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				p.Endpoint = identified(p.Endpoint, p.ID)
			}
		}
	}
	for _, p := range in.result.Programs {
		p.ID = p.Package
	}
	for _, u := range in.loose {
		for i, p := range u.probes {
			p.ID = u.program.Package + "/" + strconv.Itoa(i)
			p.Endpoint = identified(p.Endpoint, p.ID)
		}
	}
}

func objectID(kind, namespace, name string) string {
	if namespace == "" {
		return kind + "/" + name
	}
	return kind + "/" + namespace + "/" + name
}

// identified is the endpoint under an identifier of the probe's, copied where another probe has given it one.
func identified(e *model.Endpoint, probe string) *model.Endpoint {
	if e == nil {
		return nil
	}
	if e.ID != "" {
		copied := *e
		copied.Dependencies = slices.Clone(e.Dependencies)
		for i, d := range copied.Dependencies {
			dep := *d
			copied.Dependencies[i] = &dep
		}
		e = &copied
	}
	e.ID = probe + "/endpoint"
	for i, d := range e.Dependencies {
		d.ID = e.ID + "/dependencies/" + strconv.Itoa(i)
	}
	return e
}
