package timeline

import (
	"fmt"
	"slices"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// shared is a dependency whose fault several pods meet at once, and the probes that fail with it.
type shared struct {
	name   string
	askers []asker
}

type asker struct {
	w   *model.Workload
	c   *model.Container
	p   *model.Probe
	dep *model.Dependency
}

// fleets are the dependencies outside the pod that can turn the verdict of a probe, in the order of their names.
func fleets(workloads []*model.Workload) []Section {
	var all []*shared
	for _, w := range workloads {
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				if p.Endpoint == nil || p.Role == model.Startup || !known(p, "failureThreshold", "timeoutSeconds") {
					continue
				}
				for _, d := range p.Endpoint.Dependencies {
					if d.Scope == model.External && d.Gates && !d.AfterAnswer {
						all = add(all, asker{w, c, p, d})
					}
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *shared) int {
		switch {
		case a.name < b.name:
			return -1
		case a.name > b.name:
			return 1
		}
		return 0
	})
	out := make([]Section, 0, len(all))
	for _, s := range all {
		for _, a := range s.askers {
			out = append(out, a.section(s.name))
		}
	}
	return out
}

// add puts a probe under its dependency; one that asks it twice stands there once.
func add(all []*shared, a asker) []*shared {
	name := lint.DependencyName(a.dep)
	for _, s := range all {
		if s.name != name {
			continue
		}
		if !slices.ContainsFunc(s.askers, func(x asker) bool { return x.p == a.p }) {
			s.askers = append(s.askers, a)
		}
		return all
	}
	return append(all, &shared{name, []asker{a}})
}

// section is the drawing of one probe that fails with a dependency: when the first and the last replica gets the verdict.
func (a asker) section(dependency string) Section {
	t := kubelet.TimingOf(a.p)
	replicas, many := 1, "one pod"
	if a.w.Replicas != nil {
		replicas = *a.w.Replicas
		many = count(replicas, "replica")
		if a.w.ReplicasFrom != "" {
			many = "up to " + many
		}
	}
	age := kubelet.Age(a.p.Endpoint)
	s := Section{
		Title: fmt.Sprintf("%s is down: %s probe of %s", dependency, a.p.Role, a.w.Name),
		About: fmt.Sprintf("container %s, %s, %s", a.c.Name, many, asked(a.p)),
	}
	spread := false
	for _, kind := range []struct {
		how   string
		delay float64
	}{{"refuses", 0}, {"hangs", t.HangDelay(a.dep.Deadline)}} {
		f := t.Fleet(replicas, kind.delay, age)
		lane := window(kind.how, f.Each, fleetText(f, a.p.Role))
		if f.Mean != nil && f.Replicas > 1 {
			lane.Marks = []Mark{{f.Mean.Best, "first"}, {f.Mean.Worst, "last"}}
			spread = true
		}
		s.Lanes = append(s.Lanes, lane)
	}
	if a.p.Role == model.Readiness && known(a.p, "successThreshold") {
		back := t.FleetReturn(replicas, age)
		s.Lanes = append(s.Lanes, window("healed", back.Each, "all are back "+kubelet.Seconds(back.Each.Worst)+" after it healed"))
	}
	if age > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("the answer is stored for %s, which is in the window", kubelet.Seconds(age)))
	}
	if spread {
		s.Notes = append(s.Notes, "first and last are means over independent phases; no replica is outside of its window")
	}
	return s
}

// fleetText says when the replicas leave, short enough for a telephone.
func fleetText(f kubelet.Fleet, role model.Role) string {
	verb := "leaves"
	if role == model.Liveness {
		verb = "restarts"
	}
	switch {
	case f.Replicas == 1:
		return fmt.Sprintf("it %s after %s", verb, kubelet.Span(f.Each))
	case f.Mean == nil:
		return fmt.Sprintf("each %s after %s", verb, kubelet.Span(f.Each))
	}
	return fmt.Sprintf("first %s at %s, last at %s", verb, kubelet.Seconds(rounded(f.Mean.Best)), kubelet.Seconds(rounded(f.Mean.Worst)))
}

// rounded is a mean to a tenth of a second: more digits than chance has would say more than is known.
func rounded(s float64) float64 { return float64(int(s*10+0.5)) / 10 }
