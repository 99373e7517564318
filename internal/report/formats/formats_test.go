package formats_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/formats"
	"github.com/probelint/probelint/internal/report/reporttest"
)

// Each format writes the hard findings, the empty run and a run without any file; the same bytes twice; no control
// character of the input; and reports a writer that fails.
func TestEveryFormat(t *testing.T) {
	for _, f := range formats.All() {
		t.Run(f.Name, func(t *testing.T) {
			if f.About == "" {
				t.Error("it does not say who reads it")
			}
			for name, in := range map[string]func() *report.Input{
				"hard": reporttest.Input, "none": func() *report.Input { return reporttest.Few() }, "empty": func() *report.Input { return &report.Input{} },
			} {
				var a, b bytes.Buffer
				if err := f.Write(&a, in(), formats.Options{}); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if err := f.Write(&b, in(), formats.Options{}); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(a.Bytes(), b.Bytes()) {
					t.Errorf("%s: two runs differ", name)
				}
				// JSON escapes control characters, so what is left would reach a terminal.
				if i := bytes.IndexFunc(a.Bytes(), func(r rune) bool { return r != '\n' && r != '\t' && report.Hostile(r) && r != '\u202e' }); i >= 0 {
					t.Errorf("%s: control character in %q", name, a.Bytes()[max(0, i-30):i+10])
				}
			}
			if err := f.Write(failing{}, reporttest.Input(), formats.Options{}); !errors.Is(err, errFull) {
				t.Errorf("a full disk gives %v", err)
			}
		})
	}
}

func TestNames(t *testing.T) {
	if got, want := strings.Join(formats.Names(), " "), "text concise json jsonl sarif github gitlab junit checkstyle rdjson html"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, ok := formats.Find("sarif"); !ok {
		t.Error("sarif is not found")
	}
	if _, ok := formats.Find("pdf"); ok {
		t.Error("pdf is found")
	}
}

var errFull = errors.New("no space left")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func BenchmarkFormats(b *testing.B) {
	in := reporttest.Input()
	for len(in.Findings) < 1000 {
		in.Findings = append(in.Findings, reporttest.Input().Findings...)
	}
	for _, f := range formats.All() {
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Write(io.Discard, in, formats.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
