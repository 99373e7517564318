package kubelet

import "github.com/probelint/probelint/internal/model"

// Outage is the time from the fault of what an endpoint asks to the verdict of the probe, the one source of it for findings
// and drawings: a bounded wait of the handler ends an attempt before the kubelet's patience does, and a stored verdict adds
// its age.
type Outage struct {
	Refuses model.Range // the dependency refuses or answers an error at once
	Hangs   model.Range // it does not answer
}

// Span is from the earliest to the latest verdict, whatever the kind of fault.
func (o Outage) Span() model.Range { return model.Range{Best: o.Refuses.Best, Worst: o.Hangs.Worst} }

// Outage computes it for dependencies of an endpoint, the one with the longest wait counting; e may be nil. Without any an
// attempt lasts up to the whole timeout, or no time where the handler answers what a loop has stored.
func (t Timing) Outage(e *model.Endpoint, deps ...*model.Dependency) Outage {
	wait, age := float64(t.Timeout), Age(e)
	if e != nil && e.Cache != nil && e.Cache.Kind == "background" {
		wait = 0 // the handler asks nobody
	}
	for i, d := range deps {
		if own := t.HangDelay(d.Deadline); i == 0 || own > wait {
			wait = own
		}
	}
	later := func(r model.Range) model.Range { return model.Range{Best: r.Best, Worst: r.Worst + age} }
	return Outage{Refuses: later(t.DetectFast()), Hangs: later(t.Detect(wait))}
}

// Age is how many seconds old a stored verdict of an endpoint can be when the kubelet reads it: 0 where none is stored, or
// its life is not known.
func Age(e *model.Endpoint) float64 {
	if e == nil || e.Cache == nil || !e.Cache.Known {
		return 0
	}
	return e.Cache.Seconds
}
