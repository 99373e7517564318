package engine

import (
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// fieldInvalid is the one rule that judges a probe which the API server rejects.
const fieldInvalid = "probe-field-invalid"

// dropRejected removes what other rules say about a probe that the API server rejects: no kubelet ever runs it.
func dropRejected(fs []found) []found {
	return slices.DeleteFunc(fs, func(f found) bool {
		if f.Rule == fieldInvalid {
			return false
		}
		if f.probe != nil && f.probe.Rejected() {
			return true
		}
		return f.workload != nil && slices.ContainsFunc(f.Probes, func(r lint.ProbeRef) bool {
			p := probeOf(f.workload, r)
			return p != nil && p.Rejected()
		})
	})
}

func probeOf(w *model.Workload, r lint.ProbeRef) *model.Probe {
	for _, c := range w.Containers {
		for _, p := range c.Probes {
			if c.Name == r.Container && p.Role == r.Role && p.File == r.File && p.Line == r.Line {
				return p
			}
		}
	}
	return nil
}

// silenced removes the findings of one workload or program that only follow from another one. An info says that something
// is possible and silences nothing. Rules silence each other in no circle, and a silenced rule still silences: its fact is
// true.
func silenced(fs []found, rules map[string]*lint.Rule) []found {
	quiet := make([]bool, len(fs))
	for i := range fs {
		loud := &fs[i]
		r := rules[loud.Rule]
		if r == nil || loud.Level <= lint.Info {
			continue
		}
		for k := range fs {
			f := &fs[k]
			if slices.Contains(r.Silences, f.Rule) && samePlace(loud, f) ||
				slices.Contains(r.SilencesCall, f.Rule) && touches(loud, f.Primary.Span) {
				quiet[k] = true
			}
		}
	}
	i := -1
	return slices.DeleteFunc(fs, func(found) bool { i++; return quiet[i] })
}

// samePlace reports whether two findings are about one probe or, where neither names a probe, about one container.
func samePlace(a, b *found) bool {
	if len(a.Probes) == 0 && len(b.Probes) == 0 {
		return a.workload == b.workload && (a.container == b.container || a.container == nil || b.container == nil)
	}
	for _, p := range a.Probes {
		if slices.Contains(b.Probes, p) {
			return true
		}
	}
	return false
}

func touches(f *found, at model.Span) bool {
	if overlap(f.Primary.Span, at) {
		return true
	}
	return slices.ContainsFunc(f.Labels, func(l lint.Label) bool { return overlap(l.Span, at) })
}

func overlap(a, b model.Span) bool {
	return a.File == b.File && a.Start < b.End && b.Start < a.End
}
