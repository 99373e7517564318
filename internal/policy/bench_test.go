//go:build unix

package policy

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// thirteen are rules as teams write them: about fields, windows, targets, code and dependencies.
var thirteen = []string{
	`p.role == "liveness"; p.windows.detect.hang.worst > 120`,
	`p.kind == "exec"; p.periodSeconds < 10`,
	`p.timeoutSeconds > p.periodSeconds`,
	`p.role == "liveness"; some d in p.endpoint.dependencies; lib.decides(d)`,
	`p.role == "readiness"; some d in p.endpoint.dependencies; d.shared; lib.replicas > 50`,
	`some d in p.endpoint.dependencies; d.deadline.seconds > p.timeoutSeconds / 2`,
	`some d in p.endpoint.dependencies; d.bound in {"none", "request"}`,
	`p.target.path == "/"`,
	`not "timeoutSeconds" in p.declared; p.kind == "httpGet"; lib.replicas > 100`,
	`p.failureThreshold == 1`,
	`p.endpoint.answer.static; p.role == "readiness"`,
	`lib.calls_per_second(p) > 50`,
	`startswith(p.target.path, "/debug")`,
}

func benchRules() map[string]string {
	files := map[string]string{}
	for i, cond := range thirteen {
		files[fmt.Sprintf("r%d.rego", i)] = fmt.Sprintf("# METADATA\n# title: Rule %d\n# custom: {id: R%d}\npackage probelint.rules.r%d\n\nimport data.probelint.lib\n\n"+
			"deny contains {\"msg\": $\"rule %d: {p.role} of {c.name}\", \"at\": p} if {\n\tsome c in input.workload.containers\n\tsome p in c.probes\n\t%s\n}\n", i, i, i, i, cond)
	}
	return files
}

func benchUnit(i int) *lint.Unit {
	upper := 1.5
	replicas := 3
	name := fmt.Sprintf("w%d", i)
	probe := func(role model.Role, path string) *model.Probe {
		id := "Deployment/" + name + "/api/" + string(role)
		return &model.Probe{
			ID: id, Role: role, Kind: model.HTTPGet, File: "deploy.yaml", Line: 20, Target: model.Target{Scheme: "HTTP", Path: path, Port: 8080, PortName: "http"},
			PeriodSeconds: 10, TimeoutSeconds: 2, FailureThreshold: 3, SuccessThreshold: 1, Declared: []string{"periodSeconds", "failureThreshold"},
			Windows: &model.Windows{Detect: &model.Detect{Fast: model.Range{Best: 20, Worst: 30}, Hang: model.Range{Best: 22, Worst: 32}}, Recover: &model.Range{Worst: 10}},
			Endpoint: &model.Endpoint{
				ID: id + "/endpoint", Symbol: "(*example.com/shop.server).ready", File: "main.go", Line: 30, EndLine: 50, Program: "example.com/shop", Route: path,
				Answer: model.Answer{Statuses: []int{200, 503}}, Budget: &model.TimeBudget{Lower: 1.5, Upper: &upper, Basis: "sum", From: "constant"},
				Dependencies: []*model.Dependency{{
					ID: id + "/endpoint/dependencies/0", Kind: "database", Name: "PostgreSQL", Call: "(*database/sql.DB).PingContext", File: "main.go", Line: 36,
					Scope: model.External, Bound: model.BoundDeadline, Deadline: &model.Deadline{Seconds: 0.5, File: "main.go", Line: 35, From: "constant"}, Mode: "sequential",
					Certainty: model.Proven, Via: []model.Frame{{Symbol: "(*example.com/shop.store).Ping", File: "store.go", Line: 9}},
				}},
			},
			Certainty: model.Proven, Evidence: []model.Evidence{{Step: "program", Fact: "the only main package", File: "go.mod", Line: 1}, {Step: "route", Fact: "registered", File: "main.go", Line: 20}},
		}
	}
	return &lint.Unit{Workload: &model.Workload{
		ID: "Deployment/" + name, Kind: "Deployment", APIVersion: "apps/v1", Name: name, File: "deploy.yaml", Line: 1, Replicas: &replicas,
		Labels: map[string]string{"app": name, "tier": "critical"}, TerminationGracePeriodSeconds: 30,
		Containers: []*model.Container{{
			ID: "Deployment/" + name + "/api", Name: "api", Image: "registry.example.com/shop:1", Kind: model.Main, Ports: []model.ContainerPort{{Name: "http", Port: 8080, Protocol: "TCP"}},
			Probes: []*model.Probe{probe(model.Liveness, "/livez"), probe(model.Readiness, "/readyz")},
		}},
	}}
}

// BenchmarkJudge is 13 rules on one workload with two probes that are linked to code. The target is 70 µs CPU a probe.
func BenchmarkJudge(b *testing.B) {
	s := load(b, benchRules())
	if got := lines(s); len(got) > 0 {
		b.Fatal(got)
	}
	s.Begin(nil)
	units := make([]*lint.Unit, 1000)
	for i := range units {
		units[i] = benchUnit(i)
	}
	b.ReportAllocs()
	n, before := 0, cpu(b)
	for b.Loop() {
		if got := s.Judge(context.Background(), units[n%len(units)]); len(got) != 0 {
			b.Fatal(got)
		}
		n++
	}
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(2*n)/1000, "cpu-µs/probe")
}

// BenchmarkLoad reads, checks and compiles 13 files. The target is 10 ms for 10 files.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	writeFiles(b, dir, benchRules())
	n, before := 0, cpu(b)
	for b.Loop() {
		n++
		s, err := Load(context.Background(), Options{Files: source.NewSet(dir), Dirs: []string{dir}})
		if err != nil || len(s.All()) != len(thirteen) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/float64(n)/1e6, "cpu-ms")
}

// cpu is the CPU time of this process: the targets count that, and the machine may be busy.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
