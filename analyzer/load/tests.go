package load

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// TestFiles are the test files of the module in dir, relative to it and sorted: of its packages, and of folders that hold tests
// alone. Nested modules and what the go command leaves out have none.
func TestFiles(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch base := filepath.Base(name); {
		case err != nil:
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
			if name == dir {
				return nil
			}
			if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor" || base == "node_modules" || isFile(filepath.Join(name, "go.mod")) {
				return fs.SkipDir
			}
		case strings.HasSuffix(base, "_test.go") && d.Type().IsRegular():
			if rel, err := filepath.Rel(dir, name); err == nil {
				out = append(out, rel)
			}
		}
		return nil
	})
	slices.Sort(out)
	return out
}
