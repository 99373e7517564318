package kubelet

import (
	"testing"

	"github.com/probelint/probelint/internal/model"
)

func TestOutage(t *testing.T) {
	probe := Timing{Period: 10, Timeout: 2, FailureThreshold: 3, SuccessThreshold: 1}
	dep := func(s float64) *model.Dependency {
		return &model.Dependency{Deadline: &model.Deadline{Seconds: s, Known: true}}
	}
	stored := &model.Endpoint{Cache: &model.Cache{Seconds: 15, Known: true}}
	for name, c := range map[string]struct {
		e    *model.Endpoint
		deps []*model.Dependency
		want Outage
	}{
		"no dependency":         {nil, nil, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 22, Worst: 32}}},
		"a bounded wait":        {&model.Endpoint{}, []*model.Dependency{dep(1)}, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 21, Worst: 31}}},
		"the longest counts":    {nil, []*model.Dependency{dep(1), dep(1.5)}, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 21.5, Worst: 31.5}}},
		"not above the timeout": {nil, []*model.Dependency{dep(1), dep(9)}, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 22, Worst: 32}}},
		"one without a bound":   {nil, []*model.Dependency{{}, dep(1)}, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 22, Worst: 32}}},
		"a stored verdict":      {stored, []*model.Dependency{dep(1)}, Outage{model.Range{Best: 20, Worst: 45}, model.Range{Best: 21, Worst: 46}}},
		"a loop's verdict":      {&model.Endpoint{Cache: &model.Cache{Seconds: 15, Known: true, Kind: "background"}}, nil, Outage{model.Range{Best: 20, Worst: 45}, model.Range{Best: 20, Worst: 45}}},
		"of unknown age":        {&model.Endpoint{Cache: &model.Cache{Seconds: 15}}, nil, Outage{model.Range{Best: 20, Worst: 30}, model.Range{Best: 22, Worst: 32}}},
	} {
		if got := probe.Outage(c.e, c.deps...); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		// The drawing of a dependency takes its parts; they are the same window.
		if len(c.deps) == 1 {
			f := probe.Fleet(3, probe.HangDelay(c.deps[0].Deadline), Age(c.e))
			if f.Each != probe.Outage(c.e, c.deps...).Hangs {
				t.Errorf("%s: the fleet's window is %+v", name, f.Each)
			}
		}
	}
}
