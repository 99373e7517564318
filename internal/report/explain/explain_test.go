package explain_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report/explain"
	"github.com/probelint/probelint/internal/report/reporttest"
)

const doc = "# a-rule\n\n## What it reports\n\nA summary on one line, with `name of something` in it, that is long enough to be wrapped somewhere.\n\n" +
	"A second paragraph\nover two lines.\n\n## Example\n\n```yaml\nkey: value # a very long line of code, which is not wrapped because that would change what it says\n\tindented\n```\n\n" +
	"```go\n## no heading\n```\n\n## Options\n\n- an item that is long enough to be wrapped, so that its second line has to stand below its first word\n- https://example.com/a/very/long/address/that/is/one/word/and/is/not/broken/anywhere\n" +
	"1. numbered\n\n| a | `b` |\n|---|---|\n\n## Limits\n\nEscapes \x1b[31m and \u202e are replaced.\n"

var rule = &lint.Rule{Name: "a-rule", Level: lint.Error, Doc: doc}

func write(t *testing.T, o explain.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := explain.Write(&b, rule, "error; sees both joined", o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	reporttest.Golden(t, "plain.txt", []byte(write(t, explain.Options{})))
	reporttest.Golden(t, "narrow.txt", []byte(write(t, explain.Options{Width: 40})))
	reporttest.Golden(t, "color.txt", []byte(write(t, explain.Options{Color: true, Width: 200})))
}

func TestColorChangesNothingButColor(t *testing.T) {
	if plain, colored := write(t, explain.Options{Width: 80}), write(t, explain.Options{Width: 80, Color: true}); ansi.Strip(colored) != plain {
		t.Errorf("the text differs:\n%s", colored)
	}
}

func TestProseFits(t *testing.T) {
	for _, l := range strings.Split(write(t, explain.Options{Width: 60}), "\n") {
		if ansi.StringWidth(l) > 60 && !strings.Contains(l, "  | ") && !strings.Contains(l, "https://") {
			t.Errorf("%d columns: %q", ansi.StringWidth(l), l)
		}
	}
}

func TestFullDisk(t *testing.T) {
	if err := explain.Write(failing{}, rule, "", explain.Options{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
