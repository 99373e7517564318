package gitlab_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/gitlab"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func write(t *testing.T, in *report.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := gitlab.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) { reporttest.Golden(t, "all.json", write(t, reporttest.Input())) }

// What GitLab requires (docs.gitlab.com, "Implement a custom tool").
func TestWhatGitLabRequires(t *testing.T) {
	in := reporttest.Input()
	in.Findings = append(in.Findings, in.Findings...) // equal fingerprints
	var issues []struct {
		Description string `json:"description"`
		CheckName   string `json:"check_name"`
		Fingerprint string `json:"fingerprint"`
		Severity    string `json:"severity"`
		Location    struct {
			Path  string
			Lines struct{ Begin int }
		}
	}
	out := write(t, in)
	if err := json.Unmarshal(out, &issues); err != nil || out[0] != '[' {
		t.Fatalf("no array: %v", err)
	}
	seen := map[string]bool{}
	for _, i := range issues {
		if !strings.HasPrefix(i.Description, i.CheckName+": ") || i.Location.Path == "" || strings.HasPrefix(i.Location.Path, "./") || i.Location.Lines.Begin < 1 {
			t.Errorf("%+v", i)
		}
		if !slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, i.Severity) {
			t.Errorf("severity %q", i.Severity)
		}
		if i.Fingerprint == "" || seen[i.Fingerprint] {
			t.Errorf("the fingerprint %s is there twice: GitLab shows one of them", i.Fingerprint)
		}
		seen[i.Fingerprint] = true
	}
	if want := 2 * (len(reporttest.Input().Findings) - 1); len(issues) != want {
		t.Errorf("%d issues, want %d: all but the silenced one", len(issues), want)
	}
	if got := string(write(t, reporttest.Few())); got != "[]\n" {
		t.Errorf("without findings: %q", got)
	}
}
