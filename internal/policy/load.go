package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/policies"
)

// Options say what to load.
type Options struct {
	// Files holds the bytes of the policies from here on; paths in faults are relative to its root.
	Files *source.Set
	// Dirs are absolute files and folders of policies; Data are those of further data.
	Dirs, Data []string
	// Namespaces are the packages that judge raw manifests, "main" where there are none.
	Namespaces []string
	// Taken reports whether an id is that of a built-in rule; nil: none is.
	Taken func(id string) bool
	// Kinds are kinds of dependencies besides those that ship, from the project's knowledge.
	Kinds []string
	// Tests: files named *_test.rego are loaded too. Fixtures is then what they find at data.fixtures.
	Tests    bool
	Fixtures map[string]any
}

// libraryFile is the name under which the program's own library appears.
const libraryFile = "probelint/lib.rego"

// FixtureDir is the name of the folder whose manifests and code are input for tests; no policy or data is read from it.
const FixtureDir = lint.PolicyFixtures

// module is one file of Rego.
type module struct {
	file   string // relative to the root
	parsed *ast.Module
	pkg    string // "probelint.rules.x"
	test   bool
	bad    bool
}

// rule reports whether the module is of a team rule, and raw whether it judges raw manifests.
func (m *module) rule() bool { return strings.HasPrefix(m.pkg, rulePrefix) && !m.test }

const rulePrefix = "probelint.rules."

// loader collects what the folders hold.
type loader struct {
	o       Options
	files   map[string]*source.File // by the name that OPA knows them by
	modules []*module
	data    map[string]any
	faults  []Fault
	seen    map[string]bool
	// readsFile: a policy asks conftest's data.conftest.file, which differs from file to file.
	readsFile bool
}

// Load reads, checks and compiles policies. An error means that a folder cannot be read at all; whatever is wrong with a file
// is a fault, and the other files are used.
func Load(ctx context.Context, o Options) (*Set, error) {
	install()
	if len(o.Namespaces) == 0 {
		o.Namespaces = []string{"main"}
	}
	if o.Taken == nil {
		o.Taken = func(string) bool { return false }
	}
	l := &loader{o: o, files: map[string]*source.File{}, data: map[string]any{}, seen: map[string]bool{}}
	l.library()
	for _, d := range o.Dirs {
		if err := l.dir(d); err != nil {
			return nil, err
		}
	}
	for _, d := range o.Data {
		if err := l.dataDir(d); err != nil {
			return nil, err
		}
	}
	if o.Fixtures != nil {
		l.data["fixtures"] = o.Fixtures
	}
	return l.compile(ctx)
}

func (l *loader) fault(f Fault) { l.faults = append(l.faults, f) }

func (l *loader) library() {
	f := source.New(libraryFile, []byte(policies.Library))
	l.o.Files.Add(f)
	l.files[libraryFile] = f
	m, err := ast.ParseModuleWithOpts(libraryFile, policies.Library, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		l.fault(Fault{Span: f.Span(0, 0), Title: "the library does not parse: " + err.Error()})
		return
	}
	l.modules = append(l.modules, &module{file: libraryFile, parsed: m, pkg: packageOf(m)})
}

// dir takes one file or folder of policies. Data is read from it unless it holds policies for raw manifests alone: conftest
// reads data from where it is told.
func (l *loader) dir(dir string) error {
	held, modules := false, len(l.modules)
	type dataFile struct {
		name string
		in   []string
	}
	var data []dataFile
	err := walk(dir, func(name, _ string, in []string) error {
		switch filepath.Ext(name) {
		case ".rego":
			held = held || l.o.Tests || !strings.HasSuffix(name, "_test.rego")
			return l.rego(name)
		case ".yaml", ".yml", ".json":
			data = append(data, dataFile{name, in})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading policies: %w", err)
	}
	if !l.onlyRaw(l.modules[modules:]) {
		for _, d := range data {
			if err := l.dataFile(d.name, d.in); err != nil {
				return fmt.Errorf("reading policies: %w", err)
			}
		}
	}
	if !held {
		rel := l.o.Files.Rel(dir)
		l.fault(Fault{
			Span: model.Span{File: rel, Line: 1}, Title: lint.Quote(rel) + " holds no policy",
			Notes: []string{"a folder of policies holds files named *.rego"}, Help: "`probelint policy new NAME` writes one",
		})
	}
	return nil
}

func (l *loader) onlyRaw(modules []*module) bool {
	raw := false
	for _, m := range modules {
		if strings.HasPrefix(m.pkg, rulePrefix) {
			return false
		}
		raw = raw || slices.Contains(l.o.Namespaces, m.pkg)
	}
	return raw
}

// dataDir takes one file or folder of data.
func (l *loader) dataDir(dir string) error {
	err := walk(dir, func(name, _ string, in []string) error {
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json":
			return l.dataFile(name, in)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading data of policies: %w", err)
	}
	return nil
}

// walk calls f for each file at or below dir, with its path below dir and the folders between. Hidden folders and those of
// fixtures are left out.
func walk(dir string, f func(name, rel string, in []string) error) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); name != dir && (strings.HasPrefix(base, ".") || base == FixtureDir) {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		var in []string
		if folder := path.Dir(filepath.ToSlash(rel)); folder != "." {
			in = strings.Split(folder, "/")
		}
		return f(name, filepath.ToSlash(rel), in)
	})
}

