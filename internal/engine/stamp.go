package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/probelint/probelint/analyzer/load"
)

// stampOf tells one state of what a load reads from another, by content; tests: test files are part of it. newest is when the last
// of it changed.
func stampOf(env string, dirs []string, in load.Inputs, tests bool) (stamp string, newest time.Time) {
	s := stamper{sum: sha256.New(), walked: map[string]bool{}, tests: tests}
	s.note("%s\n%q\n", env, dirs)
	for _, list := range [][]string{dirs, in.Dirs} {
		for _, dir := range list {
			s.tree(dir)
		}
	}
	for _, name := range in.Files {
		st, err := os.Stat(name)
		switch {
		case err != nil:
			s.note("%q absent\n", name)
		case st.Mode().IsRegular() && goFile(filepath.Base(name)):
			s.file(name, st)
		default:
			s.note("%q %v\n", name, st.IsDir())
		}
	}
	return hex.EncodeToString(s.sum.Sum(nil)), s.newest
}

// stamper sums up a tree.
type stamper struct {
	sum    hash.Hash
	walked map[string]bool
	newest time.Time
	tests  bool
}

func (s *stamper) note(format string, args ...any) { _, _ = fmt.Fprintf(s.sum, format, args...) }

// skipped reports folders below a root that no Go package is read from.
func skipped(name string) bool {
	return strings.HasPrefix(name, ".") && name != "." && name != ".." || name == "node_modules"
}

// tree adds the Go and module files at or below a folder, tests aside unless they count, and where symbolic links lead. Folders are walked once.
func (s *stamper) tree(dir string) {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			s.note("%q %v\n", name, err)
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if s.walked[name] || name != dir && skipped(d.Name()) {
				return fs.SkipDir
			}
			s.walked[name] = true
		case goFile(d.Name()) && (s.tests || !strings.HasSuffix(d.Name(), "_test.go")):
			st, err := os.Stat(name)
			if err != nil {
				s.note("%q %v\n", name, err)
				return nil
			}
			s.file(name, st)
		case d.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(name)
			s.note("%q -> %q\n", name, to)
		}
		return nil
	})
}

func (s *stamper) file(name string, st fs.FileInfo) {
	if t := st.ModTime(); t.After(s.newest) {
		s.newest = t
	}
	data, err := os.ReadFile(name)
	if err != nil {
		s.note("%q %v\n", name, err)
		return
	}
	s.note("%q %x\n", name, sha256.Sum256(data))
}
