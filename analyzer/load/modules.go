package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	first         bool   // first-party: read with function bodies
	goVersion     string // of the go directive: "1.22"
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
					missing = &miss{module: m.name(), why: "its module is not in the module cache"}
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
				g.indirect[p] = &module{path: p, version: v, dir: cacheDir(g.cache, p, v)}
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
	data, err := os.ReadFile(filepath.Join(g.cache, "cache", "download", filepath.FromSlash(p), "@v", ver+".mod"))
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
	p, err := xmodule.EscapePath(path)
	if err != nil || cache == "" {
		return ""
	}
	v, err := xmodule.EscapeVersion(version)
	if err != nil {
		return ""
	}
	dir := filepath.Join(cache, filepath.FromSlash(p)+"@"+v)
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return ""
	}
	return dir
}

// root is one directory to read, with the module it belongs to.
type root struct {
	dir   string
	mod   *module
	graph *graph
}

// gomod is a go.mod file as it was read.
type gomod struct {
	dir  string
	file *modfile.File
	work string // the go.work that uses it
}

// planner reads go.mod and go.work files and builds the graphs.
type planner struct {
	env    *env
	disk   *disk
	mods   map[string]*gomod // by directory; nil where there is none
	works  modWorks
	rel    func(string) string // the name of a file in messages
	limits limits
}

// plan finds the modules of the given directories. Modules that see each other through a go.work or a local replace
// share one graph, so that a package of theirs exists once.
func (p *planner) plan(dirs []string) []root {
	type place struct {
		dir string
		mod *gomod
	}
	var places []place
	group := map[string]string{} // union-find over module directories
	var find func(string) string
	find = func(d string) string {
		if group[d] == d {
			return d
		}
		group[d] = find(group[d])
		return group[d]
	}
	for _, d := range slices.Compact(slices.Sorted(slices.Values(dirs))) {
		m := p.nearest(d)
		places = append(places, place{d, m})
		key := d
		if m != nil {
			key = m.dir
		}
		group[key] = key
	}
	union := func(a, b string) {
		if _, ok := group[b]; ok {
			group[find(a)] = find(b)
		}
	}
	for _, pl := range places {
		if pl.mod == nil {
			continue
		}
		for _, u := range p.workDirs(pl.mod.work) {
			union(pl.mod.dir, u)
		}
		for _, r := range pl.mod.file.Replace {
			if r.New.Version == "" {
				union(pl.mod.dir, under(pl.mod.dir, r.New.Path))
			}
		}
	}
	graphs := map[string]*graph{}
	var roots []root
	for _, pl := range places {
		if pl.mod == nil {
			g := p.adhoc(pl.dir)
			g.id = len(graphs)
			graphs[pl.dir] = g
			roots = append(roots, root{pl.dir, g.mains[0], g})
			continue
		}
		key := find(pl.mod.dir)
		g := graphs[key]
		if g == nil {
			var members []*gomod
			seen := map[string]bool{}
			for _, q := range places {
				if q.mod != nil && find(q.mod.dir) == key && !seen[q.mod.dir] {
					seen[q.mod.dir] = true
					members = append(members, q.mod)
				}
			}
			g = p.graph(members)
			g.id = len(graphs)
			graphs[key] = g
		}
		for _, m := range g.mains {
			if m.dir == pl.mod.dir {
				roots = append(roots, root{pl.dir, m, g})
			}
		}
	}
	return roots
}

// nearest is the go.mod at or above dir.
func (p *planner) nearest(dir string) *gomod {
	for d := dir; ; {
		if m := p.read(d); m != nil {
			return m
		}
		up := filepath.Dir(d)
		if up == d {
			return nil
		}
		d = up
	}
}

func (p *planner) read(dir string) *gomod {
	if m, ok := p.mods[dir]; ok {
		return m
	}
	p.mods[dir] = nil
	name := filepath.Join(dir, "go.mod")
	data, err := os.ReadFile(name)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.limits.add("reading "+p.rel(name), err.Error())
		}
		return nil
	}
	m := &gomod{dir: dir, file: p.parse(p.rel(name), data)}
	m.work = p.findWork(dir)
	p.mods[dir] = m
	return m
}

// parse reads a go.mod without the lines that are wrong, and says which was the first.
func (p *planner) parse(name string, data []byte) *modfile.File {
	lines := strings.Split(string(data), "\n")
	for try := 0; ; try++ {
		f, err := modfile.Parse(name, []byte(strings.Join(lines, "\n")), nil)
		if err == nil {
			return f
		}
		if try == 0 {
			p.limits.add(name+" was read in part", firstLine(err.Error()))
		}
		var list modfile.ErrorList
		if !errors.As(err, &list) || try == 20 {
			return &modfile.File{}
		}
		for _, e := range list {
			if e.Pos.Line > 0 && e.Pos.Line <= len(lines) {
				lines[e.Pos.Line-1] = ""
			}
		}
	}
}

