package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/probelint/probelint/internal/cache"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

// benchManifest is a Deployment with probes good and bad, and its Service.
const benchManifest = `apiVersion: apps/v1
kind: Deployment
metadata: {name: app-%[1]d, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: app-%[1]d}}
  template:
    metadata: {labels: {app: app-%[1]d}}
    spec:
      containers:
        - name: api
          image: registry.example.com/app-%[1]d:1.0
          ports: [{name: http, containerPort: 8080}]
          livenessProbe:
            httpGet: {path: /healthz, port: http}
            initialDelaySeconds: 30
          readinessProbe:
            httpGet: {path: /healthz, port: http}
            periodSeconds: 5
            timeoutSeconds: 10
---
apiVersion: v1
kind: Service
metadata: {name: app-%[1]d, namespace: shop}
spec:
  selector: {app: app-%[1]d}
  ports: [{port: 80, targetPort: http}]
`

func benchTree(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("app-%d.yaml", i)), fmt.Appendf(nil, benchManifest, i), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

func benchRun(tb testing.TB, dir string, n int) {
	tb.Helper()
	r, err := Run(context.Background(), Options{
		Root: dir, WorkingDir: dir, Paths: []string{dir}, Rules: rules.All(), Settings: lint.DefaultSettings("default"), NoGo: true,
	})
	if err != nil || len(r.Workloads) != n || len(r.Findings) == 0 {
		tb.Fatalf("%v, %+v", err, r)
	}
}

// BenchmarkManifests reads and judges 500 manifests.
func BenchmarkManifests(b *testing.B) {
	dir := benchTree(b, 500)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		benchRun(b, dir, 500)
	}
}

// BenchmarkUnchanged takes over the answer for the example.
func BenchmarkUnchanged(b *testing.B) {
	tr := newTree(b, 1)
	c := cache.Open(b.TempDir(), "test", cache.DefaultLimit)
	runTreeAs(b, tr.dir, c, "same")
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if r := runTreeAs(b, tr.dir, c, "same"); len(r.Packages) > 0 {
			b.Fatal("not taken over")
		}
	}
}

// TestAllocations holds how much is allocated to read and judge one manifest with two probes. Allocations do not depend on the
// machine or its load, and the time follows them.
func TestAllocations(t *testing.T) {
	const budget = 600
	small, large := benchTree(t, 100), benchTree(t, 300)
	benchRun(t, small, 100) // tables that are made once
	less := testing.AllocsPerRun(3, func() { benchRun(t, small, 100) })
	more := testing.AllocsPerRun(3, func() { benchRun(t, large, 300) })
	one := (more - less) / 200
	t.Logf("%.0f allocations a manifest", one)
	if one > budget {
		t.Errorf("a manifest takes %.0f allocations; the budget is %d", one, budget)
	}
	if one < 50 {
		t.Errorf("a manifest takes %.0f allocations: nothing was judged", one)
	}
}
