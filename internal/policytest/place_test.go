package policytest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/policy"
)

const manifestText = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: api
  labels: {team: pay}
spec:
  replicas: 3
  selector:
    matchLabels: {app: api}
  template:
    metadata:
      labels:
        app: api
    spec:
      terminationGracePeriodSeconds: 40
      containers:
        - name: api
          image: registry.example.com/api:1.4.2
          resources: {limits: {memory: 64Mi}}
          env:
            - {name: PORT, value: "8080"}
          ports:
            - name: http
              containerPort: 8080
          livenessProbe:
            httpGet: {path: /livez, port: http}
            periodSeconds: 5
          readinessProbe: {httpGet: {path: /readyz, port: http}, timeoutSeconds: 2}
---
apiVersion: v1
kind: Service
metadata: {name: api}
spec: {selector: {app: api}, ports: [{port: 80, targetPort: http}]}
`

// judge runs one policy over the manifest above.
func judge(t *testing.T, rego string) (*engine.Result, string) {
	t.Helper()
	dir := write(t, map[string]string{"deploy.yaml": manifestText, "policies/x.rego": "package probelint.rules.x\n\nimport data.probelint.lib\n\n" + rego + "\n"})
	res, err := engine.Run(context.Background(), engine.Options{
		Root: dir, WorkingDir: dir, Paths: []string{filepath.Join(dir, "deploy.yaml")}, NoGo: true, Settings: lint.DefaultSettings("default"),
		Policies: []string{filepath.Join(dir, "policies")}, LoadPolicies: Loader(policy.Options{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return res, dir
}

// An id and a field are the bytes that a reader expects.
func TestPlaces(t *testing.T) {
	tests := map[string]string{ // at, field: the text that is pointed at
		"input.workload ":                                        "api",
		"input.workload replicas":                                "replicas: 3",
		"input.workload labels.app":                              "labels",
		"input.workload objectLabels":                            "labels",
		"input.workload terminationGracePeriodSeconds":           "terminationGracePeriodSeconds: 40",
		"input.workload minReadySeconds":                         "api",
		"input.workload.containers[0] ":                          "api",
		"input.workload.containers[0] image":                     "registry.example.com/api:1.4.2",
		"input.workload.containers[0] memoryLimitBytes":          "64Mi",
		"input.workload.containers[0] ports[0].port":             "8080",
		"input.workload.containers[0] ports[0].name":             "http",
		"input.workload.containers[0] env[0]":                    `"8080"`,
		"input.workload.containers[0].probes[0] ":                "livenessProbe",
		"input.workload.containers[0].probes[0] role":            "livenessProbe",
		"input.workload.containers[0].probes[0] periodSeconds":   "periodSeconds: 5",
		"input.workload.containers[0].probes[0] timeoutSeconds":  "livenessProbe",
		"input.workload.containers[0].probes[0] target.path":     "/livez",
		"input.workload.containers[0].probes[0] target.portName": "http",
		"input.workload.containers[0].probes[0] target":          "/livez",
		"input.workload.containers[0].probes[0] windows.detect":  "periodSeconds: 5",
		"input.workload.containers[0].probes[1] timeoutSeconds":  "timeoutSeconds: 2",
		"input.workload.services[0] ":                            "api",
	}
	var rego strings.Builder
	for key := range tests {
		at, field, _ := strings.Cut(key, " ")
		if field != "" {
			field = `, "field": "` + field + `"`
		}
		rego.WriteString("deny contains {\"msg\": \"" + key + "\", \"at\": " + at + field + "} if input.workload\n")
	}
	res, dir := judge(t, rego.String())
	got := map[string]string{}
	data, err := os.ReadFile(filepath.Join(dir, "deploy.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range res.Findings {
		s := f.Primary.Span
		if f.Rule != "x" {
			t.Errorf("%s: %s", f.Rule, f.Title)
		}
		got[f.Title] = string(data[s.Start:s.End])
	}
	for key, want := range tests {
		if got := got[strings.TrimSpace(key)]; got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// A fix is bytes: over the value, or as a line beside what is written.
func TestFixes(t *testing.T) {
	tests := map[string]struct{ rego, old, want string }{
		"value":   {`{"msg": "m", "at": p, "fix": {"periodSeconds": 10}} if { some p in lib.probes; p.role == "liveness" }`, "periodSeconds: 5", "periodSeconds: 10"},
		"line":    {`{"msg": "m", "at": p, "fix": {"timeoutSeconds": 3}} if { some p in lib.probes; p.role == "liveness" }`, "            httpGet: {path: /livez", "            timeoutSeconds: 3\n            httpGet: {path: /livez"},
		"flow":    {`{"msg": "m", "at": p, "fix": {"periodSeconds": 7}} if { some p in lib.probes; p.role == "readiness" }`, "readinessProbe: {httpGet", "readinessProbe: {periodSeconds: 7, httpGet"},
		"image":   {`{"msg": "m", "at": c, "fix": {"image": "registry.example.com/api:2"}} if some c in input.workload.containers`, "api:1.4.2", "api:2"},
		"spec":    {`{"msg": "m", "at": input.workload, "fix": {"minReadySeconds": 5}} if input.workload`, "spec:\n  replicas", "spec:\n  minReadySeconds: 5\n  replicas"},
		"podspec": {`{"msg": "m", "at": input.workload, "fix": {"hostNetwork": false}} if input.workload`, "      terminationGrace", "      hostNetwork: false\n      terminationGrace"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res, _ := judge(t, "deny contains "+tt.rego)
			if len(res.Findings) != 1 || len(res.Findings[0].Fixes) != 1 {
				t.Fatalf("got %+v", res.Findings)
			}
			fix := res.Findings[0].Fixes[0]
			text := manifestText
			for _, e := range slices.Backward(fix.Edits) {
				text = text[:e.Span.Start] + e.Text + text[e.Span.End:]
			}
			if want := strings.Replace(manifestText, tt.old, tt.want, 1); text != want {
				t.Errorf("got %s", text)
			}
			if fix.Safe {
				t.Error("what a team wants is not known to be safe")
			}
		})
	}
}

// What a result holds stays in the finding: long messages, levels, keys.
func TestResults(t *testing.T) {
	res, _ := judge(t, `warn contains concat("", ["first line that is long enough to be cut: ", sprintf("%080d", [1]), "\nand a second line"]) if input.workload
