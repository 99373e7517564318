package text_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/text"
	"github.com/probelint/probelint/internal/source"
)

// Whatever the bytes of a file and wherever the spans of a finding lie, also beyond the file, a frame is drawn: valid UTF-8
// without a control character, each label once.
func TestFramesOfAnything(t *testing.T) {
	pieces := []string{"a", "containers:", "- name: x", "  ", "\t", "\n", "\r\n", "\r", "検", "e\u0301", "\u200b", "👩‍👩‍👧", "\xff", "\x1b[31m", "\u202e", "\ufeff", "{", "---", "#"}
	rapid.Check(t, func(t *rapid.T) {
		data := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(t, "pieces"), "")
		set := source.NewSet("/nowhere")
		set.Add(source.New("a.yaml", []byte(data)))
		set.Add(source.New("b.go", []byte(strings.Repeat(data, 3))))
		label := func(i int) lint.Label {
			at := rapid.IntRange(-2, len(data)+5).Draw(t, "start")
			return lint.Label{
				Span:   model.Span{File: rapid.SampledFrom([]string{"a.yaml", "b.go"}).Draw(t, "file"), Start: at, End: at + rapid.IntRange(-3, 40).Draw(t, "length"), Line: 1},
				Text:   "label" + string(rune('A'+i)),
				Strong: rapid.Bool().Draw(t, "strong"),
			}
		}
		f := lint.Finding{Rule: "rule", Level: lint.Error, Title: "title", Primary: label(0)}
		n := rapid.IntRange(0, 5).Draw(t, "labels")
		for i := range n {
			f.Labels = append(f.Labels, label(i+1))
		}
		var b bytes.Buffer
		width := rapid.SampledFrom([]int{0, 1, 40, 80}).Draw(t, "width")
		if err := text.Write(&b, &report.Input{Findings: []lint.Finding{f}, Set: set}, text.Options{Width: width}); err != nil {
			t.Fatal(err)
		}
		out := b.String()
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r != '\n' && report.Hostile(r) }) {
			t.Fatalf("hostile output %q", out)
		}
		for i := range n + 1 {
			if c := strings.Count(out, "label"+string(rune('A'+i))); c != 1 {
				t.Fatalf("label %c is shown %d times:\n%s", 'A'+i, c, out)
			}
		}
	})
}
