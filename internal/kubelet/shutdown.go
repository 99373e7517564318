package kubelet

import (
	"fmt"

	"github.com/probelint/probelint/internal/model"
)

// MinTermination is the least time between SIGTERM and SIGKILL, however much of the grace period the preStop hook used
// (kuberuntime_manager.go, minimumGracePeriodInSeconds).
const MinTermination = 2

// Shutdown is what happens between the deletion of a pod and the end of its process, in seconds.
type Shutdown struct {
	PreStop float64 // the preStop hook; the grace period is already running
	Wait    float64 // in the process, between SIGTERM and closing the listener
	Timeout float64 // the server's Shutdown timeout, or the longest request
	Grace   float64 // terminationGracePeriodSeconds
}

// Drain is how long the pod still accepts connections after its deletion.
func (s Shutdown) Drain() float64 { return s.PreStop + s.Wait }

// Refuses reports whether connections are refused while the neighbours, delta seconds late, still send some.
func (s Shutdown) Refuses(delta float64) bool { return s.Drain() < delta }

// Needs is the grace period with which no request is cut: drain, then the shutdown, then a margin for the end of main.
func (s Shutdown) Needs() float64 { return s.PreStop + s.Wait + s.Timeout + MinTermination }

// Cuts reports whether SIGKILL comes while requests are still being answered.
func (s Shutdown) Cuts() bool { return s.Needs() > s.Grace }

// TermToKill is the time between SIGTERM and SIGKILL.
func (s Shutdown) TermToKill() float64 { return max(MinTermination, s.Grace-s.PreStop) }

// StopMax is the most that a container lives on after the kubelet decided to stop it. With the grace period of a liveness
// probe as Grace it is how long a hung process stays after the verdict.
func (s Shutdown) StopMax() float64 {
	return max(s.Grace, min(s.PreStop, s.Grace)+MinTermination)
}

// Propagation delays: the time until those in front of a pod have heard that it left.
const (
	ServiceDelay = 2 // EndpointSlice and kube-proxy
	IngressDelay = 5 // an ingress controller, gateway or load balancer behind that
)

// Propagation is how long after a pod leaves it still gets new connections, and what is in front of it in words. The delay
// is 0 and the words are empty where nothing in the input is.
func Propagation(w *model.Workload) (delay float64, front string) {
	if len(w.Ingresses) > 0 {
		i := w.Ingresses[0]
		return IngressDelay, fmt.Sprintf("%s `%s`", i.Kind, i.Name)
	}
	for _, s := range w.Services {
		if s.Type == "LoadBalancer" {
			return IngressDelay, fmt.Sprintf("load balancer Service `%s`", s.Name)
		}
	}
	for _, s := range w.Services {
		return ServiceDelay, fmt.Sprintf("Service `%s`", s.Name)
	}
	return 0, ""
}

// FleetLoad is the calls per second that the probes of all replicas put on one dependency, calls per probe.
func FleetLoad(replicas, calls, period int) float64 {
	return float64(replicas*calls) / float64(positive(period, DefaultPeriod))
}
