package kubelet_test

import (
	"testing"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

// BenchmarkWindows computes what every probe of a run gets.
func BenchmarkWindows(b *testing.B) {
	probe := func(r model.Role, period, failures int) *model.Probe {
		return &model.Probe{
			Role: r, Kind: model.HTTPGet, Target: model.Target{Scheme: "HTTP", Path: "/livez", Port: 8080}, PeriodSeconds: period, TimeoutSeconds: 2,
			FailureThreshold: failures, SuccessThreshold: 1, InitialDelaySeconds: 5,
		}
	}
	c := &model.Container{Name: "api", Probes: []*model.Probe{probe(model.Startup, 5, 30), probe(model.Liveness, 10, 3), probe(model.Readiness, 5, 2)}}
	b.ReportAllocs()
	for b.Loop() {
		for _, p := range c.Probes {
			if w := kubelet.Windows(p, c); w == nil || w.Never != "" {
				b.Fatalf("%+v", w)
			}
		}
	}
}

// BenchmarkShutdown computes the end of a container.
func BenchmarkShutdown(b *testing.B) {
	seconds := 5.0
	c := &model.Container{Name: "api", PreStop: &model.PreStop{Kind: "sleep", Seconds: &seconds}}
	w := &model.Workload{Kind: "Deployment", TerminationGracePeriodSeconds: 30, Containers: []*model.Container{c}}
	b.ReportAllocs()
	for b.Loop() {
		if _, hook, _ := kubelet.ShutdownOf(w, c, nil); !hook {
			b.Fatal("no hook")
		}
	}
}
