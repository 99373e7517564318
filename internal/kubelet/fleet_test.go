package kubelet_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

// leaves simulates the workers of a fleet at phases (parts of the period, 0 to 1) and returns when after the fault, which hits
// all of them at once, the first and the last reaches the verdict.
func leaves(t failer, timing kubelet.Timing, phases []float64, took ms) (first, last ms) {
	t.Helper()
	period := ms(timing.Period) * second
	created := ms(100) * second
	// One period after all are healthy, plus the time until the ticks have settled.
	fault := created + ms(timing.InitialDelay+timing.Period*(timing.SuccessThreshold+4))*second
	first, last = math.MaxInt64, -1
	for _, phase := range phases {
		at := created + ms(phase*float64(period))
		got := newWorker(model.Liveness, timing).until(failure, at, fault, fault+1_000_000, world{
			start: at,
			answer: func(now ms) (verdict, ms) {
				if now >= fault {
					return failure, took
				}
				return success, 0
			},
		})
		if got < 0 {
			t.Fatalf("no verdict: %+v", timing)
		}
		first, last = min(first, got-fault), max(last, got-fault)
	}
	return first, last
}

func TestFleetHoldsEveryReplica(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := drawTiming(t)
		took := rapid.Int64Range(0, ms(timing.Timeout)*second).Draw(t, "took")
		phases := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 12).Draw(t, "phases")
		f := timing.Fleet(len(phases), float64(took)/1000, 0)
		first, last := leaves(t, timing, phases, took)
		if first < ms(f.Each.Best*1000)-1 || last > ms(f.Each.Worst*1000)+1 {
			t.Errorf("%+v with %d replicas: %d..%d ms, outside of %+v", timing, len(phases), first, last, f.Each)
		}
	})
}

// With the phases of n replicas drawn evenly, the mean of the first and of the last is what the formula says. A grid of phases
// stands in for chance: every pair of a fine grid for two replicas, which is exact, and even spacing for more.
func TestFleetMeanIsThatOfTheWorkers(t *testing.T) {
	for _, timing := range []kubelet.Timing{
		{Period: 10, Timeout: 1, FailureThreshold: 3, SuccessThreshold: 1},
		{Period: 5, Timeout: 10, FailureThreshold: 2, SuccessThreshold: 1},
		{Period: 2, Timeout: 1, FailureThreshold: 1, SuccessThreshold: 1},
	} {
		for _, took := range []ms{0, ms(timing.Timeout) * second} {
			const n = 40
			var first, last float64
			for i := range n {
				for k := range n {
					a, b := leaves(t, timing, []float64{(float64(i) + 0.5) / n, (float64(k) + 0.5) / n}, took)
					first, last = first+float64(a), last+float64(b)
				}
			}
			mean := timing.Fleet(2, float64(took)/1000, 0).Mean
			slack := float64(timing.Period) / n
			if math.Abs(first/n/n/1000-mean.Best) > slack || math.Abs(last/n/n/1000-mean.Worst) > slack {
				t.Errorf("%+v, %d ms: simulated %.2f and %.2f s, formula %+v", timing, took, first/n/n/1000, last/n/n/1000, *mean)
			}
		}
	}
}

func TestFleet(t *testing.T) {
	timing := kubelet.Timing{Period: 10, Timeout: 1, FailureThreshold: 3, SuccessThreshold: 2}
	f := timing.Fleet(4, 1, 0)
	if f.Each != (model.Range{Best: 21, Worst: 31}) || *f.Mean != (model.Range{Best: 23, Worst: 29}) {
		t.Errorf("%+v %+v", f, f.Mean)
	}
	if one := timing.Fleet(0, 0, 0); one.Replicas != 1 || *one.Mean != (model.Range{Best: 25, Worst: 25}) {
		t.Errorf("one replica: %+v %+v", one, one.Mean)
	}
	if aged := timing.Fleet(4, 0, 30); aged.Each != (model.Range{Best: 20, Worst: 60}) || aged.Mean != nil {
		t.Errorf("a stored verdict: %+v", aged)
	}
	if back := timing.FleetReturn(4, 30); back.Each != (model.Range{Best: 10, Worst: 50}) {
		t.Errorf("the way back: %+v", back)
	}
	for _, c := range []struct {
		d    *model.Deadline
		want float64
	}{
		{nil, 1},
		{&model.Deadline{Seconds: 0.5, Known: true}, 0.5},
		{&model.Deadline{Seconds: 5, Known: true}, 1},
		{&model.Deadline{Seconds: 0.5}, 1},
	} {
		if got := timing.HangDelay(c.d); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}

func TestShutdownOf(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	w := &model.Workload{TerminationGracePeriodSeconds: 30}
	for _, c := range []struct {
		hook       *model.PreStop
		prog       *model.Program
		want       kubelet.Shutdown
		known, run bool
	}{
		{nil, nil, kubelet.Shutdown{Grace: 30}, true, false},
		{&model.PreStop{Seconds: f(5)}, &model.Program{}, kubelet.Shutdown{Grace: 30, PreStop: 5}, true, false},
		{&model.PreStop{}, &model.Program{Shutdown: &model.Shutdown{}}, kubelet.Shutdown{Grace: 30}, false, false},
		{nil, &model.Program{Shutdown: &model.Shutdown{Wait: f(3), Timeout: f(20)}}, kubelet.Shutdown{Grace: 30, Wait: 3, Timeout: 20}, true, true},
	} {
		s, hook, code := kubelet.ShutdownOf(w, &model.Container{PreStop: c.hook}, c.prog)
		if s != c.want || hook != c.known || code != c.run {
			t.Errorf("%+v: %+v %v %v", c, s, hook, code)
		}
	}
	p := &model.Program{}
	if kubelet.ProgramOf(&model.Container{Probes: []*model.Probe{{}, {Program: p}}}) != p || kubelet.ProgramOf(&model.Container{}) != nil {
		t.Error("the program of a container is that of its probes")
	}
}
