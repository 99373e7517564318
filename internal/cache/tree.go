package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Tree is the content of all files below a directory but for what git keeps in .git, at one moment.
type Tree struct {
	// Sum tells one content from another: names, kinds, bytes, and where links lead.
	Sum string

	root  string
	dir   *Dir
	files []fileState
	fresh bool // something in files is not in the cache yet
}

// fileState is what is known of one file. Stat is what the system says of it without its bytes; Settled: it changed long enough
// before it was read that a later change cannot have the same Stat.
type fileState struct {
	Path    string // from the root
	Stat    string
	Settled bool
	Sum     string
}

// Bounds of a tree: one with more is not summed up.
const (
	mostTreeFiles = 200_000
	mostTreeBytes = 1 << 30 // to read; what has not changed is not read again
)

// settling is how long a file has to lie still before its times are trusted: file systems keep them in steps of up to two
// seconds.
const settling = 2500 * time.Millisecond

var errTooMuch = errors.New("the tree is too large")

// Tree sums up a tree. Files whose times, size and number are those of an earlier sum are taken to be the same; the change
// time is among them, which no program sets. It is nil where the cache keeps nothing or the tree is too large.
func (d *Dir) Tree(ctx context.Context, root string) *Tree {
	if d == nil || d.path == "" || d.build == "" {
		return nil
	}
	known := map[string]fileState{}
	var kept []fileState
	if d.Get(d.treeKey(root), &kept) {
		for _, f := range kept {
			known[f.Path] = f
		}
	}
	t := &Tree{root: root, dir: d, fresh: len(kept) == 0}
	if t.walk(ctx, known) != nil {
		return nil
	}
	t.fresh = t.fresh || len(t.files) != len(kept)
	return t
}

func (d *Dir) treeKey(root string) string { return d.Key("tree", root) }

// Same reports whether nothing in the tree was touched since it was summed up.
func (t *Tree) Same(ctx context.Context) bool {
	known := make(map[string]fileState, len(t.files))
	for _, f := range t.files {
		known[f.Path] = f
	}
	now := &Tree{root: t.root}
	if now.walk(ctx, known) != nil || now.Sum != t.Sum || len(now.files) != len(t.files) {
		return false
	}
	for i := range t.files {
		if t.files[i].Path != now.files[i].Path || t.files[i].Stat != now.files[i].Stat {
			return false
		}
	}
	return true
}

// Keep writes down what was found out for the next sum.
func (t *Tree) Keep() {
	if t.fresh {
		_ = t.dir.Put(t.dir.treeKey(t.root), t.files)
	}
}

// walk fills files and Sum.
func (t *Tree) walk(ctx context.Context, known map[string]fileState) error {
	sum := sha256.New()
	left := int64(mostTreeBytes)
	began := time.Now()
	err := filepath.WalkDir(t.root, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(t.root, name)
		switch {
		case relErr != nil:
			return relErr
		case err != nil:
			_, _ = fmt.Fprintf(sum, "%q %v\n", rel, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if d.Name() == ".git" && name != t.root {
				return fs.SkipDir
			}
			_, _ = fmt.Fprintf(sum, "%q d\n", rel)
			return ctx.Err()
		case d.Name() == ".git": // of a work tree: where its repository lies
			return nil
		case len(t.files) >= mostTreeFiles:
			return errTooMuch
		}
		f, err := t.file(rel, name, d, known, &left, began)
		if err != nil {
			return err
		}
		t.files = append(t.files, f)
		_, _ = fmt.Fprintf(sum, "%q f %s\n", rel, f.Sum)
		return nil
	})
	if err != nil {
		return fmt.Errorf("summing up %s: %w", t.root, err)
	}
	t.Sum = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// file is the state of one file, or of what a link leads to.
func (t *Tree) file(rel, name string, d fs.DirEntry, known map[string]fileState, left *int64, began time.Time) (fileState, error) {
	f := fileState{Path: rel}
	link := ""
	if d.Type()&fs.ModeSymlink != 0 {
		link, _ = os.Readlink(name)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		// A pipe, a socket, a link to a directory or to nothing.
		f.Sum, f.Settled = fmt.Sprintf("%q %v %v", link, err == nil && info.IsDir(), err != nil), true
		f.Stat = f.Sum
		return f, nil
	}
	stat, newest, exact := statOf(info)
	f.Stat = fmt.Sprintf("%q %s", link, stat)
	f.Settled = exact && newest.Add(settling).Before(began)
	if old, ok := known[rel]; ok && exact && old.Settled && old.Stat == f.Stat {
		f.Sum, f.Settled = old.Sum, true
		return f, nil
	}
	t.fresh = true
	if *left -= info.Size(); *left < 0 {
		return f, errTooMuch
	}
	content, err := sumOfFile(name)
	if err != nil {
		content = err.Error()
	}
	f.Sum = fmt.Sprintf("%q %s %v", link, content, info.Mode().Perm()&0o111 != 0)
	return f, nil
}

func sumOfFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
