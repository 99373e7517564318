# METADATA
# title: Readiness of many replicas hangs on one dependency
# description: >-
#   Every replica asks the same dependency, so its outage takes all of them out
#   of rotation at once. Without a disruption budget a drain of nodes can take
#   the last ones that are left.
# custom:
#   id: readiness-shares-dependency
#   severity: error
#   help: report the dependency in the body of the answer, or add a PodDisruptionBudget
package probelint.rules.readiness_shares_dependency

import data.probelint.lib

# From so many replicas on.
replicas := 3

deny contains {
	"msg": $"all {lib.replicas} replicas of `{input.workload.name}` are ready only while {dep.name} is",
	"at": dep,
	"related": [{"at": probe, "field": "target.path", "msg": "readiness asks this"}],
	"key": dep.kind,
} if {
	lib.replicas > replicas
	count(object.get(input.workload, "budgets", [])) == 0
	some probe in lib.probes
	probe.role == "readiness"
	some dep in probe.endpoint.dependencies
	dep.shared
	lib.decides(dep)
}
