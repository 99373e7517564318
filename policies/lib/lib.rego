# METADATA
# title: probelint policy library
# description: Helpers for team rules. Part of the program; `import data.probelint.lib`.
package probelint.lib

# METADATA
# description: every probe of the workload, of all its containers
probes contains probe if some probe in input.workload.containers[_].probes

# METADATA
# description: the containers that run beside each other; init containers are over by then
serving contains container if {
	some container in input.workload.containers
	container.kind in {"main", "sidecar"}
}

# METADATA
# description: how many pods there are at most; 1 where the kind has no number of its own
replicas := object.get(input.workload, "replicas", 1)

# METADATA
# description: a field of the probe was written in the manifest and is no default
declared(probe, field) if field in probe.declared

# METADATA
# description: the container's probe of a role; undefined where it has none
probe_of(container, role) := probe if {
	some probe in container.probes
	probe.role == role
}

# METADATA
# description: calls a second that the probes of all pods together make to one endpoint
calls_per_second(probe) := replicas / probe.periodSeconds

# METADATA
# description: the dependency leaves the pod, and its outcome can turn the status
decides(dependency) if {
	dependency.scope == "external"
	dependency.gates
}

# METADATA
# description: seconds("1m30s") is 90
seconds(duration) := time.parse_duration_ns(duration) / 1000000000

# METADATA
# description: the workload is reached from outside of the cluster
exposed if count(object.get(input.workload, "ingresses", [])) > 0

exposed if {
	some service in input.workload.services
	service.type in {"LoadBalancer", "NodePort"}
}
