package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Group makes one finding of those with equal rule, level and cause, and puts the findings in order. The first one in the
// order of manifests speaks for the group; the others add their probes.
func Group(all []Found) []lint.Finding {
	slices.SortStableFunc(all, func(a, b Found) int {
		return cmp.Or(compare(&a.Finding, &b.Finding), compareRefs(a.Probes, b.Probes))
	})
	groups := make([]*lint.Finding, 0, len(all))
	first := map[string][]*lint.Finding{}
	for i := range all {
		f := &all[i].Finding
		key := causeKey(f)
		merged := false
		for _, g := range first[key] {
			// Two facts about one place of one probe stay two.
			if f.Title == g.Title || f.Cause != "" || !sharesProbe(f, g) {
				merge(g, f)
				merged = true
				break
			}
		}
		if !merged {
			f.Probes = slices.Clone(f.Probes)
			first[key] = append(first[key], f)
			groups = append(groups, f)
		}
	}
	out := make([]lint.Finding, 0, len(groups))
	for _, f := range groups {
		slices.SortStableFunc(f.Probes, compareRef)
		out = append(out, *f)
	}
	slices.SortStableFunc(out, func(a, b lint.Finding) int { return compare(&a, &b) })
	return out
}

func causeKey(f *lint.Finding) string {
	silent := f.Suppressed != nil
	if f.Cause != "" {
		return fmt.Sprintf("%s\x00%d\x00%t\x00%s", f.Rule, f.Level, silent, f.Cause)
	}
	s := f.Primary.Span
	return fmt.Sprintf("%s\x00%d\x00%t\x00%s\x00%d\x00%d", f.Rule, f.Level, silent, s.File, s.Start, s.End)
}

func sharesProbe(a, b *lint.Finding) bool {
	if len(a.Probes) == 0 && len(b.Probes) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Probes, func(p lint.ProbeRef) bool { return slices.Contains(b.Probes, p) })
}

func merge(into, f *lint.Finding) {
	for _, p := range f.Probes {
		if !slices.Contains(into.Probes, p) {
			into.Probes = append(into.Probes, p)
		}
	}
	if less(f.Certainty, into.Certainty) {
		into.Certainty = f.Certainty
	}
}

// less reports whether a is less certain than b.
func less(a, b model.Certainty) bool {
	order := []model.Certainty{model.Guessed, model.Likely, model.Proven, ""}
	return slices.Index(order, a) < slices.Index(order, b)
}

// compare is the order of findings: file, place of the primary span, rule, and then whatever tells them apart.
func compare(a, b *lint.Finding) int {
	return cmp.Or(
		strings.Compare(a.Primary.Span.File, b.Primary.Span.File),
		cmp.Compare(a.Primary.Span.Start, b.Primary.Span.Start),
		strings.Compare(a.Rule, b.Rule),
		cmp.Compare(b.Level, a.Level),
		cmp.Compare(a.Primary.Span.End, b.Primary.Span.End),
		strings.Compare(a.Title, b.Title),
		strings.Compare(a.Cause, b.Cause),
		compareSuppressed(a.Suppressed, b.Suppressed),
	)
}

func compareRefs(a, b []lint.ProbeRef) int { return slices.CompareFunc(a, b, compareRef) }

func compareRef(a, b lint.ProbeRef) int {
	return cmp.Or(
		strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Workload, b.Workload),
		strings.Compare(a.Container, b.Container), strings.Compare(string(a.Role), string(b.Role)),
	)
}

// compareSuppressed puts what is reported before what is silent.
func compareSuppressed(a, b *lint.Suppression) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return cmp.Or(strings.Compare(a.Span.File, b.Span.File), cmp.Compare(a.Span.Start, b.Span.Start))
}
