package policy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// conditions are what bodies are made of: understood ones, ones that are not, ones that fail, ones that never hold.
var conditions = []string{
	`p.role == "liveness"`, `"readiness" == p.role`, `p.role != "startup"`, `p.periodSeconds > 5`, `p.timeoutSeconds <= p.periodSeconds`, `p.periodSeconds < 10.5`,
	`not p.failureThreshold == 3`, `not p.endpoint`, `p.endpoint.answer.static`, `not p.endpoint.answer.static`, `p.windows.never`, `p.target.port == 8080`,
	`some d in p.endpoint.dependencies; d.gates`, `some d in p.endpoint.dependencies; d.deadline.seconds > p.timeoutSeconds / 4`, `some i, d in p.endpoint.dependencies; i == 0; d.kind == "database"`,
	`p.endpoint.dependencies[_].kind == "database"`, `p.endpoint.statuses[0] == 200`, `p.endpoint.answer.statuses[_] >= 500`, `503 in p.endpoint.answer.statuses`, `not 404 in p.endpoint.answer.statuses`,
	`p.kind in {"httpGet", "grpc"}`, `"periodSeconds" in p.declared`, `not "timeoutSeconds" in p.declared`, `startswith(p.target.path, "/re")`, `not endswith(p.target.path, "z")`, `contains(p.target.path, "live")`,
	`lib.declared(p, "periodSeconds")`, `not lib.declared(p, "periodSeconds")`, `some d in p.endpoint.dependencies; lib.decides(d)`, `lib.replicas > 2`, `lib.replicas == 3`, `lib.calls_per_second(p) > 0.2`,
	`lib.exposed`, `not lib.exposed`, `lib.probe_of(c, "liveness") == p`, `lib.probe_of(c, "startup")`, `count(c.probes) == 2`, `count(c.ports) > 5`, `object.get(c, "command", []) == []`, `object.get(p, "service", "x") == "x"`,
	`p.periodSeconds * 2 == 20`, `x := p.periodSeconds - 1; x > p.timeoutSeconds`, `x := p.periodSeconds % 3; x != 0`, `p.periodSeconds / 0 > 1`, `to_number(input.workload.labels.weight) > 1`, `to_number(input.workload.labels.app) > 1`,
	`input.workload.labels.tier == "critical"`, `input.workload.labels[k] == "critical"`, `input.workload.labels["no/such"]`, `upper(p.role) == "LIVENESS"`, `abs(p.timeoutSeconds) == 2`,
	`every d in p.endpoint.dependencies { d.gates }`, `count({d | some d in p.endpoint.dependencies}) == 1`, `sprintf("%s", [p.role]) == "liveness"`, `regex.match("^/l", p.target.path)`, `two(p) == 1`, `either(p)`, `chosen(p) == "quick"`,
	`own.quick`, `own.limit < p.periodSeconds`, `some name in own.names; name == p.role`, `own.by[p.role] > 1`, `p == p`, `{"a": p.role} == {"a": "liveness"}`, `[p.role, p.kind] == ["liveness", "httpGet"]`, `true`, `p.role = r; r == "liveness"`,
	`not own.quick`, `null == p.role`, `p.timeoutSeconds`, `input.programs[_].complete`, `input.programs == []`,
}

const ownRules = `package probelint.rules.own

limit := 7
names contains "readiness"
by := {"liveness": 1, "readiness": 2}
quick if {
	some c in input.workload.containers
	c.probes[_].periodSeconds < 5
}
default slow := false
slow if quick
`

