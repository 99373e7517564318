package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/source"
)

const head = "package probelint.rules.x\n\nimport data.probelint.lib\n\n"

// What is wrong with a policy is named with its line, its column and the nearest name.
func TestFaults(t *testing.T) {
	tests := map[string]struct{ src, want string }{
		"right":               {`deny contains "m" if input.workload.kind == "Pod"`, ""},
		"field":               {"deny contains \"m\" if {\n\tsome p in input.workload.containers[_].probes\n\tp.periodSecond < 5\n}", "x.rego:7:4: `periodSecond` is no field of a probe; did you mean `periodSeconds`?"},
		"first field":         {`deny contains "m" if input.worklod.kind == "Pod"`, "x.rego:5:28: `worklod` is no field of the input; did you mean `workload`?"},
		"in brackets":         {`deny contains "m" if input.workload["nmae"] == "x"`, "`nmae` is no field of a workload; did you mean `name`?"},
		"parameter":           {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tslow(p)\n}\n\nslow(q) if q.timeoutSecond > 3", "x.rego:10:14: `timeoutSecond` is no field of a probe; did you mean `timeoutSeconds`?"},
		"parameter's field":   {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tf(p.target)\n}\n\nf(t) := t.prot", "`prot` is no field of a target; did you mean `port`?"},
		"two functions deep":  {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tf(p)\n}\n\nf(a) := g(a)\n\ng(b) := b.rol", "`rol` is no field of a probe; did you mean `role`?"},
		"object.get":          {`deny contains "m" if object.get(input.workload, "replica", 1) > 2`, "`replica` is no field of a workload; did you mean `replicas`?"},
		"object.get deep":     {`deny contains "m" if object.get(input, ["workload", "nam"], "") == "x"`, "`nam` is no field of a workload; did you mean `name`?"},
		"through a rule":      {"big := input.workload\n\ndeny contains \"m\" if big.replica > 3", "`replica` is no field of a workload"},
		"through a set":       {"live contains p if some p in lib.probes\n\ndeny contains \"m\" if {\n\tsome p in live\n\tp.portt\n}", "`portt` is no field of a probe"},
		"comprehension":       {`deny contains "m" if count([p | some p in lib.probes; p.kindd == "x"]) > 0`, "`kindd` is no field of a probe; did you mean `kind`?"},
		"every":               {`deny contains "m" if every c in input.workload.containers { c.imag != "" }`, "`imag` is no field of a container; did you mean `image`?"},
		"function of library": {"deny contains \"m\" if {\n\tsome c in input.workload.containers\n\tlib.calls_per_second(c) > 3\n}", "`periodSeconds` is no field of a container"},
		"field of text":       {`deny contains "m" if input.workload.name.first == "x"`, "text has no field `first`"},
		"pattern":             {"deny contains \"m\" if {\n\t{\"kindd\": k} = input.workload\n\tk == \"x\"\n}", "`kindd` is no field of a workload"},
		"enum":                {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tp.role == \"livenes\"\n}", "x.rego:7:12: `livenes` is no value of this field; did you mean `liveness`?"},
		"enum in set":         {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tp.kind in {\"http\", \"grpc\"}\n}", "`http` is no value of this field"},
		"enum not equal":      {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tp.role != \"ready\"\n}", "`ready` is no value of this field"},
		"enum of parameter":   {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tis(p)\n}\n\nis(p) if p.role == \"x\"", "`x` is no value of this field; one of `liveness`, `readiness` or `startup`"},
		"kind of dependency":  {"deny contains \"m\" if {\n\tsome e in input.endpoints\n\te.dependencies[_].kind == \"databse\"\n}", "x.rego:7:28: `databse` is no kind that is known; did you mean `database`?"},
		"kinds of dependency": {"deny contains \"m\" if {\n\tsome e in input.endpoints\n\te.dependencies[_].kind in {\"cache\", \"quue\"}\n}", "`quue` is no kind that is known; did you mean `queue`?"},
		"kind of its own":     {"deny contains \"m\" if {\n\tsome e in input.endpoints\n\te.dependencies[_].kind == \"mainframe\"\n}", ""},
		"known kinds":         {"deny contains \"m\" if {\n\tsome e in input.endpoints\n\te.dependencies[_].kind in {\"cache\", \"container-runtime\"}\n}", ""},
		"kinds":               {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tp.periodSeconds == \"10\"\n}", "`p.periodSeconds` is a number and is compared with text"},
		"kinds in order":      {`deny contains "m" if input.workload.replicas > "3"`, "`input.workload.replicas` is a number and is compared with text"},
		"in a number":         {`deny contains "m" if "x" in input.workload.replicas`, "`in` looks into a list, a set or a map, and this is a number"},
		"contradiction":       {"deny contains \"m\" if {\n\tsome p in lib.probes\n\tp.role == \"liveness\"\n\tp.role == \"startup\"\n}", "this rule never reports: `p.role` is not both \"liveness\" and \"startup\""},
		"false":               {"deny contains \"m\" if {\n\tinput.workload\n\tfalse\n}", "this rule never reports: `false` is never true"},
		"no data":             {`deny contains "m" if input.workload.name in data.params.alow`, "nothing defines `data.params`"},
		"no import":           {`deny contains "m" if input.workload.name in prams.x`, "`prams` has no value here"},
		"no entry":            {`denny contains "m" if input.workload`, "package `probelint.rules.x` never reports; did you mean `deny` by `denny`?"},
		"boolean":             {`deny if input.workload.kind == "Pod"`, "`deny` is a boolean and has no message; `deny contains \"MESSAGE\" if { ... }`"},
		"map":                 {`deny[x] if x := input.workload.name`, "`deny` is a map and has no message"},
		"one value":           {`deny := "m"`, "`deny` is a value and has no message"},
		"suffix":              {`deny_this contains "m" if input.workload`, "`deny_this` never reports"},
		"result key":          {`deny contains {"msg": "m", "att": input.workload} if input.workload`, "`att` is no key of a result; did you mean `at`?"},
		"no msg":              {`deny contains {"at": input.workload} if input.workload`, "the result has no `msg`"},
		"number":              {`deny contains input.workload.replicas if input.workload`, "the result is a number and has no message"},
		"object as result":    {`deny contains p if some p in lib.probes`, "the result is a probe and has no message"},
		"severity":            {`deny contains {"msg": "m", "severity": "eror"} if input.workload`, "`eror` is no severity; did you mean `error`?"},
		"at without id":       {`deny contains {"msg": "m", "at": p.target} if some p in lib.probes`, "`at` is a target and has no `id`"},
		"field of at":         {`deny contains {"msg": "m", "at": p, "field": "period"} if some p in lib.probes`, "`period` is no field of a probe"},
		"deep field of at":    {`deny contains {"msg": "m", "at": p, "field": "target.pth"} if some p in lib.probes`, "`pth` is no field of a target; did you mean `path`?"},
		"label of at":         {`deny contains {"msg": "m", "at": input.workload, "field": "labels.app.kubernetes.io/name"} if input.workload`, ""},
		"index of at":         {`deny contains {"msg": "m", "at": c, "field": "ports[0].port"} if some c in input.workload.containers`, ""},
		"field without at":    {`deny contains {"msg": "m", "field": "x"} if input.workload`, "`field` without `at`"},
		"fix":                 {`deny contains {"msg": "m", "at": p, "fix": {"periodSecond": 10}} if some p in lib.probes`, "`periodSecond` is no field of a probe"},
		"fix of no scalar":    {`deny contains {"msg": "m", "at": p, "fix": {"role": "startup"}} if some p in lib.probes`, "`role` cannot be set by a fix"},
		"related":             {`deny contains {"msg": "m", "related": [p.target]} if some p in lib.probes`, "`related` holds a target without an `id`"},
		"related key":         {`deny contains {"msg": "m", "related": [{"at": p, "mesg": "x"}]} if some p in lib.probes`, "`mesg` is no key of an entry of `related`; did you mean `msg`?"},
		"network":             {`deny contains "m" if http.send({"url": "http://x", "method": "get"}).status_code == 200`, "x.rego:5:22: `http.send` is not allowed in a policy"},
		"clock":               {`deny contains "m" if time.now_ns() > 3`, "`time.now_ns` is not allowed in a policy"},
		"environment":         {`deny contains "m" if opa.runtime().env.X == "x"`, "`opa.runtime` is not allowed in a policy"},
		"no function":         {`deny contains "m" if lib.proes(input)`, "there is no function `data.probelint.lib.proes`"},
		"builtin":             {`deny contains "m" if startwith("a", "b")`, "there is no function `startwith`; did you mean `startswith`?"},
		"recursion":           {"f(n) := f(n - 1)\n\ndeny contains \"m\" if f(3) == 1", "`f` leads back to itself"},
		"syntax":              {"deny contains \"m\" if {", "`x.rego` does not parse"},
		"brackets":            {"x := " + strings.Repeat("[", 100000), "`x.rego` does not parse: brackets more than 500 deep"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := lines(load(t, map[string]string{"x.rego": head + tt.src + "\n"}))
			switch {
			case tt.want == "" && len(got) == 0:
			case tt.want == "":
				t.Errorf("got %q", got)
			case len(got) != 1 || !strings.Contains(got[0], tt.want):
				t.Errorf("got  %q\nwant one with %q", got, tt.want)
			}
		})
	}
}

