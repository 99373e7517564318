package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// tree writes an archive into a new directory.
func tree(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const layout = `
-- repo/.git/HEAD --
-- repo/a/go.mod --
module example.com/a

go 1.25
-- repo/a/cmd/x/main.go --
package main

func main() {}
-- repo/a/deploy/pod.yaml --
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
    - name: c
      image: c
      livenessProbe: {httpGet: {path: /livez, port: 8080}}
-- repo/b/go.mod --
module example.com/b

go 1.25
-- repo/b/b.go --
package b
-- repo/c/values.yaml --
a: 1
`

// Which Go is read: the modules under the paths, the module above a manifest, and what --go adds (DESIGN.md).
func TestWhichGoIsRead(t *testing.T) {
	dir := tree(t, layout)
	for name, c := range map[string]struct {
		o    Options
		want []string
	}{
		"all":                     {Options{Paths: []string{"repo"}}, []string{"example.com/a/cmd/x", "example.com/b"}},
		"a module":                {Options{Paths: []string{"repo/b"}}, []string{"example.com/b"}},
		"above a manifest":        {Options{Paths: []string{"repo/a/deploy/pod.yaml"}}, []string{"example.com/a/cmd/x"}},
		"a folder in a module":    {Options{Paths: []string{"repo/a/cmd/x"}}, []string{"example.com/a/cmd/x"}},
		"a file in a module":      {Options{Paths: []string{"repo/a/cmd/x/main.go"}}, []string{"example.com/a/cmd/x"}},
		"added":                   {Options{Paths: []string{"repo/b"}, GoDirs: []string{"repo/a"}}, []string{"example.com/a/cmd/x", "example.com/b"}},
		"the same twice":          {Options{Paths: []string{"repo/b", "repo/b/b.go"}, GoDirs: []string{"repo/b"}}, []string{"example.com/b"}},
		"no Go":                   {Options{Paths: []string{"repo/a"}, NoGo: true}, nil},
		"the default is . itself": {Options{WorkingDir: filepath.Join(dir, "repo", "b")}, []string{"example.com/b"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.WorkingDir == "" {
				c.o.WorkingDir = dir
			}
			r, err := Run(context.Background(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range r.Packages {
				got = append(got, p.Path)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if want := filepath.Join(dir, "repo"); r.Set.Root != want {
				t.Errorf("root %s, want %s", r.Set.Root, want)
			}
		})
	}
}

func TestNothingCheckedIsAnError(t *testing.T) {
	dir := tree(t, layout)
	_, err := Run(context.Background(), Options{WorkingDir: dir, Paths: []string{"repo/c"}})
	var nothing *NothingCheckedError
	if !errors.As(err, &nothing) || nothing.Paths[0] != "repo/c" {
		t.Fatalf("got %v", err)
	}
	// A file that does not parse was looked at: the finding says so.
	dir = tree(t, "-- pod.yaml --\napiVersion: v1\nkind: Pod\nspec: {containers: [\n")
	r, err := Run(context.Background(), Options{WorkingDir: dir})
	if err != nil || len(r.Findings) != 1 || r.Findings[0].Rule != unreadableInput {
		t.Fatalf("got %v, %+v", err, r)
	}
	// One that is left out of the rules, or only informs, leaves nothing that was checked.
	for _, archive := range []string{"-- pod.yaml --\napiVersion: v1\nkind: Pod\nspec: {containers: [\n", "-- empty.yaml --\n"} {
		_, err = Run(context.Background(), Options{
			WorkingDir: tree(t, archive), Rules: []*lint.Rule{rule(unreadableInput, lint.PerInput, nil)}, Ignore: []string{unreadableInput},
		})
		if !errors.As(err, &nothing) {
			t.Errorf("got %v", err)
		}
	}
	if want := `"empty.yaml" is empty`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	dir = tree(t, "-- broken.yaml --\napiVersion: v1\nkind: Pod\nspec: {containers: [\n-- pod.yaml --\n"+
		"apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: b}]}\n")
	// What the stages find passes every choice of rules but the one that names it.
	unreadable := rule(unreadableInput, lint.PerInput, nil)
	other := rule("other", lint.PerProbe, nil)
	for _, c := range []struct {
		o    Options
		want int
	}{{Options{}, 1}, {Options{Select: []string{"other"}}, 1}, {Options{Ignore: []string{unreadableInput}}, 0}} {
		c.o.WorkingDir, c.o.Rules = dir, []*lint.Rule{unreadable, other}
		if r, err := Run(context.Background(), c.o); err != nil || len(r.Findings) != c.want {
			t.Errorf("%+v: got %v, %+v", c.o, err, r)
		}
	}
}

func TestAnEndedContextEndsTheRun(t *testing.T) {
	dir := tree(t, layout)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Options{WorkingDir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// broken is a Go side that fails on one handler.
type broken struct{}

func (broken) Programs() []*model.Program { return nil }

func (broken) Endpoint(_ *model.Program, r *model.Route, _ model.Request, _ *model.Container) *model.Endpoint {
	if r.Handler == "bad" {
		panic("boom")
	}
	return &model.Endpoint{Symbol: r.Handler}
}

func TestAPanicOfTheGoSideLosesOneEndpoint(t *testing.T) {
	g := &guarded{analysis: broken{}}
	for range 2 {
		if e := g.Endpoint(nil, &model.Route{Handler: "bad"}, model.Request{}, nil); e != nil {
			t.Errorf("got %+v", e)
		}
	}
	if e := g.Endpoint(nil, &model.Route{Handler: "good"}, model.Request{}, nil); e == nil || e.Symbol != "good" {
		t.Errorf("got %+v", e)
	}
	if len(g.crashes) != 1 || g.crashes[0].What != "following bad" {
		t.Errorf("crashes %+v", g.crashes)
	}
}
