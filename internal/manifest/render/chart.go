package render

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/ignore"

	"github.com/probelint/probelint/internal/source"
)

// Bounds of a chart with its subcharts.
const (
	mostFiles  = 5000
	mostBytes  = 64 << 20
	mostLevels = 8 // subcharts of subcharts
)

// tree is a chart as it lies on disk: its own files and its subcharts.
type tree struct {
	dir   string // relative to the root; below an archive, the archive's path with the chart's folder
	files []*archive.BufferedFile
	// sources are the files by their names in the chart.
	sources map[string]*source.File
	subs    []*tree
	meta    *chart.Metadata
	// missing are the dependencies that the chart names and that are not there; broken the subcharts that do not load.
	missing []string
	broken  []string
}

// chartError is a fault of a chart as a whole, at one of its files.
type chartError struct {
	file string // relative to the root
	err  error
}

func (e *chartError) Error() string { return e.err.Error() }

// loadTree reads a chart and its subcharts from a directory relative to the root. The overlay is that of manifest.RenderInput.
func loadTree(set *source.Set, overlay map[string][]byte, dir string, mostBytesOfFile int64) (*tree, error) {
	l := &treeLoader{set: set, overlay: overlay, bytes: mostBytes, files: mostFiles, most: mostBytesOfFile}
	rules := ignore.Empty()
	if raw, err := l.text(path.Join(dir, ignore.HelmIgnore)); err == nil {
		if r, err := ignore.Parse(bytes.NewReader(raw)); err == nil {
			rules = r
		}
	}
	rules.AddDefaults()
	return l.dir(dir, dir, rules, 0)
}

type treeLoader struct {
	set     *source.Set
	overlay map[string][]byte
	bytes   int64
	files   int
	most    int64
}

// text is a file of the disk, or the text that stands for it.
func (l *treeLoader) text(rel string) ([]byte, error) {
	if raw, ok := l.overlay[rel]; ok {
		return raw, nil
	}
	return os.ReadFile(l.abs(rel))
}

func (l *treeLoader) abs(rel string) string {
	if path.IsAbs(rel) {
		return filepath.FromSlash(rel)
	}
	return filepath.Join(l.set.Root, filepath.FromSlash(rel))
}

// dir reads the chart in a directory. top is the directory whose .helmignore the rules are.
func (l *treeLoader) dir(top, dir string, rules *ignore.Rules, level int) (*tree, error) {
	t := &tree{dir: dir, sources: map[string]*source.File{}}
	if err := l.walk(t, top, "", rules); err != nil {
		return nil, &chartError{path.Join(dir, "Chart.yaml"), err}
	}
	if err := t.metadata(); err != nil {
		return nil, err
	}
	if level < mostLevels {
		l.subcharts(t, top, rules, level)
	}
	slices.Sort(t.missing)
	return t, nil
}

// walk collects the files of a chart below one of its folders but for those of its subcharts.
func (l *treeLoader) walk(t *tree, top, below string, rules *ignore.Rules) error {
	entries, err := os.ReadDir(l.abs(path.Join(t.dir, below)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		rel := path.Join(t.dir, name)
		info, err := os.Stat(l.abs(rel)) // follows links
		if err != nil || e.Type()&fs.ModeSymlink != 0 && !l.inside(rel) {
			continue
		}
		if rules.Ignore(strings.TrimPrefix(strings.TrimPrefix(rel, top), "/"), info) {
			continue
		}
		switch {
		case info.IsDir() && name == "charts":
		case info.IsDir() && e.Type()&fs.ModeSymlink != 0 && below != "": // could lead in a circle
		case info.IsDir():
			if e.Name() == ".git" || e.Name() == "node_modules" {
				continue
			}
			if err := l.walk(t, top, name, rules); err != nil {
				return err
			}
		case info.Mode().IsRegular():
			if err := l.file(t, name, rel, info.Size()); err != nil {
				return err
			}
		}
	}
	return nil
}

// inside reports whether a link stays below the root.
func (l *treeLoader) inside(rel string) bool {
	real, err := filepath.EvalSymlinks(l.abs(rel))
	if err != nil {
		return false
	}
	root, err := filepath.EvalSymlinks(l.set.Root)
	return err == nil && strings.HasPrefix(real, root+string(filepath.Separator))
}

func (l *treeLoader) file(t *tree, name, rel string, size int64) error {
	if raw, ok := l.overlay[rel]; ok {
		size = int64(len(raw))
	}
	needed := strings.HasPrefix(name, "templates/") || !strings.Contains(name, "/")
	if size > l.most || !needed && size > l.most/16 {
		return nil
	}
	if l.files--; l.files < 0 {
		return fmt.Errorf("the chart has more than %d files", mostFiles)
	}
	if l.bytes -= size; l.bytes < 0 {
		return fmt.Errorf("the chart is larger than %d MiB", mostBytes>>20)
	}
	raw, err := l.text(rel)
	if err != nil {
		return err
	}
	l.add(t, name, rel, raw)
	return nil
}

func (l *treeLoader) add(t *tree, name, rel string, raw []byte) {
	t.files = append(t.files, &archive.BufferedFile{Name: name, Data: bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))})
	if strings.HasPrefix(name, "templates/") || !strings.Contains(name, "/") {
		t.sources[name] = source.Decode(rel, raw)
	}
}