func TestFaultsOfFolders(t *testing.T) {
	good := "deny contains \"m\" if input.workload\n"
	meta := func(lines string) string {
		return "# METADATA\n# title: T\n# custom:\n" + lines + "package probelint.rules.x\n\n" + good
	}
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"empty folder":     {map[string]string{"notes.txt": "x"}, []string{"holds no policy; `probelint policy new NAME` writes one"}},
		"no rule":          {map[string]string{"a.rego": "package team.lib\n\nx := 1\n"}, []string{"a.rego:1:1: package `team.lib` is no rule"}},
		"empty file":       {map[string]string{"a.rego": "# nothing\n", "b.rego": "package probelint.rules.b\n\n" + good}, []string{"a.rego:1:1: `a.rego`"}},
		"two of one id":    {map[string]string{"a.rego": "# METADATA\n# custom: {id: A1}\npackage probelint.rules.a\n\n" + good, "b.rego": "# METADATA\n# custom: {id: A1}\npackage probelint.rules.b\n\n" + good}, []string{"b.rego:3:1: the id `A1` is taken"}},
		"severity":         {map[string]string{"x.rego": meta("#   severity: warn\n")}, []string{"x.rego:4:5: `custom.severity` is `warn`"}},
		"id":               {map[string]string{"x.rego": meta("#   id: a b\n")}, []string{"the id `a b` cannot be an annotation's name"}},
		"requires":         {map[string]string{"x.rego": meta("#   requires: 7\n")}, []string{"needs version 7 of the input, and this program gives 1; a newer probelint"}},
		"key of custom":    {map[string]string{"x.rego": meta("#   severty: error\n")}, []string{"`custom.severty` is not read; did you mean `severity`?"}},
		"broken data":      {map[string]string{"x.rego": meta("#   id: A1\n"), "p.yaml": "a: [\n"}, []string{"p.yaml:1:1: `p.yaml` does not parse"}},
		"list of data":     {map[string]string{"x.rego": meta("#   id: A1\n"), "p.yaml": "- a\n"}, []string{"`p.yaml` is data and holds no object at its top"}},
		"data twice":       {map[string]string{"x.rego": meta("#   id: A1\n"), "p.yaml": "a: {b: 1}\n", "q.json": `{"a": {"b": 2}}`}, []string{"q.json:1:1: `q.json` sets data.a.b, which another file sets too"}},
		"taken data":       {map[string]string{"x.rego": meta("#   id: A1\n"), "p.yaml": "fixtures: {}\n"}, []string{"sets data.fixtures, which the program fills"}},
		"broken library":   {map[string]string{"x.rego": "package probelint.rules.x\n\nimport data.team.lib\n\ndeny contains \"m\" if lib.big\n", "lib.rego": "package team.lib\n\nbig if input.workload.replicass > 3\n"}, []string{"lib.rego:3:23: `replicass` is no field of a workload; did you mean `replicas`?", "nothing defines `data.team"}},
		"one of two rules": {map[string]string{"x.rego": "package probelint.rules.x\n\n" + good, "y.rego": "package probelint.rules.y\n\ndeny contains 1 if input.workload\n"}, []string{"y.rego:3:15: the result is a number and has no message"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := lines(load(t, tt.files))
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, w := range tt.want {
				if !strings.Contains(got[i], w) {
					t.Errorf("got %q, want %q", got[i], w)
				}
			}
		})
	}
}

// A rule that is broken takes no other with it.
func TestOthersRun(t *testing.T) {
	s := load(t, map[string]string{
		"x.rego": "package probelint.rules.x\n\ndeny contains \"m\" if input.workload\n",
		"y.rego": "package probelint.rules.y\n\ndeny contains \"m\" if input.workloads\n",
	})
	if all := s.All(); len(all) != 1 || all[0].ID != "x" {
		t.Errorf("got %v", all)
	}
}

// A kind that the project's knowledge names is known, however near it is to one that ships.
func TestKindsOfTheProject(t *testing.T) {
	dir := t.TempDir()
	writeFiles(t, dir, map[string]string{"x.rego": head + "deny contains \"m\" if {\n\tsome e in input.endpoints\n\te.dependencies[_].kind == \"caches\"\n}\n"})
	for kinds, want := range map[string]int{"": 1, "caches": 0, "ledger": 1} {
		s, err := Load(context.Background(), Options{Files: source.NewSet(dir), Dirs: []string{dir}, Kinds: []string{kinds}})
		if err != nil {
			t.Fatal(err)
		}
		if got := lines(s); len(got) != want {
			t.Errorf("with the kind %q: %q", kinds, got)
		}
	}
}
