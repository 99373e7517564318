package config

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// Seen is what a run over the folder of a configuration read.
type Seen struct {
	Workloads []*model.Workload
	Programs  []*model.Program
	// Calls are the symbols that handlers of probes call on what leaves the process.
	Calls []string
}

// Unmatched are the entries that fit nothing of what was read: a setting without an effect looks like one that works. Each is a
// problem at its place.
func (c *Config) Unmatched(seen Seen) []Problem {
	var out []Problem
	say := func(at, format string, args ...any) {
		out = append(out, Problem{Span: c.spanAt(at), Message: fmt.Sprintf(format, args...)})
	}
	for i, g := range c.Exclude {
		if !c.leadsSomewhere(g) {
			say(fmt.Sprintf("exclude[%d]", i), "%q fits no file and no folder", g)
		}
	}
	for i, o := range c.Overrides {
		for k, g := range o.Paths {
			if !c.leadsSomewhere(g) {
				say(fmt.Sprintf("overrides[%d].paths[%d]", i, k), "%q fits no file and no folder", g)
			}
		}
		for k, p := range o.Workloads {
			if !slices.ContainsFunc(seen.Workloads, func(w *model.Workload) bool { return MatchesWorkload([]string{p}, w) }) {
				say(fmt.Sprintf("overrides[%d].workloads[%d]", i, k), "%q fits no workload%s", p, nearest(p, workloadNames(seen.Workloads)))
			}
		}
	}
	for i, b := range c.Bindings {
		c.unmatchedBinding(i, b, seen, say)
	}
	for i, x := range c.Critical {
		fits := func(call string) bool { return call == x.Call || lint.ShortCall(call) == x.Call }
		if !slices.ContainsFunc(seen.Calls, fits) {
			short := make([]string, len(seen.Calls))
			for k, call := range seen.Calls {
				short[k] = lint.ShortCall(call)
			}
			say(fmt.Sprintf("critical[%d].call", i), "no handler of a probe calls %q%s", x.Call, nearest(x.Call, append(short, seen.Calls...)))
		}
		if x.In != "" && !c.leadsSomewhere(x.In) {
			say(fmt.Sprintf("critical[%d].in", i), "%q fits no file and no folder", x.In)
		}
	}
	return out
}

func (c *Config) unmatchedBinding(i int, b Binding, seen Seen, say func(at, format string, args ...any)) {
	at := fmt.Sprintf("bindings[%d].", i)
	workload, container := false, false
	var names []string
	for _, w := range seen.Workloads {
		if b.Workload != w.Ref() && b.Workload != w.Name {
			continue
		}
		workload = true
		for _, x := range w.Containers {
			names = append(names, x.Name)
			container = container || b.Container == "" || b.Container == x.Name
		}
	}
	switch {
	case !workload:
		say(at+"workload", "no workload is named %q%s", b.Workload, nearest(b.Workload, workloadNames(seen.Workloads)))
	case !container:
		say(at+"container", "%s has no container %q%s", b.Workload, b.Container, nearest(b.Container, names))
	}
	var packages []string
	for _, p := range seen.Programs {
		rel, err := filepath.Rel(c.Dir, filepath.Join(c.root(), filepath.FromSlash(p.Dir)))
		if err != nil {
			rel = p.Dir
		}
		packages = append(packages, "./"+filepath.ToSlash(rel), p.Package)
	}
	if clean := "./" + path.Clean(filepath.ToSlash(b.Package)); !slices.Contains(packages, b.Package) && !slices.Contains(packages, clean) {
		say(at+"package", "%q is no main package that was read%s", b.Package, nearest(b.Package, packages))
	}
}

func nearest(name string, among []string) string {
	if n := lint.Nearest(name, among); n != "" {
		return fmt.Sprintf("; %q is the nearest", n)
	}
	return ""
}

func workloadNames(ws []*model.Workload) []string {
	var out []string
	for _, w := range ws {
		out = append(out, w.Ref(), w.Name)
	}
	return out
}

// root is the root of the run that Shown is relative to.
func (c *Config) root() string {
	if rest, ok := strings.CutSuffix(c.File, string(filepath.Separator)+filepath.FromSlash(c.Shown)); ok {
		return rest
	}
	return c.Dir
}

// spanAt is the place of what is written at a path of keys, or of the nearest that it lies in.
func (c *Config) spanAt(at string) model.Span {
	for at != "" {
		if s, ok := c.at[at]; ok {
			return s
		}
		at = at[:max(0, strings.LastIndexAny(at, ".["))]
	}
	return model.Span{}
}

var errFound = errors.New("found")

// leadsSomewhere reports whether a glob fits a file or a folder on disk.
func (c *Config) leadsSomewhere(glob string) bool {
	clean := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(glob), "./"), "/")
	if clean == "" || clean == "." || strings.HasPrefix(clean, "../") || path.IsAbs(clean) {
		return true // outside of the folder: not looked for
	}
	_, err := os.Stat(filepath.Join(c.Dir, filepath.FromSlash(clean)))
	if err == nil {
		return true
	}
	err = doublestar.GlobWalk(os.DirFS(c.Dir), clean, func(string, os.DirEntry) error { return errFound })
	return err != nil // found, or not known
}

// Describe is a problem as a line with the place, for what is no error of the file.
func (c *Config) Describe(p Problem) string {
	line, column := c.src.Position(p.Span.Start)
	return fmt.Sprintf("%s:%d:%d: %s", c.Shown, line, column, p.Message)
}
