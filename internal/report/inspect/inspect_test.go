package inspect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report/inspect"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func ptr[T any](v T) *T { return &v }

func input() *inspect.Input {
	endpoint := &model.Endpoint{
		Symbol: "(*example.com/shop/health.health).healthz", File: "health.go", Line: 37, EndLine: 43, Program: "example.com/shop/cmd/api", Route: "/healthz",
		Answer: model.Answer{Statuses: []int{200, 503}, ErrorText: true}, Budget: &model.TimeBudget{Lower: 2, Upper: ptr(5.0), Basis: "sum", From: "constant"},
		Cache: &model.Cache{Seconds: 30, Known: true, Kind: "ttl"}, State: []model.State{{Name: "ready", Kind: "local", Gates: true, File: "health.go", Line: 38}},
		Wrappers: []model.Wrapper{{Symbol: "requireToken", Statuses: []int{401}, File: "mw.go", Line: 3}},
		Dependencies: []*model.Dependency{
			{
				Kind: "database", Name: "PostgreSQL", Call: "(*database/sql.DB).PingContext", File: "store.go", Line: 12, Scope: model.External, Gates: true,
				Deadline: &model.Deadline{Seconds: 2, Known: true, From: "constant", File: "health.go", Line: 36}, Bound: model.BoundDeadline, Mode: "sequential",
				Via: []model.Frame{{Symbol: "(*store).Ready", File: "health.go", Line: 39}},
			},
			{Kind: "cache", Name: "Redis", Call: "(*redis.Client).Ping", File: "store.go", Line: 20, Scope: model.External, Bound: model.BoundNone, Mode: "parallel"},
			{Kind: "http", Call: "net/http.Get", Target: "catalog", File: "store.go", Line: 30, Scope: model.External, Bound: model.BoundRequest},
		},
		Unfollowed: []model.Unfollowed{{Call: "plugin.Lookup", Why: "no source", File: "health.go", Line: 41}},
	}
	return &inspect.Input{
		Workloads: []*model.Workload{
			{
				Kind: "Deployment", Name: "checkout", Namespace: "shop", File: "deploy/checkout.yaml", Line: 1, Replicas: ptr(6), Renderer: "helm",
				Services: []*model.Service{{Name: "checkout"}}, Ingresses: []*model.Ingress{{Kind: "Ingress", Name: "shop"}},
				Containers: []*model.Container{
					{Name: "api", Image: "checkout:1", Kind: model.Main, Ports: []model.ContainerPort{{Name: "http", Port: 8080}}, Probes: []*model.Probe{
						{
							Role: model.Liveness, Kind: model.HTTPGet, File: "deploy/checkout.yaml", Line: 21, Target: model.Target{Scheme: "HTTP", Path: "/healthz", Port: 8080},
							PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1, InitialDelaySeconds: 5, Declared: []string{"periodSeconds", "initialDelaySeconds"},
							Windows:  &model.Windows{Detect: &model.Detect{Fast: model.Range{Best: 20, Worst: 30}, Hang: model.Range{Best: 21, Worst: 31}}, Boot: &model.Range{Best: 24, Worst: 35}},
							Endpoint: endpoint, Certainty: model.Likely,
							Evidence: []model.Evidence{{Step: "program", Fact: "the only main package of the module", File: "go.mod", Line: 1}, {Step: "route", Fact: "/healthz is registered", File: "main.go", Line: 9}},
						},
						{
							Role: model.Readiness, Kind: model.TCPSocket, Target: model.Target{PortName: "web"}, File: "deploy/checkout.yaml", Line: 30, Unknown: []string{"periodSeconds"},
							Windows: &model.Windows{Never: "no port of the container is named \"web\""}, Reason: "tcpSocket asks no handler",
						},
					}},
					{Name: "proxy", Kind: model.Sidecar, Probes: []*model.Probe{
						{Role: model.Startup, Kind: model.Exec, Target: model.Target{Command: []string{"sh", "-c", "echo \x1b[31m"}}, File: "deploy/checkout.yaml", Line: 50},
						{
							Role: model.Readiness, Kind: model.GRPC, Target: model.Target{Port: 9000, Service: "shop.v1"}, File: "deploy/checkout.yaml", Line: 60, Windows: &model.Windows{Recover: &model.Range{Best: 0, Worst: 10}},
							Endpoint: &model.Endpoint{Symbol: "main.check", File: "main.go", Line: 3, Answer: model.Answer{Static: true, Statuses: []int{200}}}, Certainty: model.Proven,
						},
					}},
				},
			},
			{Kind: "Job", Name: "migrate", File: "job.yaml", Line: 1, Containers: []*model.Container{{Name: "m", Kind: model.Main}}},
		},
		Programs: []*model.Program{
			{Package: "example.com/shop/cmd/api", Dir: "cmd/api", Servers: []*model.Server{
				{Address: ":8080", AddressFrom: "default", Kind: "http", Routes: []*model.Route{{Pattern: "/healthz", Handler: "healthz", Span: model.Span{File: "main.go", Line: 9}}, {Method: "GET", Pattern: "/", Handler: "index", CatchAll: true}}},
				{TLS: true, Kind: "grpc"},
			}, Shutdown: &model.Shutdown{Wait: ptr(5.0)}, Stopped: []model.Unfollowed{{Call: "mount", Why: "dynamic"}}},
			{Package: "example.com/shop/cmd/tool", Dir: "cmd/tool"},
		},
		Limits: []model.Limit{{What: "vendor/x", Because: "does not type-check", RulesOff: []string{"check-without-deadline"}}},
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := inspect.WriteText(&b, input()); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "all.txt", b.Bytes())
	if bytes.ContainsRune(b.Bytes(), 0x1b) {
		t.Error("an escape of the input reaches the terminal")
	}
}

func TestJSON(t *testing.T) {
	for name, in := range map[string]*inspect.Input{"all": input(), "empty": {}} {
		var b bytes.Buffer
		if err := inspect.WriteJSON(&b, in); err != nil {
			t.Fatal(err)
		}
		reporttest.Golden(t, name+".json", b.Bytes())
		var doc any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		noNull(t, name, doc)
	}
}

func noNull(t *testing.T, path string, v any) {
	switch v := v.(type) {
	case nil:
		t.Errorf("%s is null", path)
	case map[string]any:
		for k, x := range v {
			noNull(t, path+"."+k, x)
		}
	case []any:
		for i, x := range v {
			noNull(t, fmt.Sprintf("%s[%d]", path, i), x)
		}
	}
}
