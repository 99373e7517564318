package judge

import (
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// FieldInvalid is the one rule that judges a probe which the API server rejects.
const FieldInvalid = "probe-field-invalid"

// DropRejected removes what other rules say about a probe that the API server rejects: no kubelet ever runs it.
func DropRejected(fs []Found) []Found {
	return slices.DeleteFunc(fs, func(f Found) bool {
		if f.Rule == FieldInvalid {
			return false
		}
		if f.Probe != nil && f.Probe.Rejected() {
			return true
		}
		return f.Workload != nil && slices.ContainsFunc(f.Probes, func(r lint.ProbeRef) bool {
			p := probeOf(f.Workload, r)
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

// Silence removes the findings of one workload or program that only follow from another one. An info says that something
// is possible and silences nothing. Rules silence each other in no circle, and a silenced rule still silences: its fact is
// true.
func Silence(fs []Found, rules map[string]*lint.Rule) []Found {
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
	return slices.DeleteFunc(fs, func(Found) bool { i++; return quiet[i] })
}

// samePlace reports whether two findings are about one probe or, where neither names a probe, about one container. A program that no
// manifest runs has probes by convention, which no finding names.
func samePlace(a, b *Found) bool {
	if a.Workload == nil && b.Workload == nil {
		return a.Probe == b.Probe && a.Program == b.Program
	}
	if len(a.Probes) == 0 && len(b.Probes) == 0 {
		return a.Workload == b.Workload && (a.Container == b.Container || a.Container == nil || b.Container == nil)
	}
	for _, p := range a.Probes {
		if slices.Contains(b.Probes, p) {
			return true
		}
	}
	return false
}

func touches(f *Found, at model.Span) bool {
	if overlap(f.Primary.Span, at) {
		return true
	}
	return slices.ContainsFunc(f.Labels, func(l lint.Label) bool { return overlap(l.Span, at) })
}

func overlap(a, b model.Span) bool {
	return a.File == b.File && a.Start < b.End && b.Start < a.End
}
