package load

import (
	"os"
	"slices"
	"strings"
	"sync"
)

// disk remembers directory listings.
type disk struct {
	mu   sync.Mutex
	dirs map[string][]string
	left map[string][]string // the Go files that the names leave out, tests aside
}

// goFiles are the names of the Go files in dir that belong to a build for the target by their names, sorted.
func (d *disk) goFiles(dir string) []string {
	d.mu.Lock()
	l, ok := d.dirs[dir]
	d.mu.Unlock()
	if ok {
		return l
	}
	l, left := listGo(dir)
	d.mu.Lock()
	d.dirs[dir] = l
	if len(left) > 0 {
		if d.left == nil {
			d.left = map[string][]string{}
		}
		d.left[dir] = left
	}
	d.mu.Unlock()
	return l
}

// leftOut are the Go files in dir whose names bind them to another system or architecture, sorted.
func (d *disk) leftOut(dir string) []string {
	d.goFiles(dir)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.left[dir]
}

func listGo(dir string) (match, left []string) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	match = names[:0]
	for _, n := range names {
		if matchName(n) {
			match = append(match, n)
		} else if isSource(n) {
			left = append(left, n)
		}
	}
	slices.Sort(match)
	slices.Sort(left)
	return slices.Clip(match), left
}

func isDir(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.IsDir()
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
