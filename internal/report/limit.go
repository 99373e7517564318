package report

import (
	"strings"

	"github.com/probelint/probelint/internal/model"
)

// LimitLine is one line about what was not read or not followed: what, why, and which rules are off because of it.
func LimitLine(l model.Limit) string {
	s := l.What
	if l.Because != "" {
		s += ": " + l.Because
	}
	if len(l.RulesOff) > 0 {
		s += " (off: " + strings.Join(l.RulesOff, ", ") + ")"
	}
	return Printable(s)
}
