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
}

// goFiles are the names of the Go files in dir that belong to a build for the target by their names, sorted.
func (d *disk) goFiles(dir string) []string {
	d.mu.Lock()
	l, ok := d.dirs[dir]
	d.mu.Unlock()
	if ok {
		return l
	}
	l = listGo(dir)
	d.mu.Lock()
	d.dirs[dir] = l
	d.mu.Unlock()
	return l
}

func listGo(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	out := names[:0]
	for _, n := range names {
		if matchName(n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Clip(out)
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
