package kubelet_test

import (
	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

// A discrete-event simulation of one prober worker, written from what pkg/kubelet/prober/worker.go does step by step and
// knowing nothing of the formulas under test. Time is in milliseconds since an arbitrary whole second.

type ms = int64

const second ms = 1000

type verdict int

const (
	unknown verdict = iota
	success
	failure
	errored // an attempt that could not be made: thrown away
)

// world is what the worker finds: one container and what answers in it.
type world struct {
	start  ms                        // the container runs from here on
	answer func(at ms) (verdict, ms) // of an attempt that begins at a time: outcome and duration
	begun  func(at ms) bool          // the startup gate; nil: open
	syncs  []ms                      // pod syncs, ascending: a not-ready container's readiness worker is triggered
	seen   func(at ms)               // called for each attempt; may be nil
}

// worker is the state of a kubelet worker (worker.go, type worker).
type worker struct {
	role model.Role
	t    kubelet.Timing

	known   bool // a container id has been seen
	onHold  bool
	result  verdict // what the results manager holds
	last    verdict
	run     int
	changed ms // when result last changed
}

func newWorker(role model.Role, t kubelet.Timing) *worker {
	w := &worker{role: role, t: t, result: unknown}
	switch role {
	case model.Readiness:
		w.result = failure
	case model.Liveness:
		w.result = success
	}
	return w
}

// until runs the worker from its creation and returns the time at which its published result becomes want, or -1 where that
// does not happen before end. after discards changes before a time.
func (w *worker) until(want verdict, created, after, end ms, in world) ms {
	period := ms(w.t.Period) * second
	now, base, next := created, created, created+period
	syncs := in.syncs
	for now <= end {
		now = w.doProbe(now, in)
		if w.result == want && w.changed >= after {
			return w.changed
		}
		// Wait for a tick or a manual trigger. The ticker's channel holds one tick: further ones are dropped.
		trigger := ms(-1)
		if w.role == model.Readiness && w.result != success {
			for len(syncs) > 0 && syncs[0] <= max(now, next) {
				if syncs[0] >= in.start && (in.begun == nil || in.begun(syncs[0])) {
					trigger = max(now, syncs[0])
				}
				syncs = syncs[1:]
				if trigger >= 0 {
					break
				}
			}
		}
		if trigger >= 0 && trigger <= max(now, next) {
			now = trigger
			base, next = now, now+period // the trigger resets the ticker
			continue
		}
		now = max(now, next)
		next = base + ((now-base)/period+1)*period
	}
	return -1
}

// doProbe is one turn of the loop that begins at now; it returns the time at which it is over.
func (w *worker) doProbe(now ms, in world) ms {
	if now < in.start {
		return now // no container id yet
	}
	if !w.known {
		w.known, w.onHold = true, false
	}
	if w.onHold {
		return now
	}
	startedAt := in.start / second * second // the status cache truncates to seconds
	elapsed := (now - startedAt) / second   // int32(time.Since(...).Seconds())
	if elapsed < ms(w.t.InitialDelay) {
		return now
	}
	if in.begun != nil && in.begun(now) == (w.role == model.Startup) {
		return now
	}
	if in.seen != nil {
		in.seen(now)
	}
	got, took := in.answer(now)
	now += took
	if got == errored {
		return now
	}
	if w.last == got {
		w.run++
	} else {
		w.last, w.run = got, 1
	}
	if got == failure && w.run < w.t.FailureThreshold || got == success && w.run < w.t.SuccessThreshold {
		return now
	}
	if w.result != got {
		w.result, w.changed = got, now
	}
	if w.role == model.Liveness && got == failure || w.role == model.Startup {
		w.onHold, w.run = true, 0
	}
	return now
}
