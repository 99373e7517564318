package manifest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"syscall"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// input is one file to read.
type input struct {
	path  string // absolute, or "-"
	rel   string
	named bool // on the command line
	// chart is the directory of the chart whose templates directory holds the file, "" for a plain file.
	chart string
}

// discovery is the walk over the paths of one run.
type discovery struct {
	*reader
	ctx      context.Context
	inputs   []input
	files    []File
	findings []lint.Finding

	goMods         map[string]bool
	goFiles        int
	dockerfiles    []string
	buildFiles     []string
	charts         []string
	kustomizations []string

	dirs  map[string]bool // real paths of directories that were walked
	seen  map[string]int  // real path of a file -> index in inputs, or -1 for another kind of file
	links []link
}

// link is a symbolic link found in a walk. Links are followed after everything else, so that a file with two names
// appears under its own.
type link struct {
	path string
	in   place
}

// place is what is known of the directory being walked.
type place struct {
	chart     string // the chart whose templates directory this is, or is below
	goIgnored bool   // the go tool does not look here: testdata, or a name that begins with "_"
}

// notWalked are directories that hold other people's manifests and code, or none at all.
func notWalked(name string) bool { return name == ".git" || name == "vendor" || name == "node_modules" }

func discover(ctx context.Context, r *reader) *discovery {
	d := &discovery{reader: r, ctx: ctx, goMods: map[string]bool{}, dirs: map[string]bool{}, seen: map[string]int{}}
	for _, p := range r.opts.Paths {
		d.start(p)
	}
	// Following a link can find further links.
	for len(d.links) > 0 && ctx.Err() == nil {
		links := d.links
		d.links = nil
		sort.Slice(links, func(i, j int) bool { return links[i].path < links[j].path })
		for _, l := range links {
			d.follow(l)
		}
	}
	sort.SliceStable(d.inputs, func(i, j int) bool { return d.inputs[i].rel < d.inputs[j].rel })
	return d
}

// start begins at one path of the command line.
func (d *discovery) start(p string) {
	if p == "-" {
		d.inputs = append(d.inputs, input{path: "-", rel: StdinPath, named: true})
		return
	}
	info, err := os.Stat(p)
	if err != nil {
		d.unreadable(d.set.Rel(p), err, lint.Error)
		return
	}
	real, err := filepath.EvalSymlinks(p)
	if err != nil {
		real = p // the pipe of a process substitution, /dev/fd/63, has no path of its own
	}
	if info.IsDir() {
		d.walk(p, real, place{chart: d.chartOf(p)})
		return
	}
	d.named(p, real)
}

// named takes a file of the command line, whatever its name is.
func (d *discovery) named(p, real string) {
	rel := d.set.Rel(p)
	if i, ok := d.seen[real]; ok && i >= 0 {
		d.inputs[i].named = true
		return
	} else if ok {
		return
	}
	if k := classify(filepath.Base(p)); k&^manifestFile != 0 {
		d.collect(rel, k, place{})
		if k&manifestFile == 0 {
			d.seen[real] = -1
			return
		}
	}
	d.add(real, input{path: p, rel: rel, named: true, chart: d.chartOf(filepath.Dir(p))})
}

func (d *discovery) add(real string, in input) {
	d.seen[real] = len(d.inputs)
	d.inputs = append(d.inputs, in)
}

// walk reads a directory and everything below it. p is the path under which its files are shown, real its real path.
func (d *discovery) walk(p, real string, in place) {
	if d.dirs[real] || d.ctx.Err() != nil {
		return
	}
	d.dirs[real] = true
	rel := d.set.Rel(p)
	entries, err := os.ReadDir(p)
	if err != nil {
		d.unreadable(rel, err, lint.Error)
	}
	for _, e := range entries {
		if name := e.Name(); strings.EqualFold(name, "Chart.yaml") && e.Type().IsRegular() {
			d.charts = append(d.charts, rel)
			break
		}
	}
	isChart := len(d.charts) > 0 && d.charts[len(d.charts)-1] == rel
	for _, e := range entries {
		name := e.Name()
		child := filepath.Join(p, name)
		childRel := joinRel(rel, name)
		excluded := d.opts.Exclude != nil && d.opts.Exclude(childRel)
		switch {
		case e.IsDir():
			if notWalked(name) {
				d.skip(childRel, "directories named "+name+" are not read")
				continue
			}
			if excluded {
				d.skip(childRel, "excluded")
				continue
			}
			below := in
			below.goIgnored = in.goIgnored || name == "testdata" || strings.HasPrefix(name, "_")
			if isChart && name == "templates" {
				below.chart = rel
			} else if isChart {
				below.chart = ""
			}
			d.walk(child, filepath.Join(real, name), below)
		case e.Type()&fs.ModeSymlink != 0:
			if !excluded {
				d.links = append(d.links, link{child, in})
			}
		default:
			d.entry(child, childRel, filepath.Join(real, name), e.Type(), excluded, in)
		}
	}
}

