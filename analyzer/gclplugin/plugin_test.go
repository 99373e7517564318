package gclplugin

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
)

func TestRegistered(t *testing.T) {
	if _, err := register.GetPlugin("probelint"); err != nil {
		t.Fatal(err)
	}
}

func TestSettings(t *testing.T) {
	for _, ok := range []map[string]any{nil, {}, {"show": "info", "profile": "strict", "select": []string{"cached-aggregate"}, "facts": false}} {
		p, err := New(ok)
		if err != nil {
			t.Errorf("%v: %v", ok, err)
			continue
		}
		as, err := p.BuildAnalyzers()
		if err != nil || len(as) != 1 || p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Errorf("%v: analyzers %v, mode %s, error %v", ok, as, p.GetLoadMode(), err)
			continue
		}
		if facts := ok["facts"] != false; facts != (len(as[0].FactTypes) > 0) {
			t.Errorf("%v: fact types %v", ok, as[0].FactTypes)
		}
	}
	for want, bad := range map[string]map[string]any{
		"unknown field": {"shwo": "info"}, `"loud" is no level`: {"show": "loud"}, "the profiles are": {"profile": "lax"},
		`did you mean "cached-aggregate"?`: {"select": []string{"cached-agregate"}},
	} {
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q in it", bad, err, want)
		}
	}
}
