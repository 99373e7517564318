package kubelet

import "github.com/probelint/probelint/internal/model"

// Fleet is when the replicas of a workload reach the verdict about a fault that all of them meet at one moment: a dependency
// that they share. Each has a worker of its own, whose ticks have a phase of their own (SEMANTICS.md, K2).
type Fleet struct {
	Replicas int
	// Each is the window of any one of them, and so the earliest that the first and the latest that the last can be.
	Each model.Range
	// Mean is when the first (Best) and the last (Worst) is expected, where the phases have nothing to do with each other: the
	// least and the greatest of that many points spread evenly over one period. Nil where a stored verdict adds an age of its
	// own.
	Mean *model.Range
}

// Fleet computes it for replicas whose failing attempt takes d seconds to report and whose verdict can be age seconds old.
func (t Timing) Fleet(replicas int, d, age float64) Fleet {
	each := t.Detect(d)
	f := Fleet{Replicas: max(1, replicas), Each: model.Range{Best: each.Best, Worst: each.Worst + max(0, age)}}
	if age <= 0 {
		step := float64(t.Period) / float64(f.Replicas+1)
		f.Mean = &model.Range{Best: each.Best + step, Worst: each.Worst - step}
	}
	return f
}

// FleetReturn is Fleet for the way back: when the first and the last of them is ready again after the dependency has healed. An
// attempt that hangs at that moment takes up to the timeout and is counted with the worst case alone.
func (t Timing) FleetReturn(replicas int, age float64) Fleet {
	each := t.Recover()
	return Fleet{Replicas: max(1, replicas), Each: model.Range{Best: each.Best, Worst: each.Worst + max(0, age)}}
}

// HangDelay is how long an attempt takes to report where a dependency that the handler asks hangs: the handler's own deadline
// where one is known that ends before the kubelet's patience, else all of that.
func (t Timing) HangDelay(deadline *model.Deadline) float64 {
	if deadline != nil && deadline.Known && deadline.Seconds > 0 {
		return min(deadline.Seconds, float64(t.Timeout))
	}
	return float64(t.Timeout)
}

// ShutdownOf is the shutdown of a container as far as manifest and code say it. hook is false where a preStop hook of unknown
// length comes first, code is false where it is not known what the process does after SIGTERM; the parts are then 0.
func ShutdownOf(w *model.Workload, c *model.Container, prog *model.Program) (s Shutdown, hook, code bool) {
	s.Grace, hook = float64(w.TerminationGracePeriodSeconds), true
	if c.PreStop != nil {
		hook = c.PreStop.Seconds != nil
		if hook {
			s.PreStop = *c.PreStop.Seconds
		}
	}
	if prog == nil || prog.Shutdown == nil {
		return s, hook, false
	}
	code = prog.Shutdown.Wait != nil || prog.Shutdown.Timeout != nil
	if prog.Shutdown.Wait != nil {
		s.Wait = *prog.Shutdown.Wait
	}
	if prog.Shutdown.Timeout != nil {
		s.Timeout = *prog.Shutdown.Timeout
	}
	return s, hook, code
}

// ProgramOf is the program that a container runs as far as its probes were linked to it, nil where none was.
func ProgramOf(c *model.Container) *model.Program {
	for _, p := range c.Probes {
		if p.Program != nil {
			return p.Program
		}
	}
	return nil
}
