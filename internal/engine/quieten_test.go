package engine

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func TestQuieten(t *testing.T) {
	off := rulesOff([]model.Limit{{What: "m"}, {What: "n", RulesOff: []string{"absent"}}})
	for name, c := range map[string]struct {
		rule string
		f    found
		want lint.Level
	}{
		"followed":          {"absent", found{endpoint: &model.Endpoint{}, program: &model.Program{Complete: true}}, lint.Error},
		"a call is missing": {"absent", found{endpoint: &model.Endpoint{Unfollowed: []model.Unfollowed{{Call: "x"}}}}, lint.Info},
		"main is cut":       {"absent", found{program: &model.Program{}}, lint.Info},
		"no code at all":    {"absent", found{}, lint.Error},
		"another rule":      {"present", found{program: &model.Program{}}, lint.Error},
	} {
		c.f.Rule, c.f.Level, c.f.Certainty = c.rule, lint.Error, model.Proven
		fs := []found{c.f}
		quieten(fs, off)
		if fs[0].Level != c.want || (fs[0].Certainty == model.Proven) != (c.want == lint.Error) {
			t.Errorf("%s: %s %s", name, fs[0].Level, fs[0].Certainty)
		}
	}
}
