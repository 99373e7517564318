// Package gitlab writes GitLab's Code Quality report (STYLE.md 5.5): a JSON array of which the merge request shows what is
// new, told apart by fingerprint.
package gitlab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"strconv"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
)

type issue struct {
	Description string   `json:"description"`
	CheckName   string   `json:"check_name"`
	Fingerprint string   `json:"fingerprint"`
	Severity    string   `json:"severity"`
	Location    location `json:"location"`
}

type location struct {
	Path  string `json:"path"`
	Lines lines  `json:"lines"`
}

type lines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// Write writes the findings that nothing silences. The rule stands in the description too, because GitLab does not show
// check_name.
func Write(w io.Writer, in *report.Input) error {
	seen := map[string]int{}
	issues := []issue{}
	for _, f := range report.Shown(in.Findings, lint.Off) {
		site := report.SiteOf(in, f)
		issues = append(issues, issue{
			Description: f.Rule + ": " + report.Printable(f.Title),
			CheckName:   f.Rule,
			Fingerprint: unique(f.Fingerprint, seen),
			Severity:    severity(f.Level),
			Location:    location{report.Slashes(site.File), lines{site.Line, site.EndLine}},
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(issues)
}

// unique salts a fingerprint that was there before: GitLab shows one of equal ones.
func unique(fingerprint string, seen map[string]int) string {
	n := seen[fingerprint]
	seen[fingerprint]++
	if n == 0 && fingerprint != "" {
		return fingerprint
	}
	sum := sha256.Sum256([]byte(fingerprint + "\x00" + strconv.Itoa(n)))
	return hex.EncodeToString(sum[:])
}

func severity(l lint.Level) string {
	switch l {
	case lint.Error:
		return "critical"
	case lint.Warning:
		return "minor"
	}
	return "info"
}
