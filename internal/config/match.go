package config

import (
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/probelint/probelint/internal/model"
)

// Matcher matches an absolute path, or one of the folders that it lies in, against globs that are relative to dir. `**` crosses
// folders; `deploy` and `deploy/` stand for all that lies in that folder.
func Matcher(dir string, globs []string) func(abs string) bool {
	clean := make([]string, len(globs))
	for i, g := range globs {
		clean[i] = strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(g), "./"), "/")
	}
	return func(abs string) bool {
		name := abs
		if r, err := filepath.Rel(dir, abs); err == nil {
			name = r
		}
		for p := filepath.ToSlash(name); p != "." && p != "/" && p != ""; p = parent(p) {
			for _, g := range clean {
				if doublestar.MatchUnvalidated(g, p) || g == "." {
					return true
				}
			}
		}
		return false
	}
}

func parent(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return ""
	}
	return p[:i]
}

// MatchesWorkload reports whether a workload is one of those that patterns name: KIND/NAME, KIND/NAMESPACE/NAME or NAME, where *
// stands for any letters.
func MatchesWorkload(patterns []string, w *model.Workload) bool {
	if w == nil {
		return false
	}
	names := []string{w.Name, w.Ref(), w.Kind + "/" + w.Namespace + "/" + w.Name}
	for _, p := range patterns {
		for _, n := range names {
			if doublestar.MatchUnvalidated(p, n) {
				return true
			}
		}
	}
	return false
}

// Func is what an override is about: a workload, which is nil where there is none, and the absolute path of a finding's file.
func (c *Config) Func(o Override) func(w *model.Workload, file string) bool {
	paths := Matcher(c.Dir, o.Paths)
	return func(w *model.Workload, file string) bool {
		if len(o.Workloads) > 0 && !MatchesWorkload(o.Workloads, w) {
			return false
		}
		return len(o.Paths) == 0 || file != "" && paths(file)
	}
}
