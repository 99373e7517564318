package vet_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/rules"
)

// What vet finds in a program is what the command line finds in it where no manifest is known. With manifests the command
// line knows more and may say something else.
func TestParityWithTheCommandLine(t *testing.T) {
	for _, name := range []string{"shop", "shop-fixed"} {
		root := goOnly(t, filepath.Join("..", "..", "testdata", name))
		r, err := engine.Run(context.Background(), engine.Options{
			Root: root, WorkingDir: root, Paths: []string{"."}, Rules: rules.All(), Settings: lint.DefaultSettings("default"), Offline: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		var cli, got []string
		for _, f := range r.Findings {
			cli = append(cli, describe(f))
		}
		for _, dir := range mains(t, root) {
			r, err := vet.Check(context.Background(), dir, vet.Options{Rules: rules.All(), Show: lint.Info})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				got = append(got, describe(f))
			}
		}
		slices.Sort(cli)
		slices.Sort(got)
		got = slices.Compact(got)
		if name == "shop" && len(got) < 5 {
			t.Errorf("%s: only %d findings", name, len(got))
		}
		for _, f := range got {
			if !slices.Contains(cli, f) {
				t.Errorf("%s: vet alone says %s", name, f)
			}
		}
		for _, f := range cli {
			if !slices.Contains(got, f) {
				t.Errorf("%s: the command line alone says %s", name, f)
			}
		}
	}
}

func describe(f lint.Finding) string {
	return fmt.Sprintf("%s:%d-%d %s[%s] %s", f.Primary.Span.File, f.Primary.Span.Start, f.Primary.Span.End, f.Level, f.Rule, f.Title)
}

// goOnly copies the Go side of a folder.
func goOnly(t *testing.T, from string) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !strings.HasSuffix(name, ".go") && !strings.HasPrefix(d.Name(), "go.") {
			return nil
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// extract writes a txtar archive into a folder.
func extract(t *testing.T, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mains(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "main.go" {
			out = append(out, filepath.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSeal(t *testing.T) {
	text := map[string]string{"/a/x.go": "package a", "/a/y.go": "package a // y", "/b/x.go": "package a", "/b/y.go": "package a // y"}
	read := func(name string) ([]byte, error) {
		if s, ok := text[name]; ok {
			return []byte(s), nil
		}
		return nil, fs.ErrNotExist
	}
	seal := func(path string, files []string, imports ...vet.Import) vet.Seal {
		s, err := vet.NewSeal(path, files, imports, read)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	base := seal("a", []string{"/a/x.go", "/a/y.go"})
	one, two := vet.Import{Path: "p", Seal: vet.Seal{1}}, vet.Import{Path: "q", Seal: vet.Seal{2}}
	if seal("a", []string{"/b/y.go", "/b/x.go"}) != base {
		t.Error("the seal depends on the folder or the order of files")
	}
	if seal("a", nil, one, two) != seal("a", nil, two, one) {
		t.Error("the seal depends on the order of imports")
	}
	for name, other := range map[string]vet.Seal{
		"another path":          seal("b", []string{"/a/x.go", "/a/y.go"}),
		"a file less":           seal("a", []string{"/a/x.go"}),
		"an import":             seal("a", []string{"/a/x.go", "/a/y.go"}, one),
		"another import's seal": seal("a", []string{"/a/x.go", "/a/y.go"}, vet.Import{Path: "p", Seal: vet.Seal{9}}),
	} {
		if other == base {
			t.Errorf("%s: the same seal", name)
		}
	}
	if _, err := vet.NewSeal("a", []string{"/nowhere"}, nil, read); err == nil {
		t.Error("no error for a file that cannot be read")
	}
	var b strings.Builder
	if _, err := base.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if back, ok := vet.ReadSeal([]byte(b.String())); !ok || back != base {
		t.Error("a seal does not survive its file")
	}
	if _, ok := vet.ReadSeal(nil); ok {
		t.Error("an empty file is a seal")
	}
}

// The facts of a package are of one size, however large it is.
func TestSealsAreBounded(t *testing.T) {
	var files []string
	var imports []vet.Import
	for i := range 2000 {
		files = append(files, fmt.Sprintf("/big/f%d.go", i))
		imports = append(imports, vet.Import{Path: fmt.Sprintf("p%d", i)})
	}
	s, err := vet.NewSeal("big", files, imports, func(string) ([]byte, error) { return make([]byte, 10_000), nil })
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := s.WriteTo(&b); err != nil || b.Len() > 64 {
		t.Errorf("%d bytes of facts, %v", b.Len(), err)
	}
}

func TestFirstParty(t *testing.T) {
	for dir, want := range map[string]bool{
		"/home/me/shop/cmd/shop": true, "/home/me/go/src/shop": true, "cmd/shop": true,
		"/root/go/pkg/mod/example.com/lib@v1.0.0/x": false, "/home/me/shop/vendor/example.com/lib": false,
		"/cache/example.com/lib@v0.1.0": false, "external/org_golang_x_net/html": false, "/sandbox/external/lib": false,
	} {
		if got := vet.FirstParty(dir); got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}

// A comment in the code silences what the command line is silenced by, whatever day it is.
func TestCommentsSilence(t *testing.T) {
	for comment, want := range map[string]int{
		"": 1, "//probelint:ignore check-without-deadline -- the driver has one": 0,
		"//probelint:ignore check-without-deadline until=2020-01-01 -- for now": 0,
		"//nolint:probelint // as agreed":                                       0,
		"//probelint:ignore cached-aggregate -- another rule":                   1,
	} {
		dir := extract(t, strings.Replace(twoPackages, "\t\tif err := db.Ping()", "\t\t"+comment+"\n\t\tif err := db.Ping()", 1))
		r, err := vet.Check(context.Background(), dir, vet.Options{Rules: rules.All(), Select: []string{"check-without-deadline"}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Findings) != want {
			t.Errorf("%q: %d findings, want %d", comment, len(r.Findings), want)
		}
	}
}

// A rule that fails inside is told of, beside what the others found.
func TestFailingRule(t *testing.T) {
	root := goOnly(t, filepath.Join("..", "..", "testdata", "shop"))
	broken := &lint.Rule{Name: "broken", Level: lint.Error, Scope: lint.PerProgram, Check: func(*lint.Pass) { panic("no such port") }}
	r, err := vet.Check(context.Background(), filepath.Join(root, "cmd", "storefront"), vet.Options{Rules: append(rules.All(), broken)})
	if err == nil || !strings.Contains(err.Error(), "rule broken on example.com/shop/cmd/storefront: internal error: no such port") {
		t.Errorf("got %v", err)
	}
	if r == nil || len(r.Findings) == 0 {
		t.Error("the findings of the other rules are lost")
	}
}
