package lint

import (
	"net/netip"
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// Elsewhere reports whether a host names something outside the pods of the workload, as far as its text tells: no
// loopback or unspecified address, no socket, no placeholder, and not a Service that selects the workload itself. w may
// be nil.
func Elsewhere(host string, w *model.Workload) bool {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if host == "" || strings.ContainsAny(host, "$(){}<>% /") || strings.EqualFold(host, "localhost") {
		return false
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return !a.IsLoopback() && !a.IsUnspecified()
	}
	name, rest, _ := strings.Cut(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	if w != nil {
		namespace, _, _ := strings.Cut(rest, ".")
		for _, s := range w.Services {
			if s.Name == name && (namespace == "" || s.Namespace == "" || namespace == s.Namespace) {
				return false
			}
		}
	}
	return true
}

// Timeout is the probe's timeoutSeconds, 1 where there is no manifest; ok is false where it was written and could not be
// read.
func (p *Pass) Timeout() (seconds float64, ok bool) {
	if p.Probe == nil {
		return 1, true
	}
	if p.Probe.Guessed { // by a directive, else the kubelet's default
		return float64(max(1, p.Probe.TimeoutSeconds)), true
	}
	if p.Probe.IsUnknown("timeoutSeconds") {
		return 0, false
	}
	return float64(max(1, p.Probe.TimeoutSeconds)), true
}

// Period is the probe's periodSeconds, 10 where there is no manifest; ok is false where it was written and could not be
// read.
func (p *Pass) Period() (seconds float64, ok bool) {
	if p.Probe == nil || p.Probe.Guessed {
		return 10, true
	}
	if p.Probe.IsUnknown("periodSeconds") {
		return 0, false
	}
	if p.Probe.PeriodSeconds < 1 {
		return 10, true
	}
	return float64(p.Probe.PeriodSeconds), true
}

// Replicas is the number of replicas in words: "all 6 replicas", "up to 12 replicas" of an autoscaler, "the only replica", "every pod" where the kind has no
// number of its own or there is no manifest.
func (p *Pass) Replicas() string {
	switch {
	case p.Workload == nil || p.Workload.Replicas == nil:
		return "every pod"
	case p.Workload.ReplicasFrom != "" && *p.Workload.Replicas > 1:
		return "up to " + Count(*p.Workload.Replicas, "replica")
	case *p.Workload.Replicas == 1:
		return "the only replica"
	case *p.Workload.Replicas == 2:
		return "both replicas"
	}
	return "all " + Count(*p.Workload.Replicas, "replica")
}
