package probelint.rules.liveness_budget_per_tier_test

import data.fixtures.liveness_budget_per_tier as fixtures
import data.probelint.rules.liveness_budget_per_tier as rule

test_a_critical_workload_is_restarted_late if {
	some result in rule.deny with input as fixtures.critical
	result.at.periodSeconds == 20
	contains(result.msg, "tier `critical` allows 40s")
}

test_a_standard_workload_has_more_time if {
	count(rule.deny) == 0 with input as fixtures.standard
	count(rule.warn) == 0 with input as fixtures.standard
}

test_the_budget_is_data if {
	count(rule.deny) == 1 with input as fixtures.standard with data.liveness_budget_per_tier.seconds as {"standard": 10}
}

test_a_tier_without_a_budget_is_named if {
	some result in rule.warn with input as fixtures.unknown_tier
	result.field == "labels.tier"
}
