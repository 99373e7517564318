package probelint.rules.exec_probe_forbidden_test

import data.fixtures.exec_probe_forbidden as fixtures
import data.probelint.rules.exec_probe_forbidden as rule

test_exec_is_denied if {
	some result in rule.deny with input as fixtures.exec
	result.msg == "readiness probe of `api` starts `curl` every 5s"
}

test_a_database_may_use_its_own_tool if {
	count(rule.deny) == 0 with input as fixtures.database
}
