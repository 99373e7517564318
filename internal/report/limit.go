package report

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// LimitLine is one line about what was not read or not followed: what, why, and which rules are affected:
// they say nothing, or nothing above info, where it matters.
func LimitLine(l model.Limit) string {
	s := l.What
	if l.Because != "" {
		s += ": " + l.Because
	}
	if len(l.RulesOff) > 0 {
		s += " (affects " + strings.Join(l.RulesOff, ", ") + ")"
	}
	return Printable(s)
}
