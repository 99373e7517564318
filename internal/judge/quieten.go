package judge

import (
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// RulesOff are the rules that some limit names: they conclude from what is not there, and something could not be read.
func RulesOff(limits []model.Limit) map[string]bool {
	off := map[string]bool{}
	for _, l := range limits {
		for _, r := range l.RulesOff {
			off[r] = true
		}
	}
	return off
}

// Quieten keeps rules that a limit names from speaking louder than info about code that was not followed to its end. Code
// that was followed is judged as ever: what is missing elsewhere says nothing about it.
func Quieten(fs []Found, off map[string]bool) {
	for i := range fs {
		f := &fs[i]
		cut := f.Endpoint != nil && len(f.Endpoint.Unfollowed) > 0 || f.Program != nil && !f.Program.Complete
		if !off[f.Rule] || !cut {
			continue
		}
		f.Level = min(f.Level, lint.Info)
		f.Certainty = lint.Weaker(f.Certainty, model.Likely)
	}
}
