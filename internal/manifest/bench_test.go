package manifest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/source"
)

// benchDeployment is a Deployment with its Service of ordinary size (1.5 KB).
const benchDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
  namespace: shop
  labels: {app: app-%[1]d, team: orders}
spec:
  replicas: 3
  selector:
    matchLabels: {app: app-%[1]d}
  template:
    metadata:
      labels: {app: app-%[1]d, team: orders}
    spec:
      terminationGracePeriodSeconds: 45
      containers:
        - name: api
          image: registry.example.com/orders/app-%[1]d:1.%[1]d.0
          ports:
            - name: http
              containerPort: 8080
          env:
            - name: PORT
              value: "8080"
            - name: POSTGRES_DSN
              valueFrom:
                secretKeyRef: {name: orders, key: dsn}
          resources:
            requests: {cpu: 100m, memory: 128Mi}
            limits: {cpu: 500m, memory: 256Mi}
          livenessProbe:
            httpGet:
              path: /livez
              port: http
            periodSeconds: 10
            timeoutSeconds: 2
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 5
            timeoutSeconds: 2
            failureThreshold: 2
          lifecycle:
            preStop:
              exec:
                command: ["sleep", "5"]
---
apiVersion: v1
kind: Service
metadata:
  name: app-%[1]d
  namespace: shop
spec:
  selector: {app: app-%[1]d}
  ports:
    - name: http
      port: 80
      targetPort: http
`

func writeDeployments(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		name := filepath.Join(dir, fmt.Sprintf("d%02d", i/100), fmt.Sprintf("app-%d.yaml", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, benchDeployment, i), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// BenchmarkRead2000 is the target of DESIGN.md: 2,000 Deployment files in well under half a CPU-second.
func BenchmarkRead2000(b *testing.B) {
	dir := writeDeployments(b, 2000)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		r, err := Read(context.Background(), source.NewSet(dir), Options{Paths: []string{dir}})
		if err != nil || len(r.Workloads) != 2000 || len(r.Findings) != 0 {
			b.Fatalf("%d workloads, %d findings, %v", len(r.Workloads), len(r.Findings), err)
		}
	}
}

// BenchmarkOneFile holds many documents, the shape of rendered releases.
func BenchmarkOneFile(b *testing.B) {
	var s strings.Builder
	for i := range 500 {
		fmt.Fprintf(&s, "---\n"+benchDeployment, i)
	}
	dir := b.TempDir()
	name := filepath.Join(dir, "all.yaml")
	if err := os.WriteFile(name, []byte(s.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		r, err := Read(context.Background(), source.NewSet(dir), Options{Paths: []string{name}})
		if err != nil || len(r.Workloads) != 500 {
			b.Fatalf("%d workloads, %v", len(r.Workloads), err)
		}
	}
}

// BenchmarkGate reads text that holds nothing of use, which is most of a repository.
func BenchmarkGate(b *testing.B) {
	text := []byte(strings.Repeat("- name: value\n  other: {a: 1, b: [c, d]}\n", 2000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if gate(text) != 0 {
			b.Fatal("passed")
		}
	}
}
