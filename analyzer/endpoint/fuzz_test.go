package endpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/endpoint"
	"github.com/probelint/probelint/analyzer/load"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// fuzzLimit is far more than any input of a few kilobytes takes.
const fuzzLimit = 30 * time.Second

// FuzzAnalyze: whatever the source of a main package is, the analysis ends soon and without a panic. Analyze and Endpoint
// turn panics into notes, which the target looks for.
func FuzzAnalyze(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			if strings.HasSuffix(x.Name, "main.go") {
				f.Add(string(x.Data))
			}
		}
	}
	for _, s := range []string{
		"package main\nimport \"net/http\"\nfunc main() { m := http.NewServeMux(); m.Handle(\"/\", m); http.ListenAndServe(\":1\", m) }",
		"package main\nfunc main() { for { main() } }",
		"package main\nimport \"net/http\"\nfunc main() { var f func(); f = func() { f() }; f(); http.ListenAndServe(\":1\", nil) }",
		"package main\nimport \"net/http\"\ntype t struct{ *t }\nfunc (x t) ServeHTTP(http.ResponseWriter, *http.Request) { x.t.ServeHTTP(nil, nil) }\nfunc main() { http.ListenAndServe(\":1\", t{}) }",
		"package main\nimport \"net/http\"\nfunc main() { h := http.Handler(nil); for i := 0; i < 9; i++ { h = http.TimeoutHandler(h, 1<<62, \"\") }; http.Handle(\"/\", h); http.ListenAndServe(\":1\", h) }",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/fuzz\n\ngo 1.26\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if len(src) > 1<<14 {
			t.Skip()
		}
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r, err := load.Load(context.Background(), load.Options{Set: source.NewSet(dir), Dirs: []string{dir}, Offline: true})
		if err != nil {
			return
		}
		a := endpoint.Analyze(context.Background(), r)
		complain := func(us []model.Unfollowed) {
			for _, u := range us {
				if strings.Contains(u.Why, "the analysis failed") {
					t.Errorf("%s: %s", u.Call, u.Why)
				}
			}
		}
		for _, p := range a.Programs() {
			complain(p.Stopped)
			for _, s := range p.Servers {
				for i, route := range s.Routes {
					if i < 8 {
						complain(a.Endpoint(p, route, model.Request{Method: "GET", Path: "/healthz"}, nil).Unfollowed)
					}
				}
			}
		}
		if d := time.Since(start); d > fuzzLimit {
			t.Errorf("the analysis took %s", d)
		}
	})
}
