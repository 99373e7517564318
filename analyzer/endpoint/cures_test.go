package endpoint_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/analyzer/load"
	fixes "github.com/probelint/probelint/internal/edit"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

// TestCures makes the fixes of Go code and looks whether the program still compiles, and the finding is gone.
func TestCures(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the whole engine")
	}
	ping := "if err := s.ping(r.Context()); err != nil {"
	down := `http.Error(w, "database unavailable", http.StatusServiceUnavailable)` + "\n\t\treturn"
	drop := edit{"ctx, cancel := context.WithTimeout(ctx, limit)\n\tdefer cancel()\n\treturn s.db", "return s.db"}
	for _, x := range []struct {
		name, rule string
		from       []edit
		want       string // "" for no fix
	}{
		{
			"the return is dropped", "status-after-body",
			[]edit{{down + "\n\t}\n\tw.WriteHeader(http.StatusOK)", strings.TrimSuffix(down, "\n\t\treturn") + "\n\t}\n\tw.Write([]byte(\"ok\"))"}},
			"StatusServiceUnavailable)\n\t\treturn\n\t}\n\tw.Write(",
		},
		{
			"the body stays open", "check-leaks-body",
			[]edit{{"return res.Body.Close()", "if res.StatusCode != 200 {\n\t\treturn errStuck\n\t}\n\treturn nil"}, {ping, "if err := s.billing(r.Context()); err != nil {"}},
			"\t\treturn err\n\t}\n\tdefer res.Body.Close()\n",
		},
		{
			"the error is not tested first", "check-leaks-body",
			[]edit{{"if err != nil {\n\t\treturn err\n\t}\n\treturn res.Body.Close()", "if err == nil && res.StatusCode != 200 {\n\t\treturn errStuck\n\t}\n\treturn err"}, {ping, "if err := s.billing(r.Context()); err != nil {"}},
			"",
		},
		{
			"a channel without room", "check-leaks-goroutine",
			[]edit{{ping, "done := make(chan error)\n\tgo func() { done <- s.ping(context.Background()) }()\n\tvar err error\n\tselect {\n\tcase err = <-done:\n\tcase <-time.After(time.Second):\n\t\thttp.Error(w, \"slow\", http.StatusServiceUnavailable)\n\t\treturn\n\t}\n\tif err != nil {"}},
			"make(chan error, 1)",
		},
		{
			"two senders", "check-leaks-goroutine",
			[]edit{{ping, "done := make(chan error)\n\tgo func() {\n\t\tdone <- s.ping(context.Background())\n\t\tdone <- s.billing(context.Background())\n\t}()\n\tvar err error\n\tselect {\n\tcase err = <-done:\n\tcase <-time.After(time.Second):\n\t\thttp.Error(w, \"slow\", http.StatusServiceUnavailable)\n\t\treturn\n\t}\n\tif err != nil {"}},
			"",
		},
		{
			"only the request ends it", "check-without-deadline",
			[]edit{{ping, "if err := s.db.PingContext(r.Context()); err != nil {"}},
			"\tctx, cancel := context.WithTimeout(r.Context(), 2400*time.Millisecond)\n\tdefer cancel()\n\tif err := s.db.PingContext(ctx); err != nil {",
		},
		{"the context is a parameter", "check-without-deadline", []edit{drop}, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			src := mutationGo
			for _, e := range x.from {
				src, _ = apply(t, src, mutationYAML, e)
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{"main.go": src, "deployment.yaml": mutationYAML, "go.mod": "module example.com/orders\n\ngo 1.26\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			res := judged(t, dir, x.rule)
			if len(res.Findings) == 0 {
				t.Fatal("not reported")
			}
			plan := fixes.Make(res.Set, res.Findings, true)
			if x.want == "" {
				if len(plan.Changes) > 0 {
					t.Errorf("changed:\n%s", plan.Changes[0].After)
				}
				return
			}
			if len(plan.Changes) != 1 || !strings.Contains(string(plan.Changes[0].After), x.want) {
				t.Fatalf("%v: %q is not in what was made: %v", plan.Refused, x.want, plan.Changes)
			}
			if err := os.WriteFile(filepath.Join(dir, "main.go"), plan.Changes[0].After, 0o644); err != nil {
				t.Fatal(err)
			}
			loaded, err := load.Load(context.Background(), load.Options{Dirs: []string{dir}})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range loaded.Packages {
				for _, e := range p.Errors {
					t.Error(e)
				}
			}
			if after := judged(t, dir, x.rule); len(after.Findings) > 0 {
				t.Errorf("still reported: %s", after.Findings[0].Title)
			}
		})
	}
}

func judged(t *testing.T, dir, rule string) *engine.Result {
	t.Helper()
	res, err := engine.Run(context.Background(), engine.Options{
		Root: dir, WorkingDir: dir, Paths: []string{dir}, Rules: rules.All(), Select: []string{rule},
		Settings: lint.DefaultSettings("default"), Offline: true, NoSilencing: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
