package policyfailed

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
	"github.com/probelint/probelint/internal/policytest"
)

func TestRule(t *testing.T) { linttest.RunWith(t, Rule, policytest.With("policies")) }
