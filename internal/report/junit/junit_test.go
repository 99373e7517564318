package junit_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/junit"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func write(t *testing.T, in *report.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shape is the part of the schema that Jenkins' xunit plugin (junit-10.xsd) and the testmoapp description share.
var shape = map[string]reporttest.Element{
	"testsuites": {Optional: []string{"name", "time", "tests", "failures", "errors", "disabled"}, Children: []string{"testsuite"}},
	"testsuite": {
		Required: []string{"name", "tests"}, Optional: []string{"failures", "errors", "skipped", "time", "timestamp", "hostname", "file"},
		Children: []string{"properties", "testcase", "system-out", "system-err"},
	},
	"testcase": {
		Required: []string{"name"}, Optional: []string{"classname", "time", "file", "line", "assertions"},
		Children: []string{"skipped", "error", "failure", "system-out", "system-err"},
	},
	"failure": {Optional: []string{"message", "type"}, Text: true},
	"skipped": {Optional: []string{"message"}},
}

func TestGolden(t *testing.T) {
	reporttest.Golden(t, "all.xml", write(t, reporttest.Input()))
	reporttest.Golden(t, "clean.xml", write(t, &report.Input{Summary: lint.Summary{Workloads: 1, Probes: 2}, Show: lint.Warning}))
}

func TestShape(t *testing.T) {
	for _, in := range []*report.Input{reporttest.Input(), reporttest.Few(), reporttest.Few("silenced")} {
		out := write(t, in)
		for _, fault := range reporttest.XMLFaults(out, "testsuites", shape) {
			t.Error(fault)
		}
		cases := strings.Count(string(out), "<testcase ")
		if cases == 0 {
			t.Errorf("no case: it reads as if nothing had run:\n%s", out)
		}
		if !strings.Contains(string(out), `tests="`+itoa(cases)+`" failures="`+itoa(strings.Count(string(out), "<failure "))+`"`) {
			t.Errorf("the counts are not those of the cases:\n%.300s", out)
		}
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
