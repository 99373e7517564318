package probelint.rules.deadline_within_half_timeout_test

import data.fixtures.deadline_within_half_timeout as fixtures
import data.probelint.rules.deadline_within_half_timeout as rule

test_a_long_deadline_is_denied if {
	some result in rule.deny with input as fixtures.long
	result.msg == "PostgreSQL may take 1.5s of the readiness probe's 2s"
}

test_no_deadline_is_denied if {
	some result in rule.deny with input as fixtures.none
	startswith(result.msg, "nothing ends the check of PostgreSQL")
}

test_a_short_deadline_is_fine if {
	count(rule.deny) == 0 with input as fixtures.short
}
