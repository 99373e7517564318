package link

import (
	"fmt"
	"testing"

	"github.com/probelint/probelint/internal/model"
)

// BenchmarkJoin joins 200 workloads of two probes each with 20 programs of five routes.
func BenchmarkJoin(b *testing.B) {
	c := &code{}
	for i := range 20 {
		c.programs = append(c.programs, prog(fmt.Sprintf("cmd/app-%d", i), server(":8080", "/livez", "/readyz", "/metrics", "/api/v1/orders", "/api/v1/carts")))
	}
	b.ReportAllocs()
	for b.Loop() {
		var ws []*model.Workload
		for i := range 200 {
			ws = append(ws, workload(fmt.Sprintf("org/app-%d:1", i%20), model.Container{}, getProbe("/livez", 8080), getProbe("/readyz", 8080)))
		}
		if got := Join(Input{Workloads: ws, Code: c}); len(got.Bound) != len(ws) {
			b.Fatalf("bound %d of %d", len(got.Bound), len(ws))
		}
	}
}
