# METADATA
# title: Exec probes are not allowed
# description: >-
#   An exec probe starts a process in the container at every attempt, on every
#   node, for as long as the pod lives.
# custom:
#   id: exec-probe-forbidden
#   severity: error
#   help: an httpGet or grpc probe, which asks the process itself
package probelint.rules.exec_probe_forbidden

# Containers that have nothing else to offer, by the beginning of their image.
allowed := ["postgres:", "redis:"]

deny contains {
	"msg": $"{probe.role} probe of `{container.name}` starts `{probe.target.command[0]}` every {probe.periodSeconds}s",
	"at": probe,
	"field": "target.command",
} if {
	some container in input.workload.containers
	some probe in container.probes
	probe.kind == "exec"
	not excepted(container)
}

excepted(container) if {
	some prefix in allowed
	startswith(container.image, prefix)
}
