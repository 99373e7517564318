# METADATA
# title: A liveness probe restarts within the budget of its tier
# description: >-
#   A process that hangs serves nothing until the kubelet restarts it. The label
#   `tier` of the pods says how long that is allowed to last.
# custom:
#   id: liveness-budget-per-tier
#   severity: error
#   help: a shorter period, fewer failures, or another tier
package probelint.rules.liveness_budget_per_tier

import data.liveness_budget_per_tier.seconds
import data.probelint.lib

deny contains {
	"msg": $"restarts a hang of `{input.workload.name}` after up to {worst}s; tier `{tier}` allows {seconds[tier]}s",
	"at": probe,
	"field": "windows.detect.hang",
	"related": [{"at": input.workload, "field": "labels.tier", "msg": $"tier `{tier}` allows {seconds[tier]}s"}],
} if {
	tier := input.workload.labels.tier
	some probe in lib.probes
	probe.role == "liveness"
	worst := probe.windows.detect.hang.worst
	worst > seconds[tier]
}

warn contains {
	"msg": $"the tier `{tier}` of `{input.workload.name}` has no budget",
	"at": input.workload,
	"field": "labels.tier",
} if {
	tier := input.workload.labels.tier
	not seconds[tier]
}
