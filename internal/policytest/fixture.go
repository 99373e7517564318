package policytest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest/want"
	"github.com/probelint/probelint/internal/manifest"
	"github.com/probelint/probelint/internal/policy"
	"github.com/probelint/probelint/internal/source"
)

// Fixture is one small repository, or one manifest, that policies are tried on: an entry of a folder named fixtures.
type Fixture struct {
	// Name is where tests find it: data.fixtures.NAME; folders between the policies and the fixtures are a part of it.
	Name []string
	// Path is shown to people. Beside is the folder that holds the folder of fixtures, whose rules it is for.
	Path, Beside string
	root         string // what paths in wants are relative to
	paths        []string
	noGo         bool
	archive      *txtar.Archive
	units        []*lint.Unit
	set          *source.Set
	files        []manifest.File
}

// fixtures finds the fixtures in folders of policies. Archives are laid out below temp.
func fixtures(dirs []string, temp string, rel func(string) string) ([]*Fixture, error) {
	var out []*Fixture
	for _, dir := range dirs {
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue
		}
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != dir && strings.HasPrefix(d.Name(), "."):
				return filepath.SkipDir
			case !d.IsDir() || d.Name() != policy.FixtureDir:
				return nil
			}
			found, err := folder(dir, name, temp, rel)
			if err != nil {
				return err
			}
			out = append(out, found...)
			return filepath.SkipDir
		})
		if err != nil {
			return nil, fmt.Errorf("reading fixtures: %w", err)
		}
	}
	return out, nil
}

// folder takes the entries of one folder of fixtures.
func folder(dir, name, temp string, rel func(string) string) ([]*Fixture, error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	beside := filepath.Dir(name)
	below, err := filepath.Rel(dir, beside)
	if err != nil {
		return nil, err
	}
	var in []string
	if below != "." {
		in = strings.Split(filepath.ToSlash(below), "/")
	}
	var out []*Fixture
	for _, e := range entries {
		file := filepath.Join(name, e.Name())
		ext := filepath.Ext(e.Name())
		f := &Fixture{Name: append(slices.Clone(in), strings.TrimSuffix(e.Name(), ext)), Path: rel(file), Beside: rel(beside)}
		switch {
		case strings.HasPrefix(e.Name(), "."):
			continue
		case e.IsDir():
			f.Name[len(in)] = e.Name()
			f.root, f.paths = file, []string{file}
			f.archive, err = pack(file)
		case ext == ".yaml" || ext == ".yml" || ext == ".json":
			var data []byte
			data, err = os.ReadFile(file)
			f.root, f.paths, f.noGo = name, []string{file}, true
			f.archive = &txtar.Archive{Files: []txtar.File{{Name: e.Name(), Data: data}}}
		case ext == ".txtar":
			f.root = filepath.Join(temp, rel(file))
			f.paths = []string{f.root}
			if f.archive, err = txtar.ParseFile(file); err == nil {
				err = unpack(f.archive, f.root)
			}
		default:
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading fixture %s: %w", f.Path, err)
		}
		if slices.ContainsFunc(out, func(o *Fixture) bool { return slices.Equal(o.Name, f.Name) }) {
			return nil, fmt.Errorf("reading fixture %s: another one is called %s too", f.Path, strings.Join(f.Name, "."))
		}
		out = append(out, f)
	}
	return out, nil
}

// pack reads a folder for its comments that want findings.
func pack(dir string) (*txtar.Archive, error) {
	a := &txtar.Archive{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		a.Files = append(a.Files, txtar.File{Name: filepath.ToSlash(r), Data: data})
		return nil
	})
	return a, err
}

func unpack(a *txtar.Archive, dir string) error {
	for _, f := range a.Files {
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("%s leaves the archive", f.Name)
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fixture) options(o Options) engine.Options {
	return engine.Options{
		Root: f.root, WorkingDir: f.root, Paths: f.paths, NoGo: f.noGo, Offline: true, Renderer: o.Renderer,
		Settings: lint.DefaultSettings("default"),
	}
}

// read reads the fixture as a run would.
func (f *Fixture) read(ctx context.Context, o Options) error {
	r, err := engine.Read(ctx, f.options(o))
	if err != nil {
		return fmt.Errorf("reading fixture %s: %w", f.Path, err)
	}
	f.units, f.set, f.files = r.Units, r.Set, r.Files
	return nil
}

// document is what tests find under the fixture's name: the input of its only workload, or else the inputs by the workload's
// id. Programs that no manifest runs count where there is no workload.
func (f *Fixture) document() (any, error) {
	units := slices.DeleteFunc(slices.Clone(f.units), func(u *lint.Unit) bool { return u.Workload == nil })
	if len(units) == 0 {
		units = f.units
	}
	docs := policy.Documents(units)
	if len(docs) == 1 {
		return docs[0].Generic()
	}
	out := map[string]any{}
	for _, d := range docs {
		id := ""
		switch {
		case d.Workload != nil:
			id = d.Workload.ID
		case len(d.Programs) > 0:
			id = d.Programs[0].Package
		}
		v, err := d.Generic()
		if err != nil {
			return nil, err
		}
		out[id] = v
	}
	return out, nil
}

// judge runs the policies on the fixture and compares the findings with what its comments want.
func (f *Fixture) judge(ctx context.Context, o Options, rules []string) ([]string, error) {
	wants, err := want.Parse(f.archive)
	if err != nil {
		return nil, fmt.Errorf("fixture %s: %w", f.Path, err)
	}
	eo := f.options(o)
	eo.Select, eo.Policies, eo.PolicyData, eo.PolicyNamespaces = rules, o.Dirs, o.Data, o.Namespaces
	eo.LoadPolicies = Loader(policy.Options{Kinds: o.Kinds})
	res, err := engine.Run(ctx, eo)
	if err != nil {
		return nil, fmt.Errorf("fixture %s: %w", f.Path, err)
	}
	kept := res.Findings[:0:0]
	for _, x := range res.Findings {
		if x.Suppressed == nil && (x.Rule != "unreadable-input" || x.Level > lint.Info) {
			kept = append(kept, x)
		}
	}
	res.Findings = kept
	return want.Compare(res, wants), nil
}

// rulesFor are the ids of the rules beside the fixture, of all where there are none.
func (f *Fixture) rulesFor(all []*policy.Rule) []string {
	var beside, every []string
	for _, r := range all {
		every = append(every, r.ID)
		if dir := path.Dir(r.File); dir == f.Beside || strings.HasPrefix(dir, f.Beside+"/") {
			beside = append(beside, r.ID)
		}
	}
	if len(beside) > 0 {
		return beside
	}
	return every
}
