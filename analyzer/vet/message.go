package vet

import (
	"fmt"

	"github.com/probelint/probelint/internal/lint"
)

// Message is the one line that drivers print: the fact, and the rule to look up.
func Message(f lint.Finding) string { return fmt.Sprintf("%s (%s)", f.Title, f.Rule) }