// entry takes a file found in a walk.
func (d *discovery) entry(p, rel, real string, mode fs.FileMode, excluded bool, in place) {
	kind := classify(filepath.Base(p))
	if kind == 0 {
		return
	}
	if excluded {
		if kind&manifestFile != 0 {
			d.skip(rel, "excluded")
		}
		return
	}
	if _, ok := d.seen[real]; ok {
		return
	}
	if !mode.IsRegular() {
		if kind&manifestFile != 0 {
			d.skip(rel, "no regular file")
		}
		return
	}
	d.collect(rel, kind, in)
	if kind&manifestFile == 0 {
		d.seen[real] = -1
		return
	}
	d.add(real, input{path: p, rel: rel, chart: in.chart})
}

// follow looks behind a symbolic link found in a walk.
func (d *discovery) follow(l link) {
	rel := d.set.Rel(l.path)
	kind := classify(filepath.Base(l.path))
	real, err := filepath.EvalSymlinks(l.path)
	if err != nil {
		if kind&manifestFile != 0 {
			d.dangling(rel, l.path)
		}
		return
	}
	info, err := os.Stat(real)
	if err != nil {
		if kind&manifestFile != 0 {
			d.dangling(rel, l.path)
		}
		return
	}
	if !info.IsDir() {
		if _, ok := d.seen[real]; ok {
			if kind&manifestFile != 0 {
				d.skip(rel, "a symbolic link to "+d.set.Rel(real)+", which is read there")
			}
			return
		}
		d.entry(l.path, rel, real, info.Mode().Type(), false, l.in)
		return
	}
	root, err := filepath.EvalSymlinks(d.set.Root)
	if err != nil {
		root = d.set.Root
	}
	switch {
	case real != root && !strings.HasPrefix(real, root+string(filepath.Separator)):
		d.skip(rel, "a symbolic link that leads out of the root")
	case d.dirs[real]:
		d.skip(rel, "a symbolic link to "+d.set.Rel(real)+", which is read there")
	case notWalked(filepath.Base(real)):
		d.skip(rel, "directories named "+filepath.Base(real)+" are not read")
	default:
		d.walk(l.path, real, l.in)
	}
}

func (d *discovery) skip(rel, why string) {
	d.files = append(d.files, File{Path: rel, Status: StatusSkipped, Why: why})
}

// dangling takes a link that leads nowhere. There is no content that could have been missed, so it only informs.
func (d *discovery) dangling(rel, link string) {
	why := "a symbolic link that leads nowhere"
	_, err := os.Stat(link)
	to, readErr := os.Readlink(link)
	switch {
	case errors.Is(err, syscall.ELOOP):
		why = "a symbolic link that leads back to itself"
	case errors.Is(err, fs.ErrNotExist) && readErr == nil:
		why = "a symbolic link to `" + clip(filepath.ToSlash(to)) + "`, which does not exist"
	case err != nil:
		why += ": " + reason(err)
	}
	d.unreadable(rel, errors.New(why), lint.Info)
}

func (d *discovery) unreadable(rel string, err error, level lint.Level) {
	why := reason(err)
	d.files = append(d.files, File{Path: rel, Status: StatusUnreadable, Why: why})
	d.findings = append(d.findings, d.unreadableFile(rel, why, level))
}

// reason is the cause of an error of the file system without its path.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// collect counts Go files and keeps what the other stages need.
func (d *discovery) collect(rel string, k fileKind, in place) {
	switch {
	case k&goFile != 0 && !in.goIgnored:
		d.goFiles++
	case k&goMod != 0 && !in.goIgnored:
		d.goMods[path.Dir(rel)] = true
	case k&dockerfile != 0:
		d.dockerfiles = append(d.dockerfiles, rel)
	case k&buildFile != 0:
		d.buildFiles = append(d.buildFiles, rel)
	case k&kustomization != 0:
		d.kustomizations = append(d.kustomizations, path.Dir(rel))
	}
}

// modules adds the nearest go.mod at or above each file that holds a workload, not above the root.
func (d *discovery) modules(ws []*model.Workload) []string {
	done := map[string]bool{}
	for _, w := range ws {
		if w.File == StdinPath || path.IsAbs(w.File) {
			continue
		}
		for dir := path.Dir(w.File); !done[dir]; dir = path.Dir(dir) {
			done[dir] = true
			if d.goMods[dir] {
				break
			}
			if info, err := os.Stat(filepath.Join(d.set.Root, filepath.FromSlash(dir), "go.mod")); err == nil && info.Mode().IsRegular() {
				d.goMods[dir] = true
				break
			}
		}
	}
	out := make([]string, 0, len(d.goMods))
	for dir := range d.goMods {
		out = append(out, dir)
	}
	return sorted(out)
}

func joinRel(rel, name string) string {
	if rel == "." {
		return name
	}
	return rel + "/" + name
}

// chartOf is the relative directory of the chart whose templates directory is dir or holds it, or "".
func (d *discovery) chartOf(dir string) string {
	for {
		up := filepath.Dir(dir)
		if filepath.Base(dir) == "templates" {
			if info, err := os.Stat(filepath.Join(up, "Chart.yaml")); err == nil && !info.IsDir() {
				return d.set.Rel(up)
			}
		}
		if dir == d.set.Root || up == dir {
			return ""
		}
		dir = up
	}
}
