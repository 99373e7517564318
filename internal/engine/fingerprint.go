package engine

import (
	"fmt"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// fingerprint fills Fingerprint: SHA-256 over the rule, the identity, and the ordinal among equals. No line and no word of
// the message is part of it, so a moved file or a reformatted manifest stays known (STYLE.md 5.10).
func fingerprint(fs []lint.Finding) {
	seen := map[string]int{}
	for _, silent := range []bool{false, true} { // what is silenced renames nothing
		for i := range fs {
			f := &fs[i]
			if (f.Suppressed != nil) != silent {
				continue
			}
			key := f.Rule + "\x00" + strings.Join(f.Identity, "\x00")
			n := seen[key]
			seen[key]++
			f.Fingerprint = lint.Fingerprint(f.Rule, f.Identity, n)
		}
	}
}

// identity is what a finding's fingerprint is made of where the rule does not say. A finding that points into Go is
// identified by the symbol there, so that one more manifest in front of it does not rename it; any other by its object,
// container and field; the file's path counts only where there is neither.
func identity(f *found) []string {
	at := f.Primary.Span
	if strings.HasSuffix(at.File, ".go") {
		if s := symbolAt(f, at); s != "" {
			return []string{"go", s}
		}
		return []string{"file", at.File}
	}
	w := f.workload
	if w == nil {
		return []string{"file", at.File}
	}
	id := lint.ObjectIdentity(w)
	if f.container != nil {
		id = append(id, "container", f.container.Name)
	}
	if f.probe != nil {
		id = append(id, f.probe.Role.Key(), fieldAt(f.probe.Fields, at))
		return id
	}
	if f.container != nil {
		if p := fieldAt(f.container.Fields, at); p != "" {
			return append(id, p)
		}
		for _, p := range f.container.Probes {
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
func symbolAt(f *found, at model.Span) string {
	if e := f.endpoint; e != nil {
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
	if f.program != nil {
		return f.program.Package
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
