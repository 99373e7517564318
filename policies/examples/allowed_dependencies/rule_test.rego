package probelint.rules.allowed_dependencies_test

import data.fixtures.allowed_dependencies as fixtures
import data.probelint.rules.allowed_dependencies as rule

test_a_database_is_not_allowed_in_shop if {
	some result in rule.deny with input as fixtures.shop
	result.at.name == "PostgreSQL"
}

test_a_namespace_that_allows_it if {
	billing := json.patch(fixtures.shop, [{"op": "replace", "path": "/workload/namespace", "value": "billing"}])
	count(rule.deny) == 0 with input as billing
}

test_a_namespace_without_an_entry_allows_all if {
	count(rule.deny) == 0 with input as fixtures.shop with data.allowed_dependencies.allowed as {}
}
