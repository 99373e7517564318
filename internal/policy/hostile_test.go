package policy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

func unit() *lint.Unit {
	replicas := 3
	probe := &model.Probe{
		ID: "Deployment/a/api/liveness", Role: model.Liveness, Kind: model.HTTPGet, PeriodSeconds: 10, TimeoutSeconds: 1, FailureThreshold: 3, SuccessThreshold: 1,
		Declared: []string{}, File: "deploy.yaml", Line: 9,
	}
	return &lint.Unit{Workload: &model.Workload{
		ID: "Deployment/a", Kind: "Deployment", Name: "a", File: "deploy.yaml", Line: 1, Replicas: &replicas, Span: model.Span{File: "deploy.yaml", Start: 5, End: 6, Line: 2},
		Containers: []*model.Container{{ID: "Deployment/a/api", Name: "api", Kind: model.Main, Probes: []*model.Probe{probe}}},
	}}
}

// A policy that would take all time or memory is stopped, its line is named, and the rule beside it reports.
func TestHostile(t *testing.T) {
	double := func(first, next string) string {
		var b strings.Builder
		b.WriteString(first)
		for i := 1; i < 40; i++ {
			b.WriteString(strings.NewReplacer("NEXT", "a"+itoa(i), "LAST", "a"+itoa(i-1)).Replace(next))
		}
		return b.String() + "\ndeny contains \"x\" if not is_null(a39)\n"
	}
	tests := map[string]struct{ src, want string }{
		"endless":      {"deny contains \"x\" if {\n\tsome i in numbers.range(1, 1000000)\n\tsome j in numbers.range(1, 100)\n\ti * j == -1\n}", "did not end within 2s"},
		"range":        {`deny contains "x" if count(numbers.range(1, 2000000000)) > 3`, "x.rego:3:28: numbers.range: 1999999999 elements"},
		"network":      {`deny contains "x" if http.send({"method": "get", "url": "http://127.0.0.1:1"}).status_code == 200`, "x.rego:3:22: `http.send` is not allowed"},
		"long text":    {double(`a0 := input.workload.name`, "\nNEXT := concat(\"\", [LAST, LAST])"), "x.rego:23:8: concat: a string of more than 1048576 bytes"},
		"long list":    {double(`a0 := [input.workload.name]`, "\nNEXT := array.concat(LAST, LAST)"), "array.concat: 2097152 elements"},
		"width":        {`deny contains "x" if sprintf("%2000000000d", [1]) != ""`, "sprintf: a string of more than 1048576 bytes"},
		"star":         {`deny contains "x" if sprintf("%*d", [2000000000, 1]) != ""`, "sprintf: a string of more than 1048576 bytes"},
		"replace":      {`deny contains "x" if replace(concat("", [sprintf("%9000d", [1])]), "", sprintf("%9000d", [1])) != ""`, "replace: a string of more than"},
		"shift":        {`deny contains "x" if bits.lsh(input.workload.replicas, 4000000000) > 3`, "bits.lsh: a number of more than 4096 bits"},
		"exponent":     {`deny contains "x" if bits.and(json.unmarshal("1e9999999"), input.workload.replicas) > 3`, "a number of more than 4096 digits"},
		"product":      {double(`a0 := input.workload.replicas * 99999999999999999999999`, "\nNEXT := LAST * LAST"), "mul: a number of more than 4096 digits"},
		"addresses":    {`deny contains "x" if count(net.cidr_expand("10.0.0.0/8")) > 3`, "net.cidr_expand: a network of more than 65536 addresses"},
		"recursion":    {"f(n) := f(n + 1)\n\ndeny contains \"x\" if f(1) == 1", "x.rego:3:1: `f` leads back to itself"},
		"deep":         {"deny contains \"x\" if " + strings.Repeat("[", 1000000), "brackets more than 500 deep"},
		"builtin":      {`deny contains "x" if to_number(input.workload.name) > 3`, "x.rego:3:22: to_number"},
		"many results": {`deny contains {"msg": "x", "at": {"id": "nobody"}} if input.workload`, "no object of the input has the id \"nobody\""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			s := load(t, map[string]string{
				"x.rego":    "package probelint.rules.x\n\n" + tt.src + "\n",
				"good.rego": "package probelint.rules.good\n\nwarn contains {\"msg\": \"good\", \"at\": input.workload} if input.workload.replicas > 1\n",
			})
			s.Begin(nil)
			found := s.Judge(context.Background(), unit())
			if len(found) != 1 || found[0].Rule != "good" || found[0].Level != lint.Warning {
				t.Errorf("the other rule found %+v", found)
			}
			var got []string
			for _, f := range s.Failures() {
				got = append(got, s.Where(f))
			}
			if len(got) != 1 || !strings.Contains(got[0], tt.want) || !strings.HasPrefix(got[0], "x.rego:") {
				t.Errorf("got  %q\nwant one of x.rego with %q", got, tt.want)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// The compiler itself does not end with a value whose parts share each other without end.
func TestCompilerThatDoesNotEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 6s")
	}
	var b strings.Builder
	b.WriteString("package probelint.rules.x\n\na0 := [1]\nb0 := [1]\n")
	for i := 1; i < 40; i++ {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll("aN := [aL, aL]\nbN := [bL, bL]\n", "N", itoa(i)), "L", itoa(i-1)))
	}
	b.WriteString("deny contains \"x\" if a39 == b39\n")
	s := load(t, map[string]string{"x.rego": b.String(), "good.rego": "package probelint.rules.good\n\ndeny contains \"m\" if input.workload\n"})
	if got := lines(s); len(got) != 1 || !strings.Contains(got[0], "x.rego:1:1: the compiler did not end within 5s") {
		t.Errorf("got %q", got)
	}
	if all := s.All(); len(all) != 1 || all[0].ID != "good" {
		t.Errorf("got %v", all)
	}
}
