// Package ruletest builds passes from hand-made model values, so that the Check of a rule is tested without a front end.
// Places are made up: line N of a file is the bytes from 100N on.
package ruletest

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// At is ten bytes on a line of a file.
func At(file string, line int) model.Span {
	return model.Span{File: file, Start: 100 * line, End: 100*line + 10, Line: line}
}

// Code is a place in main.go.
func Code(line int) model.Span { return At("main.go", line) }

// Yaml is a place in deploy.yaml. A probe that Pass makes has its key on line 20, httpGet on 21, the path on 22, and the
// written timings on 24 (periodSeconds), 25 (timeoutSeconds) and 26 (failureThreshold); a field's key and value are one span.
func Yaml(line int) model.Span { return At("deploy.yaml", line) }

// Pass is a pass over the probe of that role of container `app` of Deployment/shop with 3 replicas behind a Service:
// /healthz on port 8080, every 10 s with a timeout of 2 s, 3 failures, linked with certainty to the endpoint, whose symbol,
// file and registration are filled in. e may be nil.
func Pass(role model.Role, e *model.Endpoint) *lint.Pass {
	replicas := 3
	f := func(line int) model.Field { return model.Field{Key: Yaml(line), Value: Yaml(line)} }
	probe := &model.Probe{
		Role: role, Kind: model.HTTPGet, File: "deploy.yaml", Line: 20,
		Target:        model.Target{Scheme: "HTTP", Path: "/healthz", Port: 8080},
		PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3, SuccessThreshold: 1,
		Declared: []string{"periodSeconds", "timeoutSeconds", "failureThreshold"},
		Endpoint: e, Certainty: model.Proven, Span: Yaml(20),
		Fields: model.Fields{
			"httpGet": f(21), "httpGet.path": f(22), "periodSeconds": f(24), "timeoutSeconds": f(25), "failureThreshold": f(26),
		},
	}
	if e != nil {
		e.Symbol, e.File, e.Line = "main.health", "main.go", 30
		e.Registration = Code(10)
	}
	c := &model.Container{Name: "app", Kind: model.Main, Span: Yaml(5), Probes: []*model.Probe{probe}}
	w := &model.Workload{
		Kind: "Deployment", Name: "shop", File: "deploy.yaml", Line: 1, Replicas: &replicas,
		Services: []*model.Service{{Name: "shop", Type: "ClusterIP"}}, Containers: []*model.Container{c}, Span: Yaml(3),
		TerminationGracePeriodSeconds: 30,
	}
	return &lint.Pass{Settings: lint.DefaultSettings("default"), Workload: w, Container: c, Probe: probe, Endpoint: e}
}

// Guessed is a pass as under go vet: an endpoint with a role from its path, no manifest.
func Guessed(role model.Role, e *model.Endpoint) *lint.Pass {
	p := Pass(role, e)
	e.Role, e.Route = role, "/healthz"
	probe := &model.Probe{
		Role: role, Kind: model.HTTPGet, Guessed: true, Certainty: model.Guessed, Endpoint: e,
		PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1,
		Target: model.Target{Path: "/healthz"},
	}
	return &lint.Pass{Settings: p.Settings, Probe: probe, Endpoint: e}
}

// Ping is a call on line 40 of main.go whose outcome decides and that waits at most a second.
func Ping() *model.Dependency {
	return &model.Dependency{
		Kind: "database", Name: "PostgreSQL", Call: "(*database/sql.DB).PingContext", Operation: "ping",
		File: "main.go", Line: 40, Span: Code(40), Scope: model.External, Shared: true, Gates: true, Mode: "sequential",
		Bound: model.BoundDeadline, Deadline: Second(1), Certainty: model.Proven,
	}
}

// Second is a constant deadline of s seconds on line 38 of main.go.
func Second(s float64) *model.Deadline {
	return &model.Deadline{Seconds: s, Known: true, File: "main.go", Line: 38, From: "constant", Span: Code(38)}
}

// Findings runs a rule over one pass. It fails the test where a text breaks the message guide (STYLE.md section 9).
func Findings(t *testing.T, r *lint.Rule, p *lint.Pass) []lint.Finding {
	t.Helper()
	var out []lint.Finding
	p.Report = func(f lint.Finding) {
		Words(t, r, f)
		out = append(out, f)
	}
	r.Check(p)
	return out
}

// Want compares whole findings.
func Want(t *testing.T, r *lint.Rule, p *lint.Pass, want ...lint.Finding) {
	t.Helper()
	if diff := cmp.Diff(want, Findings(t, r, p)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// WantLine compares the findings in short, "LEVEL CERTAINTY TITLE" each; no line means silence.
func WantLine(t *testing.T, r *lint.Rule, p *lint.Pass, want ...string) {
	t.Helper()
	var got []string
	for _, f := range Findings(t, r, p) {
		got = append(got, fmt.Sprintf("%s %s %s", f.Level, f.Certainty, f.Title))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Words fails a test where a finding breaks the message guide.
func Words(t *testing.T, r *lint.Rule, f lint.Finding) {
	t.Helper()
	for _, fault := range Faults(r, f) {
		t.Errorf("%s: %q: %s", r.Name, f.Title, fault)
	}
}
