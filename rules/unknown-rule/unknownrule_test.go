package unknownrule_test

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/rules"
	unknownrule "github.com/probelint/probelint/rules/unknown-rule"
)

func TestRule(t *testing.T) { linttest.Run(t, unknownrule.Rule, rules.All()...) }
