package expiredsuppression_test

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/rules"
	expiredsuppression "github.com/probelint/probelint/rules/expired-suppression"
)

func TestRule(t *testing.T) { linttest.Run(t, expiredsuppression.Rule, rules.All()...) }
