package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

func TestCorpusIsWhatItSays(t *testing.T) {
	c, err := writeCorpus(t.TempDir(), 130)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{c.dir: 130, c.all: 130} {
		r, err := manifest.Read(context.Background(), source.NewSet(filepath.Dir(path)), manifest.Options{Paths: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Workloads) != want || len(r.Findings) != 0 {
			t.Errorf("%s: %d workloads, %v", path, len(r.Workloads), r.Findings)
		}
	}
	data, err := os.ReadFile(filepath.Join(c.dir, "team-000", "app-7.yaml"))
	if err != nil || !bytes.Equal(data, manifestText(7)) {
		t.Errorf("app-7.yaml: %v", err)
	}
}

func TestComparing(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{"probelint": "echo '{}'", "kube-linter": "echo finding; exit 1", "polaris": "echo broken >&2; exit 3"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // it has to run
			t.Fatal(err)
		}
	}
	var out, progress bytes.Buffer
	err := run(context.Background(), []string{"-bin", filepath.Join(dir, "probelint"), "-peers", dir, "-sizes", "3", "-rounds", "2"}, &out, &progress)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not installed: kube-score, kubeconform, conftest", "3 manifests", "| probelint ", "| kube-linter ", "did not run: exit status 3: broken"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Count(progress.String(), "kube-linter") != 2 || strings.Count(progress.String(), "polaris") != 1 {
		t.Errorf("rounds:\n%s", progress.String())
	}
}

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-sizes", "many"}, {"-sizes", "0"}, {"-rounds", "0"}, {"-go", "few"}, {"-unknown"}} {
		if _, err := parse(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

func TestMedian(t *testing.T) {
	cs := []cost{{cpu: 3, memory: 30}, {cpu: 1, memory: 10}, {cpu: 100, memory: 20}}
	if got := medianCost(cs); got.cpu != 3*time.Nanosecond || got.memory != 20 {
		t.Errorf("%+v", got)
	}
}

// The programs of the Go corpus are read without a fault: what a run on them costs is not that of errors.
func TestGoCorpusIsWhatItSays(t *testing.T) {
	dir := t.TempDir()
	c, err := writeGoCorpus(dir, 60)
	if err != nil {
		t.Fatal(err)
	}
	if c.files < 50 || c.files > 60 || c.documents != 1 {
		t.Errorf("%d files, %d programs", c.files, c.documents)
	}
	r, err := load.Load(context.Background(), load.Options{Set: source.NewSet(dir), Dirs: []string{dir}, Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for _, p := range r.Packages {
		files += len(p.Files)
		if p.IllTyped {
			t.Errorf("%s: %v", p.Path, p.Errors)
		}
	}
	if files != c.files || len(r.Findings) > 0 || r.Calls == 0 || r.Calls != r.TypedCalls {
		t.Errorf("%d files read, %d of %d calls typed, %v", files, r.TypedCalls, r.Calls, r.Findings)
	}
	a := endpoint.Analyze(context.Background(), r)
	for _, p := range a.Programs() {
		for _, s := range p.Servers {
			for _, route := range s.Routes {
				if route.Pattern == "/readyz" {
					if e := a.Endpoint(p, route, model.Request{Method: "GET", Path: "/readyz"}, nil); len(e.Dependencies) != 1 {
						t.Errorf("dependencies %v", e.Dependencies)
					}
					return
				}
			}
		}
	}
	t.Error("no route /readyz")
}
