# METADATA
# title: A slow start needs a startup probe
# description: >-
#   Without a startup probe the liveness probe counts from the beginning, and a
#   start that takes longer than its window is restarted for ever.
# custom:
#   id: startup-probe-required
#   severity: error
#   help: a startupProbe on the same endpoint, with failureThreshold x periodSeconds above the longest start
package probelint.rules.startup_probe_required

import data.probelint.lib

# Pods with this label start slowly.
label := "start"

deny contains {
	"msg": $"`{container.name}` starts slowly and has no startup probe",
	"at": container,
	"field": "name",
	"related": [{"at": input.workload, "field": "labels", "msg": "labelled as slow to start"}],
} if {
	input.workload.labels[label] == "slow"
	some container in lib.serving
	lib.probe_of(container, "liveness")
	not lib.probe_of(container, "startup")
}
