package nostoremissing

import (
	"testing"

	"github.com/probelint/probelint/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, Rule) }
