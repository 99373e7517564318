package timeoutexceedsperiod

import (
	"fmt"
	"testing"

	"github.com/probelint/probelint/internal/kubelet"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/ruletest"
)

// The timings of the help notice a hang no later than those that are written, whatever the budget leaves.
func TestHelpIsNoSlower(t *testing.T) {
	for period := 1; period <= 20; period++ {
		for timeout := period + 1; timeout <= 40; timeout += 3 {
			for failures := 1; failures <= 4; failures++ {
				p := ruletest.Pass(model.Readiness, nil)
				p.Probe.PeriodSeconds, p.Probe.TimeoutSeconds, p.Probe.FailureThreshold = period, timeout, failures
				today := kubelet.TimingOf(p.Probe).DetectHang().Worst
				for _, f := range ruletest.Findings(t, Rule, p) {
					var n kubelet.Timing
					var within float64
					if _, err := fmt.Sscanf(f.Help, "`periodSeconds: %d`, `timeoutSeconds: %d`, `failureThreshold: %d` notice a hang within %fs",
						&n.Period, &n.Timeout, &n.FailureThreshold, &within); err != nil {
						continue // no timings are offered
					}
					if within > today || n.DetectHang().Worst != within {
						t.Errorf("period %d, timeout %d, %d failures take %gs; the help: %s", period, timeout, failures, today, f.Help)
					}
				}
			}
		}
	}
}

func TestHelp(t *testing.T) {
	p := ruletest.Pass(model.Readiness, nil)
	p.Probe.PeriodSeconds, p.Probe.TimeoutSeconds, p.Probe.FailureThreshold = 5, 15, 2
	got := ruletest.Findings(t, Rule, p)
	want := "`periodSeconds: 10`, `timeoutSeconds: 5`, `failureThreshold: 2` notice a hang within 25s"
	if len(got) != 1 || got[0].Help != want {
		t.Errorf("got %+v, want the help %q", got, want)
	}
}
