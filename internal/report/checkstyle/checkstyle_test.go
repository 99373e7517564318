package checkstyle_test

import (
	"bytes"
	"testing"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/checkstyle"
	"github.com/probelint/probelint/internal/report/reporttest"
)

func write(t *testing.T, in *report.Input) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := checkstyle.Write(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// shape is that of the schemas of linkedin/php and jenkinsci's warnings plugin, which agree.
var shape = map[string]reporttest.Element{
	"checkstyle": {Optional: []string{"version"}, Children: []string{"file"}},
	"file":       {Required: []string{"name"}, Children: []string{"error"}},
	"error":      {Required: []string{"line", "severity", "message", "source"}, Optional: []string{"column"}},
}

func TestGolden(t *testing.T) { reporttest.Golden(t, "all.xml", write(t, reporttest.Input())) }

func TestShape(t *testing.T) {
	for _, in := range []*report.Input{reporttest.Input(), reporttest.Few()} {
		for _, fault := range reporttest.XMLFaults(write(t, in), "checkstyle", shape) {
			t.Error(fault)
		}
	}
}
