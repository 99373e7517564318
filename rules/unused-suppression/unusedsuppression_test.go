package unusedsuppression_test

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/rules"
	unusedsuppression "github.com/probelint/probelint/rules/unused-suppression"
)

func TestRule(t *testing.T) { linttest.Run(t, unusedsuppression.Rule, rules.All()...) }
