package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
)

func TestExclude(t *testing.T) {
	root := string(filepath.Separator) + filepath.Join("repo")
	for _, c := range []struct {
		glob, dir, rel string
		want           bool
	}{
		{"vendor", "", "vendor/x/a.yaml", true},
		{"vendor/", "", "vendor/x/a.yaml", true},
		{"./vendor", "", "vendor/a.yaml", true},
		{"vendor", "", "x/vendor/a.yaml", false},
		{"**/vendor", "", "x/vendor/a.yaml", true},
		{"*.yaml", "", "a.yaml", true},
		{"*.yaml", "", "x/a.yaml", false},
		{"**/*.yaml", "", "x/a.yaml", true},
		{"x/**", "", "x/y/a.yaml", true},
		{"deploy", "sub", "sub/deploy/a.yaml", true},
		{"deploy", "sub", "deploy/a.yaml", false},
		{"../deploy", "sub", "deploy/a.yaml", true},
	} {
		i := input{exclude: []string{c.glob}}
		if got := i.excluder(&command{System: System{Dir: filepath.Join(root, c.dir)}}, root)(c.rel); got != c.want {
			t.Errorf("%s from %q on %s: %v, want %v", c.glob, c.dir, c.rel, got, c.want)
		}
	}
}

func TestColored(t *testing.T) {
	for _, c := range []struct {
		flag string
		env  map[string]string
		want bool
	}{
		{"auto", nil, false},
		{"always", map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
		{"never", map[string]string{"FORCE_COLOR": "1"}, false},
		{"auto", map[string]string{"FORCE_COLOR": "1"}, true},
		{"auto", map[string]string{"FORCE_COLOR": "0"}, false},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, true},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
		{"auto", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": ""}, true},
	} {
		cmd := &command{System: System{Getenv: func(k string) string { return c.env[k] }}}
		if got := cmd.colored(c.flag, &bytes.Buffer{}); got != c.want {
			t.Errorf("%s %v: %v", c.flag, c.env, got)
		}
	}
}

// --show is never above --fail-on, and the strict profile moves both unless they are given.
func TestLevelsOf(t *testing.T) {
	for _, c := range []struct {
		f            checkFlags
		show, failOn lint.Level
	}{
		{checkFlags{show: "warning", failOn: "error"}, lint.Warning, lint.Error},
		{checkFlags{show: "error", failOn: "warning", showSet: true, failOnSet: true}, lint.Warning, lint.Warning},
		{checkFlags{judging: judging{profile: "strict"}, show: "warning", failOn: "error"}, lint.Info, lint.Warning},
		{checkFlags{judging: judging{profile: "strict"}, show: "error", failOn: "error", showSet: true}, lint.Warning, lint.Warning},
		{checkFlags{judging: judging{profile: "strict"}, show: "error", failOn: "error", showSet: true, failOnSet: true}, lint.Error, lint.Error},
	} {
		show, failOn := c.f.levelsOf()
		if show != c.show || failOn != c.failOn {
			t.Errorf("%+v: %s %s", c.f, show, failOn)
		}
	}
}

// A reader that went away costs no message.
func TestBrokenPipeIsQuiet(t *testing.T) {
	var stderr bytes.Buffer
	code := Main(context.Background(), []string{"rules"}, System{
		In: strings.NewReader(""), Out: closedPipe{}, Err: &stderr, Getenv: func(string) string { return "" }, Dir: t.TempDir(),
	})
	if code != exitFailed || stderr.Len() > 0 {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
}
