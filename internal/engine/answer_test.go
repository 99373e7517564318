package engine

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/probelint/probelint/internal/cache"
)

// taken reports whether a run takes an answer over.
func taken(t *testing.T, dir string, c *cache.Dir, identity string) bool {
	t.Helper()
	return len(runTreeAs(t, dir, c, identity).Packages) == 0
}

// TestUnchangedTreesAreAnswered proves that answers are taken over at all, and for how long.
func TestUnchangedTreesAreAnswered(t *testing.T) {
	tr := newTree(t, 1)
	c := cache.Open(t.TempDir(), "test", cache.DefaultLimit)
	if taken(t, tr.dir, c, "a") {
		t.Error("an empty cache answered")
	}
	if !taken(t, tr.dir, c, "a") {
		t.Error("an unchanged tree was read again")
	}
	if taken(t, tr.dir, c, "b") {
		t.Error("the answer of another identity was taken over")
	}
	tr.write(t, "NOTES", []byte("new\n"))
	if taken(t, tr.dir, c, "a") {
		t.Error("a new file was not noticed")
	}
	if err := os.Remove(filepath.Join(tr.dir, "NOTES")); err != nil {
		t.Fatal(err)
	}
	if !taken(t, tr.dir, c, "a") {
		t.Error("the old content has no answer any more")
	}
	t.Setenv("GOFLAGS", "-tags=other")
	if taken(t, tr.dir, c, "a") {
		t.Error("another build tag was not noticed")
	}
	if err := os.Remove(filepath.Join(tr.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "")
	if taken(t, tr.dir, c, "a") {
		t.Error("an answer was taken over outside of a repository")
	}
}

// Runs at the same time share a cache while it is broken under them, and each finds what a run without cache finds.
func TestRunsShareABrokenCache(t *testing.T) {
	tr := newTree(t, 5)
	at := t.TempDir()
	want := runTree(t, tr.dir, nil)
	for round := range 3 {
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				c := cache.Open(at, []string{"one", "two"}[n%2], cache.DefaultLimit)
				if diff := sameAnswers(runTreeAs(t, tr.dir, c, "same"), want); diff != "" {
					t.Errorf("run %d of round %d has other %s", n, round, diff)
				}
			})
		}
		wg.Wait()
		files := breakEntries(t, tr, at, round)
		if files < 4 {
			t.Errorf("only %d entries to break", files)
		}
	}
}

// breakEntries cuts entries short, empties them, and changes a byte of them.
func breakEntries(t *testing.T, tr *edited, at string, round int) int {
	t.Helper()
	files := 0
	err := filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files++
		i := tr.rand.IntN(len(data))
		switch round {
		case 0:
			data = data[:i]
		case 1:
			data = slices.Concat(data[:i], []byte{data[i] ^ 0x40}, data[i+1:])
		default:
			data = bytes.Repeat([]byte{0}, len(data))
		}
		return os.WriteFile(name, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
