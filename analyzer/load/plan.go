package load

import (
	"errors"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

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
				p.absentUses(name)
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

// absentUses says which modules of a go.work are not there.
func (p *planner) absentUses(name string) {
	w := p.works[name]
	if w == nil {
		return
	}
	for _, u := range w.Use {
		dir := under(filepath.Dir(name), u.Path)
		switch {
		case !isDir(dir):
			p.limits.add(p.rel(name)+" uses "+u.Path, "there is no such folder")
		case !isFile(filepath.Join(dir, "go.mod")):
			p.limits.add(p.rel(name)+" uses "+u.Path, "there is no go.mod in it")
		}
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
		mod.asks = p.asks(m)
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
		if m.want == "" {
			m.want = placeIn(g.cache, m.path, m.version)
		}
	}
	return g
}

// asks is the newest Go that a go.mod or the go.work that uses it names in a go or toolchain line, "" where none does.
func (p *planner) asks(m *gomod) string {
	var names []string
	add := func(g *modfile.Go, t *modfile.Toolchain) {
		if g != nil {
			names = append(names, "go"+g.Version)
		}
		if t != nil {
			names = append(names, t.Name)
		}
	}
	add(m.file.Go, m.file.Toolchain)
	if w := p.works[m.work]; w != nil {
		add(w.Go, w.Toolchain)
	}
	newest := ""
	for _, n := range names {
		if version.IsValid(n) && version.Compare(n, newest) > 0 {
			newest = n
		}
	}
	return newest
}

func (p *planner) replace(g *graph, dir string, r *modfile.Replace, selected map[string]string) {
	if r.Old.Version != "" && r.Old.Version != selected[r.Old.Path] {
		return
	}
	if r.New.Version != "" {
		if g.firsts[r.Old.Path] == nil {
			g.reqs[r.Old.Path] = &module{path: r.Old.Path, version: r.New.Version, dir: cacheDir(g.cache, r.New.Path, r.New.Version), want: placeIn(g.cache, r.New.Path, r.New.Version)}
		}
		return
	}
	to := under(dir, r.New.Path)
	if g.firsts[r.Old.Path] != nil {
		return
	}
	if !isDir(to) {
		g.reqs[r.Old.Path] = &module{path: r.Old.Path, version: "=> " + r.New.Path, want: to}
		return
	}
	m := &module{path: r.Old.Path, dir: to, first: true}
	if f := p.read(to); f != nil && f.file.Go != nil {
		m.goVersion = f.file.Go.Version
	}
	delete(g.reqs, r.Old.Path)
	g.firsts[r.Old.Path] = m
}

// modWorks are go.work files by name; nil where there is none.
type modWorks map[string]*modfile.WorkFile
