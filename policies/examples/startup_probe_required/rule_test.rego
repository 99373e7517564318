package probelint.rules.startup_probe_required_test

import data.fixtures.startup_probe_required as fixtures
import data.probelint.rules.startup_probe_required as rule

test_a_slow_start_without_a_startup_probe if {
	some result in rule.deny with input as fixtures.missing
	result.at.name == "api"
}

test_a_startup_probe_is_enough if {
	count(rule.deny) == 0 with input as fixtures.present
}

test_without_the_label_nothing_is_asked if {
	quick := json.remove(fixtures.missing, ["/workload/labels/start"])
	count(rule.deny) == 0 with input as quick
}
