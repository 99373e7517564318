package edit

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

func replace(f *source.File, old, text string) lint.Edit {
	at := strings.Index(string(f.Data), old)
	return lint.Edit{Span: f.Span(at, at+len(old)), Text: text}
}

// Everything but the edited bytes stays: comments, quotes, CRLF, the byte order mark.
func TestApplyKeepsTheRest(t *testing.T) {
	f := source.New("a.yaml", []byte("\xef\xbb\xbfa: 1 # one\r\n\r\nb:   'two'\r\n"))
	got, err := Apply(f, []lint.Edit{replace(f, "'two'", "'three'\n"), replace(f, "1", "10")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "\xef\xbb\xbfa: 10 # one\r\n\r\nb:   'three'\r\n\r\n"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestApplyRefusesWhatDoesNotParse(t *testing.T) {
	f := source.New("a.yaml", []byte("a: [1, 2]\n"))
	if got, err := Apply(f, []lint.Edit{replace(f, "]", "")}); err == nil {
		t.Errorf("got %q", got)
	}
	g := source.New("a.go", []byte("package p\n\nfunc f() {}\n"))
	if got, err := Apply(g, []lint.Edit{replace(g, "{}", "{")}); err == nil {
		t.Errorf("got %q", got)
	}
	broken := source.New("b.yaml", []byte("a: {{ x }}: [\n")) // a template: nothing can be said
	if _, err := Apply(broken, []lint.Edit{replace(broken, "x", "y")}); err != nil {
		t.Error(err)
	}
}

// A Go file that was formatted is formatted again; another one stays as its author has it.
func TestGoStaysFormatted(t *testing.T) {
	f := source.New("a.go", []byte("package p\n\nvar (\n\ta   = 1 // a\n\tbcd = 2 // b\n)\n"))
	got, err := Apply(f, []lint.Edit{replace(f, "bcd = 2 // b", "b = 2 // b")})
	if want := "package p\n\nvar (\n\ta = 1 // a\n\tb = 2 // b\n)\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
	u := source.New("a.go", []byte("package p\nvar   a = 1\n"))
	if got, _ := Apply(u, []lint.Edit{replace(u, "1", "2")}); string(got) != "package p\nvar   a = 2\n" {
		t.Errorf("got %q", got)
	}
}

func finding(safe bool, es ...lint.Edit) lint.Finding {
	return lint.Finding{Rule: "r", Fixes: []lint.Fix{{Title: "Do it", Safe: safe, Edits: es}}}
}

// Of overlapping fixes the first is made; the others wait. Equal fixes of two findings are one.
func TestMake(t *testing.T) {
	set := source.NewSet(t.TempDir())
	f := source.New("a.yaml", []byte("a: 1\nb: 2\n"))
	set.Add(f)
	recoded := source.New("u.yaml", []byte("a: 1\n"))
	recoded.Recoded = true
	set.Add(recoded)
	plan := Make(set, []lint.Finding{
		finding(true, replace(f, "1", "3")),
		finding(true, replace(f, ": 1\nb", ": 4\nb")),
		finding(true, replace(f, "1", "3")),
		finding(false, replace(f, "2", "5")),
		finding(true, replace(recoded, "1", "3")),
		finding(true, lint.Edit{Span: model.Span{File: "<stdin>", End: 1}}),
		{Rule: "r", Suppressed: &lint.Suppression{}, Fixes: []lint.Fix{{Safe: true, Edits: []lint.Edit{replace(f, "2", "6")}}}},
	}, false)
	if len(plan.Changes) != 1 || string(plan.Changes[0].After) != "a: 3\nb: 2\n" || len(plan.Fixed) != 2 || plan.Overlapping != 1 {
		t.Errorf("got %+v", plan)
	}
	if plan = Make(set, []lint.Finding{finding(false, replace(f, "2", "5"))}, true); len(plan.Changes) != 1 {
		t.Errorf("unsafe: %+v", plan)
	}
	var b bytes.Buffer
	if err := Diff(&b, plan.Changes); err != nil || b.String() != "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n a: 1\n-b: 2\n+b: 5\n" {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// Whatever the edits are, what is planned does not overlap, and it does not depend on anything but the order of the findings.
func TestPlansAreDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := source.NewSet("/")
		f := source.New("a.txt", []byte(strings.Repeat("abcdefgh", 8)))
		set.Add(f)
		var fs []lint.Finding
		for range rapid.IntRange(0, 12).Draw(t, "fixes") {
			start := rapid.IntRange(0, len(f.Data)).Draw(t, "start")
			end := rapid.IntRange(start, len(f.Data)).Draw(t, "end")
			fs = append(fs, finding(true, lint.Edit{Span: f.Span(start, end), Text: rapid.StringMatching("[X-Z]{0,3}").Draw(t, "text")}))
		}
		one, two := Make(set, fs, false), Make(set, fs, false)
		if len(one.Refused) > 0 {
			t.Fatalf("refused: %v", one.Refused)
		}
		if len(fs) > 0 && len(one.Fixed) == 0 {
			t.Fatal("no fix was taken")
		}
		if len(one.Fixed)+one.Overlapping != len(fs) || len(one.Changes) != len(two.Changes) {
			t.Fatalf("%d fixed and %d overlapping of %d", len(one.Fixed), one.Overlapping, len(fs))
		}
		for i := range one.Changes {
			if !bytes.Equal(one.Changes[i].After, two.Changes[i].After) {
				t.Fatal("two plans differ")
			}
		}
	})
}

func TestWrite(t *testing.T) {
	root := t.TempDir()
	name := filepath.Join(root, "a.yaml")
	if err := os.WriteFile(name, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	change := Change{Path: "a.yaml", Before: []byte("a: 1\n"), After: []byte("a: 2\n")}
	if err := WriteChange(root, change); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(name)
	if err != nil || string(got) != "a: 2\n" {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := WriteChange(root, change); err == nil || !strings.Contains(err.Error(), "changed since it was read") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".probelint-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A link is followed inside of the tree and stays a link; out of it nothing is written.
func TestLinks(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	for _, dir := range []string{root, outside} {
		if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("a: 1\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in.yaml": "a.yaml", "out.yaml": filepath.Join(outside, "a.yaml"), "dir": outside} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	change := Change{Path: "in.yaml", Before: []byte("a: 1\n"), After: []byte("a: 2\n")}
	if err := WriteChange(root, change); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(filepath.Join(root, "in.yaml")); err != nil || to != "a.yaml" {
		t.Errorf("the link is %q, %v", to, err)
	}
	for _, path := range []string{"out.yaml", "dir/a.yaml"} {
		change.Path = path
		if err := WriteChange(root, change); err == nil || !strings.Contains(err.Error(), "leads out of") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(outside, "a.yaml")); string(got) != "a: 1\n" {
		t.Errorf("outside: %q", got)
	}
}