deny contains {"msg": "one", "severity": "info", "key": "k"} if input.workload
deny contains {"msg": "two", "at": p, "related": [p, {"at": input.workload, "msg": "of this"}]} if { some p in lib.probes; p.role == "startup" }
deny contains {"msg": "three", "at": p, "related": [input.workload.containers[0], {"at": input.workload, "field": "replicas", "msg": "of this"}]} if {
	some p in lib.probes
	p.role == "liveness"
}`)
	if len(res.Findings) != 3 {
		t.Fatalf("got %+v", res.Findings)
	}
	by := map[string]lint.Finding{}
	for _, f := range res.Findings {
		by[strings.Fields(f.Title)[0]] = f
	}
	long := by["first"]
	if long.Level != lint.Warning || len([]rune(long.Title)) > lint.TitleLength || len(long.Notes) != 2 || !strings.HasSuffix(long.Notes[0], "0001") || long.Notes[1] != "and a second line" {
		t.Errorf("got %+v", long)
	}
	if f := by["one"]; f.Level != lint.Info || f.Identity[len(f.Identity)-1] != "k" {
		t.Errorf("got %+v", f)
	}
	f := by["three"]
	if len(f.Labels) != 2 || f.Labels[0].Text != "container `api`" || f.Labels[1].Text != "of this" || len(f.Probes) != 1 || f.Fingerprint == "" {
		t.Errorf("got %+v", f)
	}
}
