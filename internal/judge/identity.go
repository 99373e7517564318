package judge

import (
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Identity is what a finding's fingerprint is made of where the rule does not say. A finding that points into Go is
// identified by the symbol there, so that one more manifest in front of it does not rename it; any other by its object,
// container and field; the file's path counts only where there is neither.
func Identity(f *Found) []string {
	at := f.Primary.Span
	if strings.HasSuffix(at.File, ".go") {
		if s := symbolAt(f, at); s != "" {
			return []string{"go", s}
		}
		return []string{"file", at.File}
	}
	w := f.Workload
	if w == nil {
		return []string{"file", at.File}
	}
	id := lint.ObjectIdentity(w)
	if f.Container != nil {
		id = append(id, "container", f.Container.Name)
	}
	if f.Probe != nil {
		id = append(id, f.Probe.Role.Key(), fieldAt(f.Probe.Fields, at))
		return id
	}
	if f.Container != nil {
		if p := fieldAt(f.Container.Fields, at); p != "" {
			return append(id, p)
		}
		for _, p := range f.Container.Probes {
			if p.Span == at {
				return append(id, p.Role.Key())
			}
			if field := fieldAt(p.Fields, at); field != "" {
				return append(id, p.Role.Key(), field)
			}
		}
	}
	return append(id, fieldAt(w.Fields, at))
}

// fieldAt is the path whose key, value or both are the span, "" where there is none. Of several the longest is the most exact one.
func fieldAt(fields model.Fields, at model.Span) string {
	best := ""
	for path, f := range fields {
		both := f.Key.File == at.File && f.Key.Start == at.Start && f.Value.End == at.End
		if f.Key == at || f.Value == at || both {
			if len(path) > len(best) || len(path) == len(best) && path > best {
				best = path
			}
		}
	}
	return best
}

// symbolAt names the Go code at a span: the call of a dependency and the function it stands in, or the handler.
func symbolAt(f *Found, at model.Span) string {
	if e := f.Endpoint; e != nil {
		for _, d := range e.Dependencies {
			if d.Span == at {
				return fmt.Sprintf("%s %s", inFunction(d, e), d.Call)
			}
		}
		for _, s := range e.State {
			if s.Span == at {
				return e.Symbol + " " + s.Name
			}
		}
		return e.Symbol
	}
	if f.Program != nil {
		return f.Program.Package
	}
	return ""
}

// inFunction is the function that holds the call: the innermost frame of the chain, or the handler itself.
func inFunction(d *model.Dependency, e *model.Endpoint) string {
	if n := len(d.Via); n > 0 {
		return d.Via[n-1].Symbol
	}
	return e.Symbol
}
