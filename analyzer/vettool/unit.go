package vettool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/vet"
)

// unit is the part of vet.cfg that is read (cmd/go/internal/work, vetConfig).
type unit struct {
	ID            string // "example.com/shop/cmd/shop", or with a test variant behind it
	Dir           string
	ImportPath    string
	GoFiles       []string // absolute
	IgnoredFiles  []string // of other build tags
	ModulePath    string
	ModuleVersion string
	GoVersion     string
	PackageVetx   map[string]string // import path -> fact file
	VetxOnly      bool              // only facts are wanted
	VetxOutput    string
	Stdout        string // where JSON and differences go; empty: stdout
	FixArchive    string // where fixed files go; empty: the files themselves
}

// unit does one unit of work: the seal of every package, and the findings of a main package that was asked for.
func (t *tool) unit(ctx context.Context, name string) (int, error) {
	u, err := readUnit(name)
	if err != nil {
		return exitFailed, err
	}
	seal, err := u.seal()
	if err != nil {
		return exitFailed, err
	}
	if u.VetxOutput != "" {
		var b bytes.Buffer
		_, _ = seal.WriteTo(&b)
		if err := os.WriteFile(u.VetxOutput, b.Bytes(), 0o666); err != nil {
			return exitFailed, fmt.Errorf("writing facts: %w", err)
		}
	}
	out := t.stdout
	if u.Stdout != "" {
		f, err := os.Create(u.Stdout)
		if err != nil {
			return exitFailed, fmt.Errorf("writing results: %w", err)
		}
		defer f.Close()
		out = f
	}
	if u.VetxOnly || !u.own() || !u.isMain() {
		return exitDone, nil
	}
	r, err := vet.Check(ctx, u.Dir, t.options)
	if r == nil {
		return exitFailed, err
	}
	if failed := err; failed != nil {
		_, err = t.tell(u, r, out)
		return exitFailed, errors.Join(err, failed)
	}
	return t.tell(u, r, out)
}

// tell applies or prints what was found.
func (t *tool) tell(u *unit, r *vet.Result, out io.Writer) (int, error) {
	switch {
	case t.fix:
		return t.applyFixes(u, r, out)
	case t.json:
		return exitDone, printJSON(out, u.ID, r)
	}
	return printPlain(t.stderr, r), nil
}

func readUnit(name string) (*unit, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the unit of work: %w", err)
	}
	u := &unit{}
	if err := json.Unmarshal(data, u); err != nil {
		return nil, fmt.Errorf("reading the unit of work %s: %w", name, err)
	}
	if u.Dir == "" && len(u.GoFiles) > 0 {
		u.Dir = filepath.Dir(u.GoFiles[0])
	}
	return u, nil
}

// own reports whether the unit is code of the user's. A package of the standard library belongs to no module.
func (u *unit) own() bool { return u.ModulePath != "" && vet.FirstParty(u.Dir) }

// isMain reports whether the unit is a program, not a test of one.
func (u *unit) isMain() bool {
	for _, name := range u.GoFiles {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
		return err == nil && f.Name.Name == "main" && filepath.Dir(name) == filepath.Clean(u.Dir)
	}
	return false
}

// seal is the checksum of the unit. Code that cannot change under its name is sealed by the name: a module of the module
// cache, and the standard library of a Go version.
func (u *unit) seal() (vet.Seal, error) {
	if !u.own() && !strings.Contains(filepath.ToSlash(u.Dir)+"/", "/vendor/") {
		return vet.NewSeal(u.ImportPath+"@"+u.ModuleVersion, nil, nil, nil)
	}
	var files []string
	for _, name := range slices.Concat(u.GoFiles, u.IgnoredFiles) {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	var imports []vet.Import
	for path, file := range u.PackageVetx {
		data, err := os.ReadFile(file)
		if err != nil {
			return vet.Seal{}, fmt.Errorf("reading the facts of %s: %w", path, err)
		}
		s, ok := vet.ReadSeal(data)
		if !ok {
			return vet.Seal{}, fmt.Errorf("reading the facts of %s: not a seal", path)
		}
		imports = append(imports, vet.Import{Path: path, Seal: s})
	}
	return vet.NewSeal(u.ImportPath, files, imports, os.ReadFile)
}
