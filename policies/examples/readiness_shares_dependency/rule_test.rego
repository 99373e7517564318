package probelint.rules.readiness_shares_dependency_test

import data.fixtures.readiness_shares_dependency as fixtures
import data.probelint.rules.readiness_shares_dependency as rule

test_six_replicas_and_one_database if {
	some result in rule.deny with input as fixtures.alone
	result.at.kind == "database"
	result.at.call == "(*database/sql.DB).PingContext"
}

test_a_budget_is_enough if {
	count(rule.deny) == 0 with input as fixtures.budget
}

test_few_replicas_are_fine if {
	few := json.patch(fixtures.alone, [{"op": "replace", "path": "/workload/replicas", "value": 2}])
	count(rule.deny) == 0 with input as few
}
