package cache

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Each change makes another sum, although size and modification time stay; what is put back has the old one.
func TestTreesDiffer(t *testing.T) {
	root := t.TempDir()
	d := Open(t.TempDir(), "b", DefaultLimit)
	ctx := context.Background()
	name := func(rel string) string { return filepath.Join(root, rel) }
	old := time.Now().Add(-time.Hour)
	write := func(rel, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name(rel)), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name(rel), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name(rel), old, old); err != nil {
			t.Fatal(err)
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write("a", "one")
	write("b/c", "two")
	write(".git/HEAD", "x")
	do(os.Symlink("a", name("link")))
	first := d.Tree(ctx, root)
	first.Keep()
	seen := map[string]string{first.Sum: "at first"}
	for _, step := range []struct {
		what string
		do   func()
		sum  string // "" for a new one
	}{
		{"nothing", func() {}, first.Sum},
		{"as many bytes", func() { write("a", "eno") }, ""},
		{"put back", func() { write("a", "one") }, first.Sum},
		{"another time", func() { do(os.Chtimes(name("a"), time.Now(), time.Now())) }, first.Sum},
		{"a file of git", func() { write(".git/index", "y") }, first.Sum},
		{"renamed", func() { do(os.Rename(name("b/c"), name("b/d"))) }, ""},
		{"renamed back", func() { do(os.Rename(name("b/d"), name("b/c"))) }, first.Sum},
		{"a link that leads elsewhere", func() { do(os.Remove(name("link"))); do(os.Symlink("b/c", name("link"))) }, ""},
		{"an empty folder", func() { do(os.Mkdir(name("empty"), 0o750)) }, ""},
		{"a file more", func() { write("z", "") }, ""},
		{"a file less", func() { do(os.Remove(name("a"))) }, ""},
	} {
		before := d.Tree(ctx, root)
		if !before.Same(ctx) {
			t.Errorf("before %s: not the same", step.what)
		}
		step.do()
		now := d.Tree(ctx, root)
		now.Keep()
		if again := Open(t.TempDir(), "b", DefaultLimit).Tree(ctx, root); again.Sum != now.Sum {
			t.Errorf("%s: the sum depends on what is known", step.what)
		}
		if step.sum != "" && now.Sum != step.sum {
			t.Errorf("%s: another sum", step.what)
		}
		if was := seen[now.Sum]; step.sum == "" && was != "" {
			t.Errorf("%s: the sum of %s", step.what, was)
		}
		seen[now.Sum] = step.what
		if touched := step.what != "nothing" && step.what != "a file of git"; before.Same(ctx) == touched {
			t.Errorf("%s: touched is %t", step.what, !touched)
		}
	}
	if (*Dir)(nil).Tree(ctx, root) != nil {
		t.Error("no cache, and a tree")
	}
}
