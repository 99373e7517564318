package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/manifest"
)

// goDirs are the module and package directories to read: the modules under the paths, the module above each manifest that
// holds a workload, what --go adds, and a path that holds Go files inside a module without being one.
func goDirs(o *Options, m *manifest.Result, paths []string) []string {
	var dirs []string
	add := func(d string) {
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, d := range m.GoMods {
		add(filepath.Clean(absolute(o.Root, filepath.FromSlash(d))))
	}
	for _, d := range o.GoDirs {
		add(filepath.Clean(absolute(o.WorkingDir, d)))
	}
	if m.GoFiles > 0 {
		for _, p := range paths {
			if strings.HasSuffix(p, ".go") {
				p = filepath.Dir(p)
			}
			if !isDir(p) || slices.ContainsFunc(dirs, func(d string) bool { return within(d, p) || within(p, d) }) {
				continue
			}
			add(filepath.Clean(p))
		}
	}
	slices.Sort(dirs)
	return dirs
}

// within reports whether p is dir or lies below it.
func within(dir, p string) bool {
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}
