package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/pflag"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest/render"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/startup"
)

// input are the flags that say what is read, the same for check and inspect.
type input struct {
	goDirs  []string
	noGo    bool
	offline bool
	exclude []string
	values  []string
	config  configFlags
	noCache bool
}

func (i *input) register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&i.goDirs, "go", nil, "also read the Go module or package in `DIR`; repeatable")
	fs.BoolVar(&i.noGo, "no-go", false, "read manifests alone")
	fs.BoolVar(&i.offline, "offline", false, "download no Go module (no run does: this says so in a script)")
	fs.StringArrayVar(&i.values, "values", nil, "render each chart with the values in `FILE` too, besides its defaults and ci/*-values.yaml; repeatable")
	fs.BoolVar(&i.noCache, "no-cache", false, "neither use nor keep what earlier runs found out")
	fs.StringArrayVar(&i.exclude, "exclude", nil, "skip what matches `GLOB` (** crosses folders), relative to the working directory; repeatable")
	i.config.register(fs)
}

// options turns the flags and paths into those of a run.
func (i *input) options(c *command, paths []string) (engine.Options, error) {
	startup.Done() // work begins
	o := engine.Options{WorkingDir: c.Dir, Paths: paths, Stdin: c.In, NoGo: i.noGo, Offline: i.offline, Now: c.Now}
	if !i.noCache {
		o.Cache = c.cacheDir()
	}
	o.Renderer = render.New(o.Cache)
	if i.noGo && len(i.goDirs) > 0 {
		return o, usagef("--go and --no-go exclude each other")
	}
	for n, p := range paths {
		if p == "-" {
			continue
		}
		if p == "" {
			return o, usagef("a PATH is empty; . is the working directory")
		}
		if _, err := os.Stat(inDir(c.Dir, p)); err != nil {
			return o, fmt.Errorf("reading %s: %w", paths[n], reason(err))
		}
	}
	for _, d := range i.goDirs {
		if d == "" {
			return o, usagef("--go: DIR is empty; . is the working directory")
		}
		asked := d
		d = strings.TrimSuffix(strings.TrimSuffix(d, "..."), "/")
		if d == "" {
			d = "."
		}
		d = inDir(c.Dir, d)
		if st, err := os.Stat(d); err != nil {
			return o, fmt.Errorf("reading --go %s: %w", asked, reason(err))
		} else if !st.IsDir() {
			d = filepath.Dir(d)
		}
		if !holdsGo(d) {
			return o, usagef("--go %s: no Go file in it or below", asked)
		}
		o.GoDirs = append(o.GoDirs, d)
	}
	for _, v := range i.values {
		if v == "" {
			return o, usagef("--values: FILE is empty")
		}
		file := inDir(c.Dir, v)
		if _, err := os.Stat(file); err != nil {
			return o, fmt.Errorf("reading --values %s: %w", v, reason(err))
		}
		o.Values = append(o.Values, file)
	}
	for _, g := range i.exclude {
		if !doublestar.ValidatePattern(filepath.ToSlash(g)) {
			return o, usagef("--exclude: %q is no glob", g)
		}
	}
	first := c.Dir
	for _, p := range paths {
		if p != "-" {
			if first = inDir(c.Dir, p); !isDir(first) {
				first = filepath.Dir(first)
			}
			break
		}
	}
	o.Root = source.FindRoot(first, c.Dir)
	if err := i.config.load(c, paths, o.Root); err != nil {
		return o, err
	}
	if err := i.config.reads(&o); err != nil {
		return o, err
	}
	o.Exclude = i.excluder(c, o.Root)
	return o, nil
}

// parseLevels reads RULE=LEVEL.
func parseLevels(args []string) (map[string]lint.Level, error) {
	if len(args) == 0 {
		return nil, nil
	}
	m := map[string]lint.Level{}
	for _, a := range args {
		rule, level, ok := strings.Cut(a, "=")
		if !ok || rule == "" {
			return nil, usagef("--level %s: want RULE=LEVEL", a)
		}
		if err := oneOf("level", level, "off", "info", "warning", "error"); err != nil {
			return nil, err
		}
		m[rule], _ = lint.ParseLevel(level)
	}
	return m, nil
}

func inDir(dir, p string) string {
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

// holdsGo reports whether a Go file lies in a folder or below it, where it can be read.
func holdsGo(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil //nolint:nilerr // what cannot be read is reported by the run
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(d.Name(), ".go"):
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

func isDir(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.IsDir()
}

// reason is an error of the file system without its operation and path, which the caller has named.
func reason(err error) error {
	var pe *os.PathError
	if asPathError(err, &pe) {
		return pe.Err
	}
	return err
}