// What is foreseen changes nothing: rules of random conditions report the same, and fail in the same way.
func TestForesightLosesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	files := map[string]string{"own.rego": ownRules}
	const rules = 220
	for i := range rules {
		var body []string
		for range 1 + rng.IntN(4) {
			body = append(body, conditions[rng.IntN(len(conditions))])
		}
		if i < len(conditions) {
			body = conditions[i : i+1]
		}
		text := strings.Join(body, "\n\t")
		for n := range 9 { // a variable is declared once
			text = strings.Replace(text, "x := ", fmt.Sprintf("y%d := ", n), 1)
			text = strings.Replace(text, "; x ", fmt.Sprintf("; y%d ", n), 1)
			for _, v := range []string{"d", "r", "k", "name"} {
				if strings.Count(text, "some "+v+" in") > 1 || strings.Count(text, ", "+v+" in") > 1 {
					text = body[0]
				}
			}
		}
		if strings.Count(text, " d ")+strings.Count(text, " d in") > 1 || strings.Count(text, "p.role = r") > 1 {
			text = body[0]
		}
		files[fmt.Sprintf("r%d.rego", i)] = fmt.Sprintf(`package probelint.rules.r%d

import data.probelint.lib
import data.probelint.rules.own

two(q) := 1 if q.role == "liveness"
two(q) := 2 if q.periodSeconds > 5

either(q) if q.role == "liveness"
either(q) if q.timeoutSeconds > 3

chosen(q) := "quick" if q.periodSeconds < 5 else := "slow"

deny contains {"msg": "%d", "at": p} if {
	some c in input.workload.containers
	some p in c.probes
	%s
}
`, i, i, text)
	}
	s := load(t, files)
	s.faults = nil // of conditions that the check before the run refuses; the others run
	if len(s.rules) < rules/2 {
		t.Fatalf("%d rules", len(s.rules))
	}
	judge := func(blind bool) (out, faults []string, skipped int) {
		s.Begin(nil)
		if blind {
			s.run.typed.foreseen = nil
		}
		for i := range 12 {
			u := variant(i)
			if part := s.speaking(s.run.typed, s.run.convert.document(newInput(u))); part == nil || len(part.rules) < len(s.run.typed.rules) {
				skipped++
			}
			for _, j := range s.Judge(context.Background(), u) {
				out = append(out, fmt.Sprintf("%d %s %s", i, j.Rule, j.Title+string(j.Probe.Role)))
			}
		}
		slices.Sort(out)
		for _, f := range s.Failures() {
			faults = append(faults, fmt.Sprintf("%s: %s %v", s.Where(f), f.Title, f.Notes))
		}
		return out, faults, skipped
	}
	want, wantFaults, _ := judge(true)
	got, gotFaults, skipped := judge(false)
	if !slices.Equal(got, want) {
		t.Errorf("%d results, %d without foresight\n%s", len(got), len(want), missing(want, got))
	}
	if !slices.Equal(gotFaults, wantFaults) {
		t.Errorf("faults\n%s\n and without foresight\n%s", strings.Join(gotFaults, "\n"), strings.Join(wantFaults, "\n"))
	}
	if len(want) == 0 || len(wantFaults) == 0 || skipped == 0 {
		t.Errorf("%d results, %d faults, %d units with rules left out: the test shows nothing", len(want), len(wantFaults), skipped)
	}
	silent := 0
	s.Begin(nil)
	for _, f := range s.run.typed.foreseen {
		if (&seer{input: s.run.convert.document(newInput(variant(0))).Value}).silent(f) {
			silent++
		}
	}
	t.Logf("%d rules, %d of them silent on the first unit; %d results, %d faults", len(s.rules), silent, len(want), len(wantFaults))
}

func missing(a, b []string) string {
	var out []string
	for _, x := range a {
		if !slices.Contains(b, x) {
			out = append(out, "- "+x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			out = append(out, "+ "+x)
		}
	}
	return strings.Join(out, "\n")
}

// variant is one of several units that differ in what the conditions ask.
func variant(i int) *lint.Unit {
	u := benchUnit(i)
	if i == 11 {
		u.Workload = nil
		return u
	}
	w := u.Workload
	w.Labels["weight"] = fmt.Sprint(i)
	for k, p := range w.Containers[0].Probes {
		p.PeriodSeconds = 1 + (3*i+k)%12
		p.TimeoutSeconds = 1 + (i+k)%5
		if i%3 == 1 {
			p.FailureThreshold = 1
			p.Declared = []string{"timeoutSeconds"}
		}
		if i%4 == 2 {
			p.Endpoint.Dependencies[0].Gates = true
			p.Endpoint.Answer = model.Answer{Statuses: []int{200}, Static: true}
		}
		if i%5 == 3 {
			p.Endpoint = nil
		}
	}
	if i%2 == 0 {
		w.Replicas = nil
	}
	if i == 7 {
		w.Containers = nil
	}
	return u
}
