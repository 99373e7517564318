package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/probelint/probelint/analyzer/knowledge"
	"github.com/probelint/probelint/internal/config"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/link"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/rules"
)

// configFlags say which configuration file is in force.
type configFlags struct {
	file string
	none bool
	// loaded is the file, nil without one; from is how it was chosen.
	loaded *config.Config
	from   string
}

func (f *configFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.file, "config", "", "read this configuration `FILE` instead of the nearest "+config.FileName+" (also PROBELINT_CONFIG)")
	fs.BoolVar(&f.none, "no-config", false, "read no configuration file")
}

// load finds and reads the configuration for the paths: --config, PROBELINT_CONFIG, then the nearest file at or above each path up
// to the root of the repository.
func (f *configFlags) load(c *command, paths []string, root string) error {
	f.loaded, f.from = nil, ""
	if f.none && f.file != "" {
		return usagef("--config and --no-config exclude each other")
	}
	if f.none {
		return nil
	}
	name, from := f.file, "--config"
	if name == "" {
		name, from = c.Getenv("PROBELINT_CONFIG"), "PROBELINT_CONFIG"
	}
	if name != "" {
		name = inDir(c.Dir, name)
	} else {
		found, err := findConfig(c, paths)
		if err != nil {
			return err
		}
		if found == "" {
			return nil
		}
		name, from = found, "found"
	}
	shown := name
	if rel := source.NewSet(root).Rel(name); !filepath.IsAbs(filepath.FromSlash(rel)) {
		shown = rel
	}
	cfg, err := config.Read(name, shown)
	if err != nil {
		return err
	}
	f.loaded, f.from = cfg, from
	return nil
}

// findConfig is the configuration file of the paths. Paths with different ones have no common answer.
func findConfig(c *command, paths []string) (string, error) {
	dirs := []string{}
	for _, p := range paths {
		if p == "-" {
			continue
		}
		dir := inDir(c.Dir, p)
		if !isDir(dir) {
			dir = filepath.Dir(dir)
		}
		dirs = append(dirs, dir)
	}
	if len(dirs) == 0 {
		dirs = append(dirs, c.Dir)
	}
	first, firstDir := "", ""
	for i, dir := range dirs {
		name, err := config.Find(dir, source.FindRoot(dir, c.Dir))
		if err != nil {
			return "", err
		}
		if i == 0 {
			first, firstDir = name, dir
		} else if name != first {
			return "", usagef("%s and %s have different configurations (%s and %s); --config FILE chooses one, --no-config none",
				shorten(c.Dir, firstDir), shorten(c.Dir, dir), nothing(shorten(c.Dir, first)), nothing(shorten(c.Dir, name)))
		}
	}
	return first, nil
}

func nothing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// shorten is a path as seen from dir.
func shorten(dir, name string) string {
	if name == "" {
		return ""
	}
	if rel, err := filepath.Rel(dir, name); err == nil {
		return filepath.ToSlash(rel)
	}
	return name
}

// reads applies to a run what the configuration says about reading and joining.
func (f *configFlags) reads(o *engine.Options) error {
	cfg := f.loaded
	if cfg == nil {
		return nil
	}
	for _, name := range cfg.Knowledge {
		shown := source.NewSet(o.Root).Rel(name)
		var extra knowledge.Extra
		if err := config.ReadInto(name, shown, &extra); err != nil {
			return err
		}
		if _, errs := extra.Tables(); len(errs) > 0 {
			return fmt.Errorf("reading %s: %w", shown, errors.Join(errs...))
		}
		o.Knowledge.Add(extra)
	}
	for _, b := range cfg.Bindings {
		pkg := b.Package
		if pkg == "." || strings.HasPrefix(pkg, "./") || strings.HasPrefix(pkg, "../") {
			pkg = "./" + strings.TrimPrefix(source.NewSet(o.Root).Rel(filepath.Join(cfg.Dir, filepath.FromSlash(pkg))), "./")
		}
		o.Bindings = append(o.Bindings, link.Bind{Workload: b.Workload, Container: b.Container, Package: pkg})
	}
	for _, x := range cfg.Critical {
		crit := engine.Critical{Call: x.Call, Reason: x.Reason, Span: x.Span}
		if x.In != "" {
			crit.In = config.Matcher(cfg.Dir, []string{x.In})
		}
		o.Critical = append(o.Critical, crit)
	}
	return nil
}

