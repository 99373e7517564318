package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Find is the configuration file for a directory: the nearest at or above it, up to the root of the repository, which is root;
// only its own where it lies outside of root. "" where there is none.
func Find(dir, root string) (string, error) {
	for {
		name := filepath.Join(dir, FileName)
		if st, err := os.Stat(name); err == nil && st.Mode().IsRegular() {
			return name, nil
		} else if err == nil {
			return "", fmt.Errorf("%s is no file", name)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		other := filepath.Join(dir, ".probelint.yml")
		if _, err := os.Stat(other); err == nil {
			return "", fmt.Errorf("%s is not read: the name is %s", other, FileName)
		}
		rel, err := filepath.Rel(root, dir)
		up := filepath.Dir(dir)
		if err != nil || rel == "." || rel == ".." || len(rel) > 2 && rel[:3] == ".."+string(filepath.Separator) || up == dir {
			return "", nil
		}
		dir = up
	}
}

// Read reads a file. shown is how it is named to people. What is wrong with it is an *Error.
func Read(name, shown string) (*Config, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("reading %s: %w", shown, err)
	}
	return Parse(name, shown, data)
}

// Parse reads the text of the file name.
func Parse(name, shown string, data []byte) (*Config, error) {
	d := &decoder{src: source.Decode(shown, data), at: map[string]model.Span{}}
	var doc document
	if n := d.root(); n != nil {
		d.fields(n, reflect.ValueOf(&doc).Elem(), "")
	}
	c := &Config{File: name, Shown: shown, Dir: filepath.Dir(name), src: d.src, at: d.at}
	c.from(d, &doc)
	if len(d.problems) > 0 {
		sortProblems(d.problems)
		return nil, &Error{Shown: shown, Problems: d.problems, src: d.src}
	}
	return c, nil
}

// ReadInto reads a file of another form into a pointer to a struct, whose JSON names are its keys: texts, whole numbers, truths,
// lists and structs of those. Whatever the struct does not have is an *Error.
func ReadInto(name, shown string, into any) error {
	data, err := os.ReadFile(name)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return fmt.Errorf("reading %s: %w", shown, err)
	}
	d := &decoder{src: source.Decode(shown, data), at: map[string]model.Span{}}
	if n := d.root(); n != nil {
		d.fields(n, reflect.ValueOf(into).Elem(), "")
	}
	if len(d.problems) > 0 {
		sortProblems(d.problems)
		return &Error{Shown: shown, Problems: d.problems, src: d.src}
	}
	return nil
}

// from turns what is written into what it means.
func (c *Config) from(d *decoder, doc *document) {
	c.Profile = string(doc.Profile)
	c.Rules, c.Budgets = levels(doc.Rules), doc.Budgets.seconds()
	c.Exclude = texts(doc.Exclude)
	for i, o := range doc.Overrides {
		at := d.at[fmt.Sprintf("overrides[%d]", i)]
		if len(o.Paths) == 0 && len(o.Workloads) == 0 {
			d.fail(at, "`overrides[%d]` has neither `paths` nor `workloads`, and so it would be for everything", i)
		}
		if len(o.Rules) == 0 && o.Budgets == (budgets{}) {
			d.fail(at, "`overrides[%d]` changes nothing: it has neither `rules` nor `budgets`", i)
		}
		c.Overrides = append(c.Overrides, Override{
			Paths: texts(o.Paths), Workloads: texts(o.Workloads), Rules: levels(o.Rules), Budgets: o.Budgets.seconds(),
		})
	}
	for i, b := range doc.Bindings {
		c.Bindings = append(c.Bindings, Binding{string(b.Workload), string(b.Container), string(b.Package), d.at[fmt.Sprintf("bindings[%d]", i)]})
	}
	for i, x := range doc.Critical {
		at := d.at[fmt.Sprintf("critical[%d].call", i)]
		c.Critical = append(c.Critical, Critical{string(x.Call), string(x.In), string(x.Reason), at})
	}
	c.Policies = c.files(d, "policies", doc.Policies)
	c.Knowledge = c.files(d, "knowledge", doc.Knowledge)
}

// files are paths relative to the file; each has to exist.
func (c *Config) files(d *decoder, key string, list []file) []string {
	var out []string
	for i, f := range list {
		if f == "" {
			continue // a problem already
		}
		name := filepath.FromSlash(string(f))
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Dir, name)
		}
		if _, err := os.Stat(name); err != nil {
			var pe *fs.PathError
			if errors.As(err, &pe) {
				err = pe.Err
			}
			d.fail(d.at[fmt.Sprintf("%s[%d]", key, i)], "`%s[%d]`: reading %s: %s", key, i, f, err)
			continue
		}
		out = append(out, name)
	}
	return out
}

func levels(m map[string]level) map[string]lint.Level {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]lint.Level, len(m))
	for k, v := range m {
		out[k] = lint.Level(v)
	}
	return out
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return slices.Clip(out)
}

func (b budgets) seconds() Budgets {
	f := func(p *duration) *float64 { return (*float64)(p) }
	return Budgets{f(b.ReadinessExposure), f(b.LivenessExposure), f(b.VerdictMaxAge), (*float64)(b.FleetCallsPerSecond)}
}
