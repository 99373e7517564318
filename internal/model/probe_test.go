package model

import (
	"encoding/json"
	"testing"
)

// Unknown is absent, a written 0 is not, and nothing else of a probe changes.
func TestUnknownTimingsAreAbsent(t *testing.T) {
	p := Probe{Role: Liveness, Kind: Exec, PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1, Declared: []string{"periodSeconds"}, Reason: "a && b"}
	fields := func() map[string]any {
		b, err := json.Marshal([]*Probe{&p})
		if err != nil {
			t.Fatal(err)
		}
		var out []map[string]any
		if err := json.Unmarshal(b, &out); err != nil {
			t.Fatal(err)
		}
		return out[0]
	}
	timing := []string{"periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold", "initialDelaySeconds"}
	for _, c := range []struct {
		unknown []string
		absent  map[string]bool
	}{
		{nil, nil},
		{[]string{"periodSeconds"}, map[string]bool{"periodSeconds": true}},
		{[]string{"httpGet.port"}, nil},
		{[]string{"timeoutSeconds", "failureThreshold"}, map[string]bool{"timeoutSeconds": true, "failureThreshold": true}},
		{[]string{"livenessProbe"}, map[string]bool{"periodSeconds": true, "timeoutSeconds": true, "failureThreshold": true, "successThreshold": true, "initialDelaySeconds": true}},
	} {
		p.Unknown = c.unknown
		got := fields()
		for _, f := range timing {
			if _, there := got[f]; there == c.absent[f] {
				t.Errorf("unknown %q: %s there: %v", c.unknown, f, there)
			}
		}
		if got["role"] != "liveness" || got["kind"] != "exec" || got["reason"] != "a && b" || len(got) != 13-len(c.absent) {
			t.Errorf("unknown %q: %v", c.unknown, got)
		}
	}
}

func TestBuiltIn(t *testing.T) {
	for version, want := range map[string]bool{
		"v1": true, "apps/v1": true, "batch/v1": true, "apps.openshift.io/v1": true, "policy.k8s.io/v1": true,
		"argoproj.io/v1alpha1": false, "serving.knative.dev/v1": false, "jobset.x-k8s.io/v1alpha2": false,
	} {
		if got := (&Workload{APIVersion: version}).BuiltIn(); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}
