package kubelet_test

import (
	"math"
	"testing"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
)

func timing(p, timeout, f int) kubelet.Timing {
	return kubelet.Timing{Period: p, Timeout: timeout, FailureThreshold: f, SuccessThreshold: 1}
}

// Windows of real settings, and what the unmodified kubelet worker of v1.37.2 gave for hangs in virtual time.
func TestDetectAgainstTheKubelet(t *testing.T) {
	for _, c := range []struct {
		t          kubelet.Timing
		fast, hang model.Range
		naive      float64
		measured   model.Range // zero: not measured
	}{
		{timing(10, 1, 3), model.Range{Best: 20, Worst: 30}, model.Range{Best: 21, Worst: 31}, 30, model.Range{Best: 21.01, Worst: 30.96}},
		{timing(5, 2, 2), model.Range{Best: 5, Worst: 10}, model.Range{Best: 7, Worst: 12}, 10, model.Range{Best: 7.01, Worst: 11.96}},
		{timing(10, 10, 3), model.Range{Best: 20, Worst: 30}, model.Range{Best: 30, Worst: 40}, 30, model.Range{Best: 30.01, Worst: 39.96}},
		{timing(5, 10, 3), model.Range{Best: 10, Worst: 15}, model.Range{Best: 30, Worst: 35}, 15, model.Range{Best: 30.01, Worst: 34.96}},
		{timing(1, 15, 3), model.Range{Best: 2, Worst: 3}, model.Range{Best: 45, Worst: 46}, 3, model.Range{Best: 45.01, Worst: 45.96}},
		{timing(10, 5, 1), model.Range{Best: 0, Worst: 10}, model.Range{Best: 5, Worst: 15}, 10, model.Range{Best: 5.01, Worst: 14.95}},
		{timing(2, 3, 3), model.Range{Best: 4, Worst: 6}, model.Range{Best: 9, Worst: 11}, 6, model.Range{Best: 9.01, Worst: 10.96}},
		// A real customer's settings: fifteen minutes instead of one.
		{timing(1, 15, 60), model.Range{Best: 59, Worst: 60}, model.Range{Best: 900, Worst: 901}, 60, model.Range{}},
	} {
		if got := c.t.DetectFast(); got != c.fast {
			t.Errorf("%+v fast: %v, want %v", c.t, got, c.fast)
		}
		if got := c.t.DetectHang(); got != c.hang {
			t.Errorf("%+v hang: %v, want %v", c.t, got, c.hang)
		}
		if got := c.t.Naive(); got != c.naive {
			t.Errorf("%+v naive: %v, want %v", c.t, got, c.naive)
		}
		if c.measured.Worst > 0 {
			closeTo(t, "detect", c.t, c.t.DetectHang(), c.measured, 0.06)
		}
	}
}

// Start-up budgets, refused connections, against the unmodified worker.
func TestBootAgainstTheKubelet(t *testing.T) {
	for _, c := range []struct {
		delay, period, failures int
		measured                model.Range
	}{
		{0, 10, 30, model.Range{Best: 290.16, Worst: 299.91}}, // startup; the documentation's "30 * 10 = 300s"
		{0, 5, 6, model.Range{Best: 25.15, Worst: 29.91}},     // startup
		{0, 10, 3, model.Range{Best: 20.16, Worst: 29.90}},    // liveness from here on
		{15, 10, 3, model.Range{Best: 34.16, Worst: 43.91}},
		{5, 30, 3, model.Range{Best: 64.16, Worst: 93.91}},
		{30, 10, 1, model.Range{Best: 29.16, Worst: 38.91}},
		{3, 3, 3, model.Range{Best: 8.15, Worst: 10.91}},
	} {
		tm := kubelet.Timing{Period: c.period, Timeout: 1, FailureThreshold: c.failures, SuccessThreshold: 1, InitialDelay: c.delay}
		// The measurement swept the phase in steps, and started whole containers at few parts of a second.
		closeTo(t, "boot", tm, tm.Boot(), c.measured, 1.2)
	}
}

func TestRecoverAgainstTheKubelet(t *testing.T) {
	for _, c := range []struct {
		t    kubelet.Timing
		want model.Range
	}{
		{kubelet.Timing{Period: 10, Timeout: 1, FailureThreshold: 3, SuccessThreshold: 1}, model.Range{Best: 0, Worst: 10}},
		{kubelet.Timing{Period: 10, Timeout: 1, FailureThreshold: 3, SuccessThreshold: 3}, model.Range{Best: 20, Worst: 30}},
		{kubelet.Timing{Period: 5, Timeout: 10, FailureThreshold: 3, SuccessThreshold: 1}, model.Range{Best: 0, Worst: 10}},
	} {
		if got := c.t.Recover(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.t, got, c.want)
		}
	}
}

// The simulation itself, held against single measurements of the unmodified worker, so that it is no mere twin of the
// formulas.
func TestSimulationAgainstTheKubelet(t *testing.T) {
	t.Run("hanging attempts run back to back and then catch up with the grid", func(t *testing.T) {
		var starts []ms
		newWorker(model.Readiness, timing(5, 12, 100)).until(success, 0, 70*second, 80*second, world{
			start: 21 * second,
			seen:  func(at ms) { starts = append(starts, at/second) },
			answer: func(at ms) (verdict, ms) {
				if at < 61*second {
					return failure, 12 * second
				}
				return failure, 0
			},
		})
		want := []ms{25, 37, 49, 61, 65, 70}
		for i, w := range want {
			if i >= len(starts) || starts[i] != w {
				t.Fatalf("attempts start at %v s, measured %v s", starts, want)
			}
		}
	})
	t.Run("readiness delay is rounded up to the period", func(t *testing.T) {
		for _, c := range []struct {
			delay, period int
			want          ms
		}{{0, 10, 1}, {5, 10, 11}, {15, 10, 21}, {10, 60, 61}} {
			tm := timing(c.period, 1, 3)
			tm.InitialDelay = c.delay
			// One sync, a second after the start; the worker's own grid lies just behind that.
			start := 1000 * second
			created := start - ms(c.period)*second + 1500
			if got := firstAttempt(model.Readiness, tm, created, start, start+second); got != c.want*second {
				t.Errorf("delay %d, period %d: first attempt after %d ms, measured %d s", c.delay, c.period, got, c.want)
			}
		}
	})
}

func closeTo(t *testing.T, what string, tm kubelet.Timing, got, measured model.Range, slack float64) {
	t.Helper()
	if measured.Best < got.Best || measured.Worst > got.Worst {
		t.Errorf("%s of %+v: measured %v lies outside of %v", what, tm, measured, got)
	}
	if math.Abs(measured.Best-got.Best) > slack || math.Abs(measured.Worst-got.Worst) > slack {
		t.Errorf("%s of %+v: %v is further than %vs from the measured %v", what, tm, got, slack, measured)
	}
}
