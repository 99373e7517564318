package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Ctrl-C ends a run with 130, says nothing on stdout, and leaves no file behind.
func TestInterrupted(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: c, image: b}]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"check"}, {"check", "--fix"}, {"inspect"}, {"init"}, {"baseline", "create"}} {
		var out, stderr bytes.Buffer
		code := Main(ctx, args, System{In: strings.NewReader(""), Out: &out, Err: &stderr, Getenv: func(string) string { return "" }, Dir: dir})
		if code != exitInterrupt || out.Len() > 0 || stderr.Len() > 0 {
			t.Errorf("%v: code %d, stdout %q, stderr %q", args, code, out.String(), stderr.String())
		}
	}
	for _, d := range []string{dir, tmp} {
		if left, _ := filepath.Glob(filepath.Join(d, "*probelint*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

// A fault of the program is a short message with what to run, and the stack only where it is asked for.
func TestPanicked(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{{[]string{"x"}, "the same command with -v prints"}, {[]string{"x", "-v"}, "goroutine "}} {
		var stderr bytes.Buffer
		cmd := &command{System: System{Err: &stderr}}
		code := cmd.panicked("on purpose", c.args)
		got := stderr.String()
		if code != exitFailed || !strings.HasPrefix(got, "probelint: internal error: on purpose\n") || !strings.Contains(got, c.want) || !strings.Contains(got, issuesURL) {
			t.Errorf("%d %s", code, got)
		}
	}
}

// The page holds every command, and begins no line of text with a control character.
func TestManPage(t *testing.T) {
	page := manPage((&command{}).root())
	for _, want := range []string{".TH PROBELINT 1", ".SS check [PATH...|\\-]", ".SS config show [PATH...]", `\-\-fail\-on`, `\fIGLOB\fR`, ".SH EXIT STATUS"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".S") && !strings.HasPrefix(line, ".TP") && !strings.HasPrefix(line, ".TH") && !strings.HasPrefix(line, ".B") && line != ".PP" {
			t.Errorf("a request that is none: %q", line)
		}
		if strings.HasPrefix(line, "'") {
			t.Errorf("a control line: %q", line)
		}
	}
}

// A name of another linter, or one that was changed, is answered with the name here.
func TestFormerFlags(t *testing.T) {
	cmd := find((&command{}).root(), "check")
	for was, now := range formerFlags {
		if cmd.Flags().Lookup(now) == nil {
			t.Errorf("--%s leads to --%s, which check does not have", was, now)
		}
		if cmd.Flags().Lookup(was) != nil {
			t.Errorf("--%s exists", was)
		}
	}
	if code, _, stderr := run(t, t.TempDir(), "check", "--new-from-rev", "x"); code != exitFailed || stderr != "probelint: unknown flag --new-from-rev; here it is --new-from\n" {
		t.Errorf("%d %q", code, stderr)
	}
}
