package kubelet

import "github.com/probelint/probelint/internal/model"

// Timing is the five numbers of a probe that decide its windows: seconds, and counts of attempts.
type Timing struct{ Period, Timeout, FailureThreshold, SuccessThreshold, InitialDelay int }

// What the API server fills in where a field is absent or 0 (pkg/apis/core/v1/defaults.go, SetDefaults_Probe).
const (
	DefaultPeriod           = 10
	DefaultTimeout          = 1
	DefaultFailureThreshold = 3
	DefaultSuccessThreshold = 1
)

// TimingOf reads the effective timings of a probe. Values that the API server would replace or refuse (0 and below) become
// its defaults, so that no window is ever negative.
func TimingOf(p *model.Probe) Timing {
	return Timing{
		Period:           positive(p.PeriodSeconds, DefaultPeriod),
		Timeout:          positive(p.TimeoutSeconds, DefaultTimeout),
		FailureThreshold: positive(p.FailureThreshold, DefaultFailureThreshold),
		SuccessThreshold: positive(p.SuccessThreshold, DefaultSuccessThreshold),
		InitialDelay:     max(0, p.InitialDelaySeconds),
	}
}

func positive(v, otherwise int) int {
	if v <= 0 {
		return otherwise
	}
	return v
}

// Detect is the time from a fault to the verdict (NotReady, restart), where one failing probe takes d seconds to report: 0
// for a refused connection or an error status, the timeout for a hang. Probes of one worker never overlap and at most one
// tick is pending, so two failing attempts are max(period, d) apart; the fault comes anywhere between two attempts.
func (t Timing) Detect(d float64) model.Range {
	best := float64(t.FailureThreshold-1)*t.interval(d) + d
	return model.Range{Best: best, Worst: float64(t.Period) + best}
}

// DetectFast is Detect for an instance that refuses or answers an error at once.
func (t Timing) DetectFast() model.Range { return t.Detect(0) }

// DetectHang is Detect for an instance that does not answer: each attempt lasts the whole timeout.
func (t Timing) DetectHang() model.Range { return t.Detect(float64(t.Timeout)) }

// interval is the time between the starts of two attempts that take d seconds each.
func (t Timing) interval(d float64) float64 { return max(float64(t.Period), d) }

// Boot is how long a container that refuses connections may start before it is killed, for a startup probe, or for a
// liveness probe without one. Best is what is guaranteed, Worst the most it can get. The worker's ticks are tied to the
// pod's admission and not to the container's start, so a whole period is luck; and the kubelet truncates both the start
// time and the elapsed time to whole seconds, so an initial delay can end up to one second early.
func (t Timing) Boot() model.Range {
	return model.Range{
		Best:  float64(max(0, t.InitialDelay-1) + (t.FailureThreshold-1)*t.Period),
		Worst: float64(t.InitialDelay + t.FailureThreshold*t.Period),
	}
}

// BootHang is Boot for a container that accepts connections while it starts and does not answer them: each attempt lasts
// the whole timeout.
func (t Timing) BootHang() model.Range {
	d := float64(t.Timeout)
	rest := float64(t.FailureThreshold-1)*t.interval(d) + d
	return model.Range{
		Best:  float64(max(0, t.InitialDelay-1)) + rest,
		Worst: float64(t.InitialDelay+t.Period) + rest,
	}
}

// Recover is the time from healed to Ready. Worst includes an attempt that began while the instance hung and still has to
// run into its timeout; that matters only where the timeout is longer than the period. A pod sync can only shorten it.
func (t Timing) Recover() model.Range {
	more := float64((t.SuccessThreshold - 1) * t.Period)
	return model.Range{Best: more, Worst: float64(max(t.Period, t.Timeout)) + more}
}

// Naive is the product that people compute, failureThreshold x periodSeconds. It is the worst case of a fault that is
// reported at once and of nothing else.
func (t Timing) Naive() float64 { return float64(t.FailureThreshold * t.Period) }

// FirstProbe is the time from the container's start to the first attempt. A startup or liveness worker ticks at a phase
// that has nothing to do with the start. A readiness worker is triggered at the start and ticks from there, so its delay is
// rounded up to the next multiple of the period (Worst is without the moment that the pod sync takes).
func (t Timing) FirstProbe(r model.Role) model.Range {
	d, p := t.InitialDelay, t.Period
	if r == model.Readiness {
		up := float64((d + p - 1) / p * p)
		return model.Range{Best: up, Worst: up}
	}
	return model.Range{Best: float64(max(0, d-1)), Worst: float64(d + p)}
}

// Meet is timings whose DetectHang is at most budget seconds, as near to t as possible: it keeps the timeout, which
// is the latency that the author tolerates, before the count of failures, never goes below two failures, and leaves the
// timeout below the period. ok is false where no timing meets the budget.
func (t Timing) Meet(budget float64) (Timing, bool) {
	if t.Timeout < t.Period && t.DetectHang().Worst <= budget {
		return t, true
	}
	for _, timeout := range descend(t.Timeout, 15, 10, 5, 3, 2, 1) {
		for _, failures := range descend(max(2, min(t.FailureThreshold, 3)), 2) {
			for _, period := range descend(above(t.Period, timeout), 15, 10, 5, 3, 2) {
				n := Timing{
					Period: period, Timeout: timeout, FailureThreshold: failures,
					SuccessThreshold: t.SuccessThreshold, InitialDelay: t.InitialDelay,
				}
				if timeout < period && n.DetectHang().Worst <= budget {
					return n, true
				}
			}
		}
	}
	return t, false
}

// Shortest is the timings of two failures that notice a hang the soonest, those that Meet tries last.
func (t Timing) Shortest() Timing {
	return Timing{Period: 2, Timeout: 1, FailureThreshold: 2, SuccessThreshold: t.SuccessThreshold, InitialDelay: t.InitialDelay}
}

// above is period, or a round number above timeout where that is not below it.
func above(period, timeout int) int {
	if timeout < period {
		return period
	}
	for _, round := range []int{2, 3, 5, 10, 15, 20, 30, 60} {
		if timeout < round {
			return round
		}
	}
	return timeout + 1
}

// descend is first, followed by those of steps that are smaller.
func descend(first int, steps ...int) []int {
	out := []int{first}
	for _, s := range steps {
		if s < first {
			out = append(out, s)
		}
	}
	return out
}
