// Package kubelet is the arithmetic of the kubelet's probes on the model: how long a fault stays unseen, how long a
// container has for its start, how long it takes back into rotation, what a shutdown needs, and what a fleet's probes cost a
// dependency. Pure functions; every formula is that of Kubernetes v1.37.2, pkg/kubelet/prober, read from the code and
// measured against the unmodified worker. The tests hold the formulas against a simulation of that worker.
//
// All times are seconds. Names follow the Kubernetes fields: period is periodSeconds, and so on.
package kubelet