// read returns a file once; nil where it was taken already.
func (l *loader) read(name string) (*source.File, error) {
	rel := l.o.Files.Rel(name)
	if l.seen[rel] {
		return nil, nil
	}
	l.seen[rel] = true
	f := l.o.Files.Loaded(rel) // the unsaved buffer of an editor
	if f == nil {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f = source.Decode(rel, data)
		l.o.Files.Add(f)
	}
	l.files[rel] = f
	return f, nil
}

func (l *loader) rego(name string) error {
	test := strings.HasSuffix(name, "_test.rego")
	if test && !l.o.Tests {
		return nil
	}
	f, err := l.read(name)
	if f == nil || err != nil {
		return err
	}
	if string(f.Data) == policies.Library { // ejected, for plain opa
		return nil
	}
	l.readsFile = l.readsFile || bytes.Contains(f.Data, []byte("data.conftest"))
	m, err := parseRego(f, l.o.Namespaces)
	if err != nil {
		l.parseFaults(f, err)
		return nil
	}
	if m == nil {
		l.fault(Fault{Span: f.Span(0, 0), Title: lint.Quote(short(f.Path)) + " is empty", Label: "a policy begins with `package`"})
		return nil
	}
	l.modules = append(l.modules, &module{file: f.Path, parsed: m, pkg: packageOf(m), test: test})
	return nil
}

// nesting is how deep brackets may go in a file. The parser calls itself for each, and a stack that overflows ends the process.
const nesting = 500

// parseRego parses a file. What does not parse as Rego v1 and judges raw manifests is tried as v0: policies that conftest
// has run for years are written in it.
func parseRego(f *source.File, namespaces []string) (*ast.Module, error) {
	if at := tooDeep(f.Data); at >= 0 {
		line, column := f.Position(at)
		return nil, ast.Errors{{Code: ast.ParseErr, Message: fmt.Sprintf("brackets more than %d deep", nesting), Location: &ast.Location{File: f.Path, Row: line, Col: column}}}
	}
	opts := ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1, Capabilities: sandbox().capabilities}
	m, err := ast.ParseModuleWithOpts(f.Path, string(f.Data), opts)
	if err == nil {
		return m, nil
	}
	opts.RegoVersion, opts.Capabilities = ast.RegoV0, sandbox().capabilitiesV0
	if old, v0 := ast.ParseModuleWithOpts(f.Path, string(f.Data), opts); v0 == nil && old != nil && slices.Contains(namespaces, packageOf(old)) {
		return old, nil
	}
	return nil, err
}

// tooDeep is the offset of the first bracket below the limit of nesting, -1 where there is none. Brackets in strings count
// too: no policy needs so many.
func tooDeep(data []byte) int {
	depth := 0
	for i, c := range data {
		switch c {
		case '(', '[', '{':
			if depth++; depth > nesting {
				return i
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return -1
}

func packageOf(m *ast.Module) string {
	return strings.TrimPrefix(m.Package.Path.String(), "data.")
}

func (l *loader) parseFaults(f *source.File, err error) {
	var errs ast.Errors
	if !errors.As(err, &errs) {
		l.fault(Fault{Span: f.Span(0, 0), Title: lint.Quote(short(f.Path)) + " does not parse: " + err.Error()})
		return
	}
	for _, e := range errs {
		msg, _, _ := strings.Cut(e.Message, "\n")
		if e.Location == nil {
			e.Location = &ast.Location{File: f.Path, Row: 1, Col: 1}
		}
		l.fault(Fault{
			Span: span(l.files, e.Location), Title: lint.Quote(short(f.Path)) + " does not parse: " + msg, Label: "the parser gives up here",
			Notes: []string{"no rule of this file ran"},
		})
	}
}
