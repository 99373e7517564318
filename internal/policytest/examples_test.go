package policytest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/policy"
)

func abs(t *testing.T, path string) string {
	t.Helper()
	p, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The shipped examples are whole: each has a page and tests, its tests pass and reach every line.
func TestExamples(t *testing.T) {
	dir := abs(t, "../../policies/examples")
	r, err := Run(context.Background(), Options{Root: dir, Dirs: []string{dir}, Coverage: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Policies.Broken() {
		t.Error(r.Policies.Where(f))
	}
	for _, x := range r.Tests {
		if x.Failed {
			t.Errorf("%s.%s: %s %s", x.Package, x.Name, x.Error, r.Policies.At(x.FalseAt))
		}
	}
	for _, x := range r.Fixtures {
		for _, f := range x.Faults {
			t.Errorf("%s: %s", x.Path, f)
		}
	}
	for _, c := range r.Coverage {
		if len(c.Missed) > 0 {
			t.Errorf("%s: lines %v are not reached", c.File, c.Missed)
		}
	}
	names := policy.ExampleNames()
	if len(names) != 6 {
		t.Errorf("%d examples", len(names))
	}
	for _, n := range names {
		doc, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(n, "-", "_"), "doc.md"))
		if err != nil || !strings.HasPrefix(string(doc), "# "+n+"\n") {
			t.Errorf("%s: the page: %v", n, err)
		}
	}
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A new rule passes its own tests, and they fail once the rule is wrong.
func TestScaffold(t *testing.T) {
	files, err := policy.Scaffold("liveness-too-slow")
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, files)
	r, err := Run(context.Background(), Options{Root: dir, Dirs: []string{dir}})
	if err != nil || len(r.Policies.Broken()) > 0 || r.Failed() || len(r.Tests) != 2 || len(r.Fixtures) != 2 {
		t.Fatalf("%v: %+v", err, r)
	}
	for name, text := range files {
		files[name] = strings.Replace(text, "limit := 120", "limit := 1200", 1)
	}
	dir = write(t, files)
	if r, err = Run(context.Background(), Options{Root: dir, Dirs: []string{dir}}); err != nil || !r.Tests[0].Failed || r.Tests[1].Failed {
		t.Fatalf("%v: %+v", err, r)
	}
	if at := r.Policies.At(r.Tests[0].FalseAt); at != "liveness_too_slow/rule_test.rego:8:2" {
		t.Errorf("not true at %s", at)
	}
	if f := r.Fixtures[0].Faults; len(f) != 1 || !strings.HasPrefix(f[0], "not reported: bad.yaml:18: want error") || len(r.Fixtures[1].Faults) != 0 {
		t.Errorf("got %q", f)
	}
	for _, name := range []string{"UPPER", "a_b", "", strings.Repeat("a", 41)} {
		if _, err := policy.Scaffold(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

// A fixture of several workloads is a map, and one of a team's own library is of no rule.
func TestFixtures(t *testing.T) {
	dir := write(t, map[string]string{
		"x/rule.rego": "package probelint.rules.x\n\nwarn contains {\"msg\": \"two of them\", \"at\": input.workload} if input.workload.name == \"b\"\n",
		"x/rule_test.rego": "package probelint.rules.x_test\n\nimport data.fixtures\nimport data.probelint.rules.x\n\n" +
			"test_b if count(x.warn) == 1 with input as fixtures.x.two[\"Pod/b\"]\n\ntest_shared if fixtures.shared.workload.name == \"c\"\n",
		"x/fixtures/two/pods.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: c, image: i}]}}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata:\n  name: b # want warning \"two of them\"\nspec: {containers: [{name: c, image: i}]}\n",
		"fixtures/shared.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {containers: [{name: c, image: i}]}}\n",
	})
	r, err := Run(context.Background(), Options{Root: dir, Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Policies.Broken() {
		t.Error(r.Policies.Where(f))
	}
	if r.Failed() || len(r.Tests) != 2 || len(r.Fixtures) != 2 {
		t.Errorf("%+v", r)
	}
}
