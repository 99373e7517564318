package kubelet_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

func drawTiming(t *rapid.T) kubelet.Timing {
	return kubelet.Timing{
		Period:           rapid.IntRange(1, 40).Draw(t, "period"),
		Timeout:          rapid.IntRange(1, 60).Draw(t, "timeout"),
		FailureThreshold: rapid.IntRange(1, 8).Draw(t, "failures"),
		SuccessThreshold: rapid.IntRange(1, 4).Draw(t, "successes"),
		InitialDelay:     rapid.IntRange(0, 45).Draw(t, "delay"),
	}
}

// reached is the range of what a simulation gave over many phases.
type reached struct{ best, worst ms }

func (r *reached) add(v ms) {
	if r.best == 0 && r.worst == 0 {
		r.best, r.worst = v, v
	}
	r.best, r.worst = min(r.best, v), max(r.worst, v)
}

// failer is what rapid.T and testing.T share.
type failer interface {
	Helper()
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// compare checks that a formula's range holds everything that was simulated and that the simulation comes within slack of
// both of its ends: neither too narrow nor wider than the kubelet.
func compare(t failer, what string, timing kubelet.Timing, got reached, want model.Range, slack ms) {
	t.Helper()
	best, worst := ms(want.Best*1000), ms(want.Worst*1000)
	if got.best < best || got.worst > worst {
		t.Errorf("%s of %+v: simulated %d..%d ms, outside of %d..%d ms", what, timing, got.best, got.worst, best, worst)
	}
	if got.best > best+slack || got.worst < worst-slack {
		t.Errorf("%s of %+v: simulated %d..%d ms never comes within %d ms of %d..%d ms", what, timing, got.best, got.worst, slack, best, worst)
	}
}

const phases = 40

func TestDetectIsWhatTheWorkerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := drawTiming(t)
		role := rapid.SampledFrom([]model.Role{model.Liveness, model.Readiness}).Draw(t, "role")
		created := rapid.Int64Range(0, 9999).Draw(t, "created")
		took := rapid.Int64Range(0, ms(timing.Timeout)*second).Draw(t, "took")
		if rapid.Bool().Draw(t, "hang") {
			took = ms(timing.Timeout) * second
		}
		period := ms(timing.Period) * second
		start := created + 1500
		healthy := start + ms(timing.InitialDelay)*second + ms(timing.SuccessThreshold+2)*period
		var got reached
		for i := range ms(phases) {
			fault := healthy + i*period/phases + 1
			end := fault + ms(timing.FailureThreshold+2)*max(period, took) + period
			at := newWorker(role, timing).until(failure, created, fault, end, world{
				start: start,
				answer: func(at ms) (verdict, ms) {
					if at >= fault {
						return failure, took
					}
					return success, 1
				},
			})
			if at < 0 {
				t.Fatalf("no verdict: %+v", timing)
			}
			got.add(at - fault)
		}
		compare(t, "detect", timing, got, timing.Detect(float64(took)/1000), period/phases+2)
	})
}

func TestBootIsWhatTheWorkerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := drawTiming(t)
		timing.SuccessThreshold = 1
		role := rapid.SampledFrom([]model.Role{model.Liveness, model.Startup}).Draw(t, "role")
		hang := rapid.Bool().Draw(t, "hang")
		var took ms
		want := timing.Boot()
		if hang {
			took = ms(timing.Timeout) * second
			want = timing.BootHang()
		}
		period := ms(timing.Period) * second
		var got reached
		// Both the part of a second in which the container starts and the phase of the ticks matter.
		for _, part := range []ms{0, 1, 250, 500, 750, 999} {
			for i := range ms(phases) {
				start := 100*second + part
				created := start - period + i*period/phases + 1
				in := world{start: start, answer: func(ms) (verdict, ms) { return failure, took }}
				if role == model.Startup {
					in.begun = func(ms) bool { return false }
				}
				at := newWorker(role, timing).until(failure, created, 0, start+1_000_000, in)
				if at < 0 {
					t.Fatalf("never killed: %+v", timing)
				}
				got.add(at - start)
			}
		}
		compare(t, "boot of "+string(role), timing, got, want, period/phases+2)
	})
}

func TestRecoverIsWhatTheWorkerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := drawTiming(t)
		hang := rapid.Bool().Draw(t, "hang")
		created := rapid.Int64Range(0, 9999).Draw(t, "created")
		period := ms(timing.Period) * second
		var took ms
		if hang {
			took = ms(timing.Timeout) * second
		}
		start := created + 700
		cycle := max(period, took)
		earliest := start + ms(timing.InitialDelay)*second + 3*cycle
		var got reached
		for i := range ms(phases) {
			heal := earliest + i*cycle/phases + 1
			at := newWorker(model.Readiness, timing).until(success, created, heal, heal+1_000_000, world{
				start: start,
				answer: func(at ms) (verdict, ms) {
					if at < heal {
						return failure, took // also where it is healed in mid-attempt: that request is lost
					}
					return success, 0
				},
			})
			if at < 0 {
				t.Fatalf("never ready: %+v", timing)
			}
			got.add(at - heal)
		}
		want := timing.Recover()
		slack := cycle/phases + 2
		switch {
		case !hang:
			// Nothing in flight: the next attempt is at most a period away.
			want.Worst = want.Best + float64(timing.Period)
		case timing.Timeout > timing.Period && timing.SuccessThreshold > 1:
			// The attempt after a hung one begins at once and its successor comes with the next tick of the grid, which is
			// less than a period away: both ends can be up to one period early.
			slack += period
			got.best += period
			if got.worst > ms(want.Worst*1000) {
				t.Errorf("recover of %+v: simulated %d ms, over %v s", timing, got.worst, want.Worst)
			}
			if got.worst < ms(want.Worst*1000)-slack || got.best < ms(want.Best*1000) {
				t.Errorf("recover of %+v: simulated ..%d ms is far from %v s", timing, got.worst, want.Worst)
			}
			return
		}
		compare(t, "recover", timing, got, want, slack)
	})
}

// firstAttempt simulates a container that starts at start and a worker created at created; it returns how long after the
// start the first attempt begins.
func firstAttempt(role model.Role, timing kubelet.Timing, created, start ms, syncs ...ms) ms {
	first := ms(-1)
	newWorker(role, timing).until(unknown, created, start, start+1_000_000, world{
		start:  start,
		syncs:  syncs,
		answer: func(ms) (verdict, ms) { return failure, 0 },
		seen: func(at ms) {
			if first < 0 {
				first = at
			}
		},
	})
	return first - start
}

// A liveness worker ticks at a phase of its own; a readiness worker is triggered by the pod sync that sees the container
// run, and ticks from there on.
func TestFirstProbeIsWhatTheWorkerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := drawTiming(t)
		period := ms(timing.Period) * second
		for _, role := range []model.Role{model.Readiness, model.Liveness} {
			var got reached
			for _, part := range []ms{0, 999} {
				for i := range ms(phases) {
					start := 100*second + part
					got.add(firstAttempt(role, timing, start-period+i*period/phases+1, start, start))
				}
			}
			slack := period/phases + 2
			if role == model.Readiness {
				slack = 0 // exact: the phase plays no part
			}
			compare(t, "first attempt of "+string(role), timing, got, timing.FirstProbe(role), slack)
		}
	})
}

// Attempts that error are thrown away: an hour of them changes nothing, whatever the thresholds.
func TestErrorsNeverCount(t *testing.T) {
	timing := kubelet.Timing{Period: 10, Timeout: 1, FailureThreshold: 1, SuccessThreshold: 1}
	for role, other := range map[model.Role]verdict{model.Liveness: failure, model.Startup: failure, model.Readiness: success} {
		w := newWorker(role, timing)
		in := world{start: 5000, answer: func(ms) (verdict, ms) { return errored, 0 }}
		if role == model.Startup {
			in.begun = func(ms) bool { return false }
		}
		if at := w.until(other, 0, 0, 3600*second, in); at >= 0 {
			t.Errorf("%s: %v published after %d ms of errors", role, other, at)
		}
	}
}
