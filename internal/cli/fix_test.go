package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// run is one command in a directory.
func run(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = Main(context.Background(), args, System{
		In: strings.NewReader(""), Out: &out, Err: &err, Getenv: func(string) string { return "" }, Dir: dir,
		Now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	})
	return code, out.String(), err.String()
}

type jsonFinding struct {
	Rule, Fingerprint, Title string
	Fixes                    []struct{ Safe bool }
}

func findings(t *testing.T, dir string) []jsonFinding {
	t.Helper()
	_, out, stderr := run(t, dir, "check", "-f", "json", "--show", "info", "--offline", ".")
	var doc struct{ Findings []jsonFinding }
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	return doc.Findings
}

// hasFixes reports whether a rule offers fixes: in its own code, or where package suppress does for it.
func hasFixes(t *testing.T, rule string) bool {
	t.Helper()
	code, err := os.ReadFile(filepath.Join(rule, "rule.go"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(code, []byte("Fix")) || bytes.Contains(code, []byte("package suppress"))
}

// Every fix of every archive of the rules that have fixes leaves what parses, is formatted, and has no such finding any more; made twice it
// changes nothing; --diff shows the same and writes nothing.
func TestFixesOfAllArchives(t *testing.T) {
	if testing.Short() {
		t.Skip("judges every archive")
	}
	archives, err := filepath.Glob("../../rules/*/testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archives = slices.DeleteFunc(archives, func(name string) bool { return !hasFixes(t, filepath.Dir(filepath.Dir(name))) })
	if len(archives) < 20 {
		t.Fatalf("%d archives of rules with fixes", len(archives))
	}
	fixed := map[string]int{}
	for _, name := range archives {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for _, f := range a.Files {
			file := filepath.Join(dir, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		before := findings(t, dir)
		fixable := 0
		for _, f := range before {
			if len(f.Fixes) > 0 {
				fixable++
				fixed[f.Rule]++
			}
		}
		if fixable == 0 {
			continue
		}
		texts := read(t, dir, a)
		_, patch, stderr := run(t, dir, "check", "--diff", "--unsafe-fixes", "--show", "info", "--offline", ".")
		if patch == "" || strings.Contains(stderr, "not fixed") {
			t.Errorf("%s: no patch for %d fixes: %s", name, fixable, stderr)
		}
		if again := read(t, dir, a); again != texts {
			t.Errorf("%s: --diff wrote files", name)
		}
		if _, _, stderr := run(t, dir, "check", "--unsafe-fixes", "--show", "info", "--offline", "."); !strings.Contains(stderr, "fixed ") {
			t.Errorf("%s: %s", name, stderr)
		}
		once := read(t, dir, a)
		if once == texts {
			t.Errorf("%s: nothing was written", name)
		}
		run(t, dir, "check", "--unsafe-fixes", "--show", "info", "--offline", ".")
		if twice := read(t, dir, a); twice != once {
			t.Errorf("%s: the second time something changed", name)
		}
		unreadable := func(fs []jsonFinding) (n int) {
			for _, f := range fs {
				if f.Rule == "unreadable-input" {
					n++
				}
			}
			return n
		}
		after := findings(t, dir)
		if unreadable(after) > unreadable(before) {
			t.Errorf("%s: what was written does not parse\n%s", name, once)
		}
		for _, f := range after {
			if len(f.Fixes) > 0 {
				t.Errorf("%s: still there: %s: %s", name, f.Rule, f.Title)
			}
		}
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".go") {
				continue
			}
			if was, err := format.Source(f.Data); err != nil || !bytes.Equal(was, f.Data) {
				continue
			}
			now, err := os.ReadFile(filepath.Join(dir, f.Name))
			if err != nil {
				t.Fatal(err)
			}
			if is, err := format.Source(now); err != nil || !bytes.Equal(is, now) {
				t.Errorf("%s: %s is not formatted any more: %v", name, f.Name, err)
			}
		}
	}
	for _, rule := range []string{"probe-field-invalid", "exec-hides-status", "unused-suppression", "unknown-rule", "probe-port-unknown"} {
		if fixed[rule] == 0 {
			t.Errorf("no archive of %s has a fix", rule)
		}
	}
	t.Logf("fixes by rule: %v", fixed)
}

func read(t *testing.T, dir string, a *txtar.Archive) string {
	t.Helper()
	var b strings.Builder
	for _, f := range a.Files {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("-- " + f.Name + " --\n" + string(data))
	}
	return b.String()
}

func TestNewFromWithoutGit(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, dir, "check", "--new-from", "HEAD"); code != exitFailed || stderr != "probelint: --new-from: git is not installed, or not on the PATH\n" {
		t.Errorf("%d %q", code, stderr)
	}
}
