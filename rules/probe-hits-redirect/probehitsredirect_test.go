package probehitsredirect

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
)

func TestRule(t *testing.T) { linttest.Run(t, Rule) }
