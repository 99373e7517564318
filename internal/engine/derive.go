package engine

import (
	"github.com/probelint/probelint/internal/execprobe"
	"github.com/probelint/probelint/internal/judge"
	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

// derive computes what follows from a probe's own fields: the kubelet's windows, and what the command of an exec
// probe or hook does.
func derive(ws []*model.Workload) []Crash {
	var crashes []Crash
	for _, w := range ws {
		for _, c := range w.Containers {
			if h := c.PreStop; h != nil {
				name := (&judge.Objects{Workload: w, Container: c}).Name()
				if cr := guard("hook of "+name, func() { execprobe.DescribeHook(h, c) }); cr != nil {
					crashes = append(crashes, *cr)
				}
			}
			for _, p := range c.Probes {
				name := (&judge.Objects{Workload: w, Container: c, Probe: p}).Name()
				for _, step := range []struct {
					what string
					do   func()
				}{
					{"windows", func() { p.Windows = kubelet.Windows(p, c) }},
					{"command", func() { execprobe.Describe(p, c) }},
				} {
					if cr := guard(step.what+" of "+name, step.do); cr != nil {
						crashes = append(crashes, *cr)
					}
				}
			}
		}
	}
	return crashes
}
