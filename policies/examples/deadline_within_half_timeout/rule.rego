# METADATA
# title: A check ends within half of the probe's timeout
# description: >-
#   The kubelet hangs up after timeoutSeconds. A check that may take longer than
#   half of it leaves no time for a second one, for garbage collection, or for
#   the answer itself.
# custom:
#   id: deadline-within-half-timeout
#   severity: error
#   help: a context.WithTimeout around the check
package probelint.rules.deadline_within_half_timeout

import data.probelint.lib

deny contains {
	"msg": $"{dep.name} may take {dep.deadline.seconds}s of the {probe.role} probe's {probe.timeoutSeconds}s",
	"at": dep,
	"field": "deadline",
	"related": [timeout(probe)],
} if {
	some probe in lib.probes
	some dep in probe.endpoint.dependencies
	dep.deadline.seconds > probe.timeoutSeconds / 2
}

deny contains {
	"msg": $"nothing ends the check of {dep.name} before the {probe.role} probe's {probe.timeoutSeconds}s",
	"at": dep,
	"related": [timeout(probe)],
} if {
	some probe in lib.probes
	some dep in probe.endpoint.dependencies
	dep.bound in {"none", "request", "answer"}
}

timeout(probe) := {"at": probe, "field": "timeoutSeconds", "msg": $"the kubelet gives up after {probe.timeoutSeconds}s"}
