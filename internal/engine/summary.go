package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

const proven = model.Proven

// unreadableInput is the rule of findings that the reading stages make. It passes every choice of probes.
const unreadableInput = "unreadable-input"

func summarize(r *Result) lint.Summary {
	s := lint.Summary{Workloads: len(r.Workloads), Packages: len(r.Packages)}
	for _, w := range r.Workloads {
		for _, c := range w.Containers {
			s.Probes += len(c.Probes)
			for _, p := range c.Probes {
				switch {
				case p.Kind == model.TCPSocket: // asks the kernel, not code
				case p.Endpoint != nil:
					s.Linked++
				case p.Kind == model.HTTPGet || p.Kind == model.GRPC:
					s.Unlinked++
				}
			}
		}
	}
	for _, f := range r.Findings {
		s.Count(f)
	}
	return s
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func has[V any](m map[string]V, k string) bool {
	_, ok := m[k]
	return ok
}

func quoteList(paths []string) string {
	q := make([]string, len(paths))
	for i, p := range paths {
		q[i] = fmt.Sprintf("%q", p)
	}
	return strings.Join(q, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
