package load

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// adhoc makes a directory without go.mod a module of its own. Its path is what its packages call each other by.
func (p *planner) adhoc(dir string) *graph {
	m := &module{path: p.inferPath(dir), dir: dir, first: true}
	g := &graph{mains: []*module{m}, firsts: map[string]*module{m.path: m}, reqs: map[string]*module{}, adhoc: true, disk: p.disk, cache: p.env.modcache}
	if v := filepath.Join(dir, "vendor"); isDir(v) {
		g.vendor = []string{v}
	}
	return g
}

// inferPath guesses the module path of a directory from the imports below it: where "example.com/me/app/internal/db" is
// imported and the directory holds internal/db, the path is example.com/me/app. The most imports decide.
func (p *planner) inferPath(dir string) string {
	votes := map[string]int{}
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if name != dir && skipDir(name, d.Name()) {
			return fs.SkipDir
		}
		for _, f := range p.disk.goFiles(name) {
			src, err := os.ReadFile(filepath.Join(name, f))
			if err != nil {
				continue
			}
			for _, im := range skim(src).imports {
				if prefix := p.prefixOf(dir, im.path); prefix != "" {
					votes[prefix]++
				}
			}
		}
		return nil
	})
	best := ""
	for prefix, n := range votes {
		if best == "" || n > votes[best] || n == votes[best] && prefix < best {
			best = prefix
		}
	}
	if best == "" {
		return filepath.Base(dir)
	}
	return best
}

// prefixOf is the part of an import path before the longest suffix that is a package below dir.
func (p *planner) prefixOf(dir, path string) string {
	first, _, _ := strings.Cut(path, "/")
	if !strings.Contains(first, ".") {
		return ""
	}
	for i := len(first); i >= 0 && i < len(path); {
		if len(p.disk.goFiles(filepath.Join(dir, filepath.FromSlash(path[i+1:])))) > 0 {
			return path[:i]
		}
		j := strings.IndexByte(path[i+1:], '/')
		if j < 0 {
			break
		}
		i += 1 + j
	}
	return ""
}

// skipDir reports whether a directory below a root holds no packages of it. An @ is part of no import path: such
// directories are those of a module cache inside the tree.
func skipDir(name, base string) bool {
	return base == "testdata" || base == "vendor" || base == "node_modules" || base[0] == '_' || base[0] == '.' || strings.Contains(base, "@") ||
		isFile(filepath.Join(name, "go.mod"))
}