// findWork is the go.work that uses the module in dir, "" where none does.
func (p *planner) findWork(dir string) string {
	if p.env.work == "off" {
		return ""
	}
	for d := dir; ; {
		name := filepath.Join(d, "go.work")
		if filepath.IsAbs(p.env.work) {
			name = p.env.work
		}
		if _, ok := p.works[name]; !ok {
			p.works[name] = nil
			if data, err := os.ReadFile(name); err == nil {
				w, err := modfile.ParseWork(p.rel(name), data, nil)
				if err != nil {
					p.limits.add(p.rel(name)+" was not read", firstLine(err.Error()))
				}
				p.works[name] = w
			}
		}
		if p.works[name] != nil {
			if slices.Contains(p.workDirs(name), dir) {
				return name
			}
			return ""
		}
		up := filepath.Dir(d)
		if up == d || filepath.IsAbs(p.env.work) {
			return ""
		}
		d = up
	}
}

func (p *planner) workDirs(name string) []string {
	w := p.works[name]
	if w == nil {
		return nil
	}
	var out []string
	for _, u := range w.Use {
		out = append(out, under(filepath.Dir(name), u.Path))
	}
	return out
}

// under is the absolute form of a path written in a go.mod or go.work in dir.
func under(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

// graph joins the go.mod files of modules that are analysed together.
func (p *planner) graph(members []*gomod) *graph {
	g := &graph{firsts: map[string]*module{}, reqs: map[string]*module{}, disk: p.disk, cache: p.env.modcache}
	all := slices.Clone(members)
	for _, m := range members {
		for _, d := range p.workDirs(m.work) {
			if w := p.read(d); w != nil && !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	type place struct {
		dir string
		rep []*modfile.Replace
	}
	var replaces []place
	for _, m := range members {
		if w := p.works[m.work]; w != nil {
			replaces = append(replaces, place{filepath.Dir(m.work), w.Replace})
		}
	}
	selected := map[string]string{}
	for i, m := range all {
		mod := &module{path: m.dir, dir: m.dir, first: true}
		if m.file.Module != nil {
			mod.path = m.file.Module.Mod.Path
		}
		if m.file.Go != nil {
			mod.goVersion = m.file.Go.Version
		}
		for _, x := range m.file.Ignore {
			mod.ignore = append(mod.ignore, x.Path)
		}
		if g.firsts[mod.path] == nil {
			g.firsts[mod.path] = mod
		}
		if i < len(members) {
			g.mains = append(g.mains, mod)
		}
		replaces = append(replaces, place{m.dir, m.file.Replace})
		for _, r := range m.file.Require {
			if semver.Compare(r.Mod.Version, selected[r.Mod.Path]) > 0 || selected[r.Mod.Path] == "" {
				selected[r.Mod.Path] = r.Mod.Version
			}
		}
		if p.env.mod != "mod" && m.work == "" {
			if v := filepath.Join(m.dir, "vendor"); isFile(filepath.Join(v, "modules.txt")) {
				g.vendor = append(g.vendor, v)
			}
		}
		if m.work != "" {
			v := filepath.Join(filepath.Dir(m.work), "vendor")
			if isFile(filepath.Join(v, "modules.txt")) && !slices.Contains(g.vendor, v) {
				g.vendor = append(g.vendor, v)
			}
		}
	}
	for path, v := range selected {
		if g.firsts[path] == nil {
			g.reqs[path] = &module{path: path, version: v}
		}
	}
	for _, pl := range replaces {
		for _, r := range pl.rep {
			p.replace(g, pl.dir, r, selected)
		}
	}
	for _, m := range g.reqs {
		if m.dir == "" {
			m.dir = cacheDir(g.cache, m.path, m.version)
		}
	}
	return g
}

func (p *planner) replace(g *graph, dir string, r *modfile.Replace, selected map[string]string) {
	if r.Old.Version != "" && r.Old.Version != selected[r.Old.Path] {
		return
	}
	if r.New.Version != "" {
		if g.firsts[r.Old.Path] == nil {
			g.reqs[r.Old.Path] = &module{path: r.Old.Path, version: r.New.Version, dir: cacheDir(g.cache, r.New.Path, r.New.Version)}
		}
		return
	}
	to := under(dir, r.New.Path)
	if g.firsts[r.Old.Path] != nil {
		return
	}
	if !isDir(to) {
		g.reqs[r.Old.Path] = &module{path: r.Old.Path, version: "=> " + r.New.Path}
		return
	}
	m := &module{path: r.Old.Path, dir: to, first: true}
	if f := p.read(to); f != nil && f.file.Go != nil {
		m.goVersion = f.file.Go.Version
	}
	delete(g.reqs, r.Old.Path)
	g.firsts[r.Old.Path] = m
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

// modWorks are go.work files by name; nil where there is none.
type modWorks map[string]*modfile.WorkFile