// judging are the flags that say what is judged and how loud, the same for check and baseline.
type judging struct {
	input
	policyFlags
	selected, ignored []string
	levels            []string
	profile           string
	profileSet        bool
}

func (j *judging) register(fs *pflag.FlagSet) {
	fs.StringSliceVar(&j.selected, "select", nil, "report only these `RULES`, nursery rules too")
	fs.StringSliceVar(&j.ignored, "ignore", nil, "do not report these `RULES`")
	fs.StringArrayVar(&j.levels, "level", nil, "set `RULE=LEVEL` (off, info, warning, error); repeatable")
	fs.StringVar(&j.profile, "profile", "default", "thresholds: default, strict")
	j.policyFlags.add(fs)
	j.input.register(fs)
}

// options are those of a run that judges: flags over the environment over the file.
func (j *judging) options(c *command, paths []string) (engine.Options, error) {
	if err := oneOf("profile", j.profile, "default", "strict"); err != nil {
		return engine.Options{}, err
	}
	o, err := j.input.options(c, paths)
	if err != nil {
		return o, err
	}
	cfg := j.config.loaded
	if cfg != nil && cfg.Profile != "" && !j.profileSet {
		j.profile = cfg.Profile
	}
	for _, x := range []struct {
		flag string
		none bool
	}{{"select", j.selected != nil && len(j.selected) == 0}, {"ignore", j.ignored != nil && len(j.ignored) == 0}} {
		if x.none {
			return o, usagef("--%s names no rule", x.flag)
		}
	}
	if len(j.selected) > 0 && !slices.ContainsFunc(j.selected, func(name string) bool { return !slices.Contains(j.ignored, name) }) {
		return o, usagef("--ignore names every rule that --select names: none is left")
	}
	o.Rules, o.Settings = rules.All(), lint.DefaultSettings(j.profile)
	o.Select, o.Ignore = j.selected, j.ignored
	flags, err := parseLevels(j.levels)
	if err != nil {
		return o, err
	}
	o.Levels = flags
	if cfg != nil {
		o.Policies = append(o.Policies, cfg.Policies...)
	}
	j.policyFlags.apply(&o)
	if len(o.Policies) == 0 && len(o.PolicyData)+len(o.PolicyNamespaces) > 0 {
		return o, usagef("--data and --namespace are about policies, and there are none: --policies DIR or `policies` in the configuration names them")
	}
	if cfg == nil {
		return o, nil
	}
	cfg.Budgets.Apply(o.Settings)
	o.Levels = merged(cfg.Rules, flags)
	for _, x := range cfg.Overrides {
		o.Overrides = append(o.Overrides, engine.Override{Match: cfg.Func(x), Levels: without(x.Rules, flags), Settings: x.Budgets.Apply})
	}
	return o, nil
}

// merged are the levels of a file with those of the flags over them.
func merged(file, flags map[string]lint.Level) map[string]lint.Level {
	out := map[string]lint.Level{}
	for k, v := range file {
		out[k] = v
	}
	for k, v := range flags {
		out[k] = v
	}
	return out
}

// without are the levels of an override but those that a flag decides.
func without(levels, flags map[string]lint.Level) map[string]lint.Level {
	out := map[string]lint.Level{}
	for k, v := range levels {
		if _, flag := flags[k]; !flag {
			out[k] = v
		}
	}
	return out
}

// excluder matches what is left out, by flags relative to the working directory and by the configuration relative to its file.
func (i *input) excluder(c *command, root string) func(rel string) bool {
	var ms []func(string) bool
	if len(i.exclude) > 0 {
		ms = append(ms, config.Matcher(c.Dir, i.exclude))
	}
	if cfg := i.config.loaded; cfg != nil && len(cfg.Exclude) > 0 {
		ms = append(ms, config.Matcher(cfg.Dir, cfg.Exclude))
	}
	if ms == nil {
		return nil
	}
	return func(rel string) bool {
		abs := filepath.FromSlash(rel)
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(root, abs)
		}
		return slices.ContainsFunc(ms, func(m func(string) bool) bool { return m(abs) })
	}
}

// configPath says what is wrong with a path that init and verify are given.
func configPath(c *command, arg string) (string, error) {
	name := inDir(c.Dir, arg)
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading %s: %w", arg, reason(err))
	case st.IsDir():
		return filepath.Join(name, config.FileName), nil
	}
	return name, nil
}
