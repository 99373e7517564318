# METADATA
# title: A probe asks only what its namespace allows
# description: >-
#   Which systems a health check may wait for is a decision of the team that
#   owns the namespace.
# custom:
#   id: allowed-dependencies
#   severity: error
#   help: leave the check out, or have the namespace allow it
package probelint.rules.allowed_dependencies

import data.allowed_dependencies.allowed
import data.probelint.lib

deny contains {
	"msg": $"{probe.role} probe in namespace `{input.workload.namespace}` asks {dep.name}, which is not allowed there",
	"at": dep,
	"related": [probe],
	"key": $"{probe.role} {dep.kind}",
} if {
	kinds := allowed[input.workload.namespace]
	some probe in lib.probes
	some dep in probe.endpoint.dependencies
	dep.scope == "external"
	not dep.kind in kinds
}
