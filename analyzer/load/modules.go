package load

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	xmodule "golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// module is one module of a graph.
type module struct {
	path, version string
	dir           string // where its packages lie; "" where it cannot be had
	want          string // where they would lie
	first         bool   // first-party: read with function bodies
	goVersion     string // of the go directive: "1.22"
	asks          string // the newest Go that go.mod or its go.work names: "go1.22"
	ignore        []string
}

// name is how a message calls the module.
func (m *module) name() string {
	if m.version == "" {
		return m.path
	}
	return m.path + " " + m.version
}

// graph answers which directory an import path stands for, for one set of main modules.
type graph struct {
	id     int
	mains  []*module
	firsts map[string]*module // by path: mains, workspace members, local replacements
	reqs   map[string]*module // by path: what the mains require, at the selected version
	vendor []string           // vendor directories
	adhoc  bool               // no go.mod: the directory itself is taken as a module
	disk   *disk
	cache  string // GOMODCACHE

	once     sync.Once
	indirect map[string]*module // from the go.mod files of requirements
	looked   []string           // the go.mod files that were looked for, in the module cache
}

// miss says why an import path could not be resolved.
type miss struct {
	module string // name of the module that has the package, "" where none is known
	why    string
}

// resolve finds the directory of an import path that is not part of the standard library.
func (g *graph) resolve(path string) (dir string, m *module, missing *miss) {
	for p := range prefixes(path) {
		if m := g.firsts[p]; m != nil {
			dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(path[len(p):], "/")))
			if len(g.disk.goFiles(dir)) > 0 {
				return dir, m, nil
			}
			missing = &miss{why: "the package has no Go file, so its code is generated or absent"}
		}
	}
	for _, v := range g.vendor {
		dir := filepath.Join(v, filepath.FromSlash(path))
		if len(g.disk.goFiles(dir)) > 0 {
			return dir, g.owner(path), nil
		}
	}
	for _, reqs := range []func() map[string]*module{
		func() map[string]*module { return g.reqs },
		g.transitive,
	} {
		l := reqs()
		for p := range prefixes(path) {
			m := l[p]
			if m == nil {
				continue
			}
			if m.dir == "" {
				if missing == nil {
					missing = &miss{module: m.name(), why: "not in the module cache"}
				}
				continue
			}
			dir := filepath.Join(m.dir, filepath.FromSlash(strings.TrimPrefix(path[len(p):], "/")))
			if len(g.disk.goFiles(dir)) > 0 {
				return dir, m, nil
			}
		}
		if missing != nil {
			return "", nil, missing
		}
	}
	return "", nil, &miss{why: "no module of go.mod provides it"}
}

// owner is the required module that a vendored package belongs to.
func (g *graph) owner(path string) *module {
	for p := range prefixes(path) {
		if m := g.reqs[p]; m != nil {
			return m
		}
	}
	return &module{path: path}
}

// prefixes yields an import path and its parents, longest first.
func prefixes(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for {
			if !yield(path) {
				return
			}
			i := strings.LastIndexByte(path, '/')
			if i < 0 {
				return
			}
			path = path[:i]
		}
	}
}

// transitive are the modules that only the go.mod files of requirements list: a go.mod older than go 1.17 does not name
// them. The highest version wins.
func (g *graph) transitive() map[string]*module {
	g.once.Do(func() {
		best := map[string]string{}
		var queue []xmodule.Version
		for _, m := range g.reqs {
			queue = append(queue, xmodule.Version{Path: m.path, Version: m.version})
		}
		seen := map[xmodule.Version]bool{}
		for len(queue) > 0 && len(seen) < 20000 {
			v := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			if seen[v] || v.Version == "" {
				continue
			}
			seen[v] = true
			for _, r := range g.cachedRequires(v) {
				queue = append(queue, r)
				if semver.Compare(r.Version, best[r.Path]) > 0 {
					best[r.Path] = r.Version
				}
			}
		}
		g.indirect = map[string]*module{}
		for p, v := range best {
			if g.reqs[p] == nil && g.firsts[p] == nil {
				g.indirect[p] = &module{path: p, version: v, dir: cacheDir(g.cache, p, v), want: placeIn(g.cache, p, v)}
			}
		}
	})
	return g.indirect
}

func (g *graph) cachedRequires(v xmodule.Version) []xmodule.Version {
	p, err1 := xmodule.EscapePath(v.Path)
	ver, err2 := xmodule.EscapeVersion(v.Version)
	if err1 != nil || err2 != nil {
		return nil
	}
	name := filepath.Join(g.cache, "cache", "download", filepath.FromSlash(p), "@v", ver+".mod")
	g.looked = append(g.looked, name)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	f, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return nil
	}
	var out []xmodule.Version
	for _, r := range f.Require {
		out = append(out, r.Mod)
	}
	return out
}

// cacheDir is the directory of a module in the module cache, "" where it is not there.
func cacheDir(cache, path, version string) string {
	dir := placeIn(cache, path, version)
	if dir == "" || !isDir(dir) {
		return ""
	}
	return dir
}

// placeIn is where a module lies in the module cache, or would.
func placeIn(cache, path, version string) string {
	p, err := xmodule.EscapePath(path)
	if err != nil || cache == "" {
		return ""
	}
	v, err := xmodule.EscapeVersion(version)
	if err != nil {
		return ""
	}
	return filepath.Join(cache, filepath.FromSlash(p)+"@"+v)
}
