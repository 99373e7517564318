package text_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/reporttest"
	"github.com/probelint/probelint/internal/report/text"
)

func write(t *testing.T, in *report.Input, o text.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := text.Write(&b, in, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		in   *report.Input
		o    text.Options
	}{
		{"all.txt", reporttest.Input(), text.Options{}},
		{"narrow.txt", reporttest.Input(), text.Options{Width: 60}},
		{"design.txt", reporttest.Few("liveness-checks-dependency"), text.Options{}},
		{"color.txt", reporttest.Few("liveness-checks-dependency", "fixable", "multi-line"), text.Options{Color: true, Links: true}},
		{"quiet.txt", reporttest.Few("fixable"), text.Options{Quiet: true}},
	} {
		t.Run(c.name, func(t *testing.T) { reporttest.Golden(t, c.name, write(t, c.in, c.o)) })
	}
}

// A terminal shows nothing that the input could have smuggled in.
func TestNoControlCharacterOfTheInputReachesTheTerminal(t *testing.T) {
	out := string(write(t, reporttest.Input(), text.Options{}))
	if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && report.Hostile(r) }); i >= 0 {
		t.Errorf("control character in %q", out[max(0, i-20):i+10])
	}
}

// On a terminal no line of a frame is wider than the terminal, headings aside, which the terminal wraps.
func TestFramesFitTheTerminal(t *testing.T) {
	for _, width := range []int{40, 60, 80, 100} {
		for _, l := range strings.Split(string(write(t, reporttest.Input(), text.Options{Width: width, Quiet: true})), "\n") {
			if strings.Contains(l, "[") && strings.Contains(l, "]: ") || strings.Contains(l, "-->") || strings.Contains(l, ":::") || strings.Contains(l, "= docs:") {
				continue
			}
			if w := ansi.StringWidth(l); w > width {
				t.Errorf("width %d: %d columns: %q", width, w, l)
			}
		}
	}
}

// Whoever wants no colour wants no other escape either.
func TestNoLinkWithoutColor(t *testing.T) {
	if out := string(write(t, reporttest.Input(), text.Options{Width: 80, Links: true})); strings.Contains(out, "\x1b") {
		t.Errorf("an escape in %q", out)
	}
}

func TestColorChangesNothingButColor(t *testing.T) {
	plain := write(t, reporttest.Input(), text.Options{})
	colored := ansi.Strip(string(write(t, reporttest.Input(), text.Options{Color: true, Links: true})))
	if string(plain) != colored {
		t.Error("the text differs where colours and links are taken out")
	}
}

func TestFramesForTwentyFindingsThenLines(t *testing.T) {
	in := reporttest.Few("fixable")
	one := in.Findings[0]
	for range 24 {
		in.Findings = append(in.Findings, one)
	}
	out := string(write(t, in, text.Options{}))
	if n := strings.Count(out, "-->"); n != 20 {
		t.Errorf("%d frames, want 20", n)
	}
	if n := strings.Count(out, "windows.yaml:7:9: warning[fixable]: "); n != 5 {
		t.Errorf("%d short lines, want 5:\n%s", n, out)
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		show lint.Level
		s    lint.Summary
		want string
	}{
		{lint.Warning, lint.Summary{Workloads: 1, Probes: 2}, "no findings in 1 workload, 2 probes"},
		{
			lint.Warning,
			lint.Summary{Workloads: 14, Probes: 30, Packages: 9, Linked: 12, Unlinked: 2, Errors: 1, Infos: 3},
			"1 error in 14 workloads, 30 probes, 9 Go packages; 12 probes linked to code, 2 not, 16 that ask no handler; 3 infos hidden (--show info)",
		},
		{
			lint.Error,
			lint.Summary{Workloads: 1, Warnings: 2, Infos: 1, Suppressed: 1},
			"no findings in 1 workload, 0 probes; 1 suppressed; 2 warnings and 1 info hidden (--show info)",
		},
		{lint.Info, lint.Summary{Workloads: 2, Errors: 2, Warnings: 1, Infos: 1}, "2 errors, 1 warning, 1 info in 2 workloads, 0 probes"},
	} {
		if got := text.Summary(&report.Input{Summary: c.s, Show: c.show}); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