// subcharts reads what lies in charts/, and the dependencies that name a folder of the repository.
func (l *treeLoader) subcharts(t *tree, top string, rules *ignore.Rules, level int) {
	entries, _ := os.ReadDir(l.abs(path.Join(t.dir, "charts")))
	for _, e := range entries {
		rel := path.Join(t.dir, "charts", e.Name())
		info, err := os.Stat(l.abs(rel))
		if err != nil || strings.IndexAny(e.Name(), "_.") == 0 || e.Type()&fs.ModeSymlink != 0 && !l.inside(rel) {
			continue
		}
		if rules.Ignore(strings.TrimPrefix(strings.TrimPrefix(rel, top), "/"), info) {
			continue
		}
		switch {
		case info.IsDir():
			if _, err := os.Stat(l.abs(path.Join(rel, "Chart.yaml"))); err != nil {
				continue
			}
			t.sub(l.dir(top, rel, rules, level+1))
		case path.Ext(rel) == ".tgz" && info.Size() <= l.bytes:
			t.sub(l.archive(rel, level+1))
		}
	}
	for _, d := range t.meta.Dependencies {
		if d == nil || slices.ContainsFunc(t.subs, func(s *tree) bool { return s.meta.Name == d.Name }) {
			continue
		}
		if local, ok := strings.CutPrefix(d.Repository, "file://"); ok && !path.IsAbs(local) {
			rel := path.Join(t.dir, local)
			if s, err := l.dir(rel, rel, rules, level+1); err == nil && s.meta.Name == d.Name && !strings.HasPrefix(rel, "../") && rel != t.dir {
				t.subs = append(t.subs, s)
				continue
			}
		}
		t.missing = append(t.missing, d.Name)
	}
}

func (t *tree) sub(s *tree, err error) {
	if err != nil {
		t.broken = append(t.broken, err.Error())
		return
	}
	t.subs = append(t.subs, s)
	t.missing = append(t.missing, s.missing...)
	t.broken = append(t.broken, s.broken...)
}

// archive reads a packed subchart.
func (l *treeLoader) archive(rel string, level int) (*tree, error) {
	raw, err := os.ReadFile(l.abs(rel))
	if err != nil {
		return nil, err
	}
	files, err := archive.LoadArchiveFiles(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rel, err)
	}
	return l.unpacked(rel, files, level)
}

// unpacked makes a tree of the files of an archive.
func (l *treeLoader) unpacked(dir string, files []*archive.BufferedFile, level int) (*tree, error) {
	t := &tree{dir: dir, sources: map[string]*source.File{}}
	below := map[string][]*archive.BufferedFile{}
	for _, f := range files {
		if l.bytes -= int64(len(f.Data)); l.bytes < 0 {
			return nil, fmt.Errorf("the chart is larger than %d MiB", mostBytes>>20)
		}
		if rest, ok := strings.CutPrefix(f.Name, "charts/"); ok {
			name, inner, nested := strings.Cut(rest, "/")
			if strings.IndexAny(name, "_.") == 0 || !nested && path.Ext(name) != ".tgz" {
				continue
			}
			below[name] = append(below[name], &archive.BufferedFile{Name: inner, Data: f.Data})
			continue
		}
		l.add(t, f.Name, path.Join(dir, f.Name), f.Data)
	}
	if err := t.metadata(); err != nil {
		return nil, err
	}
	for _, name := range sortedKeys(below) {
		if level >= mostLevels {
			break
		}
		at := path.Join(dir, "charts", name)
		if path.Ext(name) == ".tgz" {
			inner, err := archive.LoadArchiveFiles(bytes.NewReader(below[name][0].Data))
			if err != nil {
				t.broken = append(t.broken, fmt.Sprintf("%s: %v", at, err))
				continue
			}
			t.sub(l.unpacked(at, inner, level+1))
			continue
		}
		t.sub(l.unpacked(at, below[name], level+1))
	}
	for _, d := range t.meta.Dependencies {
		if d != nil && !slices.ContainsFunc(t.subs, func(s *tree) bool { return s.meta.Name == d.Name }) {
			t.missing = append(t.missing, d.Name)
		}
	}
	return t, nil
}

// metadata loads the chart by itself, so that what is wrong with it is known at its own file.
func (t *tree) metadata() error {
	c, err := loader.LoadFiles(t.files)
	if err != nil {
		file := "Chart.yaml"
		for _, name := range []string{"values.yaml", "Chart.lock", "requirements.yaml", "requirements.lock"} {
			if strings.Contains(err.Error(), name) {
				file = name
			}
		}
		return &chartError{path.Join(t.dir, file), errors.New(strings.TrimPrefix(err.Error(), "cannot load "+file+": "))}
	}
	t.meta = c.Metadata
	return nil
}

// built is a chart that Helm can be given, once: Helm and templates change what they are given.
type built struct {
	*chart.Chart
	// sources are the files of its templates, trees the trees of its charts by their first raw file, which copies of a chart
	// under another name share.
	sources map[*common.File]*source.File
	trees   map[*common.File]*tree
}

func (t *tree) build() (*built, error) {
	b := &built{sources: map[*common.File]*source.File{}, trees: map[*common.File]*tree{}}
	c, err := b.add(t)
	b.Chart = c
	return b, err
}

func (b *built) add(t *tree) (*chart.Chart, error) {
	c, err := loader.LoadFiles(t.files)
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", t.dir, err)
	}
	for _, f := range c.Templates {
		b.sources[f] = t.sources[f.Name]
	}
	if len(c.Raw) > 0 {
		b.trees[c.Raw[0]] = t
	}
	for _, s := range t.subs {
		sub, err := b.add(s)
		if err != nil {
			return nil, err
		}
		c.AddDependency(sub)
	}
	return c, nil
}

// of is the tree of a chart or of a copy of it.
func (b *built) of(c *chart.Chart) *tree {
	if len(c.Raw) == 0 {
		return nil
	}
	return b.trees[c.Raw[0]]
}
