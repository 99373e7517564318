package report

import (
	"slices"

	"github.com/probelint/probelint/internal/lint"
)

// FileFindings are the findings of one file with the place of each.
type FileFindings struct {
	File     string
	Findings []lint.Finding
	Sites    []Site
}

// ByFile groups findings by the file of their place, files in the order of their names, for the formats that nest them.
func ByFile(in *Input, fs []lint.Finding) []FileFindings {
	at := map[string]int{}
	var out []FileFindings
	for _, f := range fs {
		s := SiteOf(in, f)
		i, ok := at[s.File]
		if !ok {
			i = len(out)
			at[s.File] = i
			out = append(out, FileFindings{File: s.File})
		}
		out[i].Findings = append(out[i].Findings, f)
		out[i].Sites = append(out[i].Sites, s)
	}
	slices.SortStableFunc(out, func(a, b FileFindings) int {
		switch {
		case a.File < b.File:
			return -1
		case a.File > b.File:
			return 1
		}
		return 0
	})
	return out
}
