package judge

import (
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func TestQuieten(t *testing.T) {
	off := RulesOff([]model.Limit{{What: "m"}, {What: "n", RulesOff: []string{"absent"}}})
	for name, c := range map[string]struct {
		rule string
		f    Found
		want lint.Level
	}{
		"followed":          {"absent", Found{Objects: Objects{Endpoint: &model.Endpoint{}, Program: &model.Program{Complete: true}}}, lint.Error},
		"a call is missing": {"absent", Found{Objects: Objects{Endpoint: &model.Endpoint{Unfollowed: []model.Unfollowed{{Call: "x"}}}}}, lint.Info},
		"main is cut":       {"absent", Found{Objects: Objects{Program: &model.Program{}}}, lint.Info},
		"no code at all":    {"absent", Found{}, lint.Error},
		"another rule":      {"present", Found{Objects: Objects{Program: &model.Program{}}}, lint.Error},
	} {
		c.f.Rule, c.f.Level, c.f.Certainty = c.rule, lint.Error, model.Proven
		fs := []Found{c.f}
		Quieten(fs, off)
		if fs[0].Level != c.want || (fs[0].Certainty == model.Proven) != (c.want == lint.Error) {
			t.Errorf("%s: %s %s", name, fs[0].Level, fs[0].Certainty)
		}
	}
}
