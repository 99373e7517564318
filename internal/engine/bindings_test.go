package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/model"
)

// A binding of the configuration names the program of a container whose image says nothing, and only of that one.
func TestBindings(t *testing.T) {
	dir := t.TempDir()
	server := func(path string) string {
		return "package main\n\nimport \"net/http\"\n\nfunc main() {\n\thttp.HandleFunc(\"" + path + "\", func(w http.ResponseWriter, r *http.Request) {})\n\thttp.ListenAndServe(\":8080\", nil)\n}\n"
	}
	for name, text := range map[string]string{
		"go.mod":           "module example.com/two\n\ngo 1.22\n",
		"cmd/api/main.go":  server("/livez"),
		"cmd/jobs/main.go": server("/livez"),
		"app.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: orders}
spec:
  selector: {matchLabels: {app: orders}}
  template:
    metadata: {labels: {app: orders}}
    spec:
      containers:
      - {name: one, image: registry.example.com/x:1, livenessProbe: {httpGet: {path: /livez, port: 8080}}}
      - {name: two, image: registry.example.com/y:1, livenessProbe: {httpGet: {path: /livez, port: 8080}}}
`,
	} {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := model.Span{File: ".probelint.yaml", Line: 2}
	r, err := Run(context.Background(), Options{
		Root: dir, WorkingDir: dir, Offline: true,
		Bindings: []link.Bind{{Workload: "Deployment/orders", Container: "one", Package: "./cmd/jobs", Span: at}},
	})
	if err != nil || len(r.Workloads) != 1 {
		t.Fatal(err, r)
	}
	one, two := r.Workloads[0].Containers[0].Probes[0], r.Workloads[0].Containers[1].Probes[0]
	if one.Endpoint == nil || one.Endpoint.Program != "example.com/two/cmd/jobs" || one.Certainty != model.Proven {
		t.Fatalf("bound: %+v, %s", one.Endpoint, one.Reason)
	}
	if e := one.Evidence[0]; e.File != at.File || e.Line != at.Line || !strings.Contains(e.Fact, "the configuration binds it to ./cmd/jobs") {
		t.Errorf("evidence %+v", e)
	}
	if two.Endpoint != nil || !strings.HasPrefix(two.Reason, "ambiguous") {
		t.Errorf("not bound: %+v, %q", two.Endpoint, two.Reason)
	}
}
