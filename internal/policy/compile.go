package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// Set is the policies of one run, ready to judge. It is safe for concurrent use.
type Set struct {
	// Rules are the rules that can run, sorted by id.
	rules  []*Rule
	faults []Fault // of loading
	files  map[string]*source.File
	set    *source.Set

	compiler *ast.Compiler
	store    storage.Store
	txn      storage.Transaction
	loaded   *loader

	run *run
}

// compile leaves out what is broken until the rest holds, and makes the rules.
func (l *loader) compile(ctx context.Context) (*Set, error) {
	var c *ast.Compiler
	for {
		if c = compileWithin(compileLimit, l.good()); c == nil {
			c = newCompiler()
			if l.endless(); len(l.good()) == 0 {
				break
			}
			continue
		}
		if !c.Failed() {
			broken := l.check(c)
			if !broken {
				break
			}
			continue
		}
		if !l.compileFaults(c.Errors) { // nothing to leave out
			for _, m := range l.modules {
				m.bad = true
			}
			break
		}
	}
	s := &Set{files: l.files, set: l.o.Files, compiler: c, loaded: l}
	s.rules = l.rules(c)
	if len(s.rules) == 0 && len(l.faults) == 0 {
		l.noRules()
	}
	s.faults = compactFaults(l.faults)
	s.store = inmem.NewFromObjectWithOpts(l.data, inmem.OptReturnASTValuesOnRead(true))
	txn, err := s.store.NewTransaction(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading data of policies: %w", err)
	}
	s.txn = txn
	return s, nil
}

// compileLimit is how long the compiler may take for all policies; ten files take a few milliseconds. The compiler cannot be
// stopped: one that takes longer is left behind.
const compileLimit = 5 * time.Second

func compileWithin(limit time.Duration, modules map[string]*ast.Module) *ast.Compiler {
	c, done := newCompiler(), make(chan struct{})
	go func() {
		defer close(done)
		c.Compile(modules)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return c
	case <-timer.C:
		return nil
	}
}

// endless finds the files that the compiler does not come to an end with, each with the files that are no rules, and leaves
// them out. Where no single one is to blame all are.
func (l *loader) endless() {
	var shared, alone []*module
	for _, m := range l.modules {
		switch {
		case m.bad:
		case m.rule() || m.test:
			alone = append(alone, m)
		default:
			shared = append(shared, m)
		}
	}
	found := false
	blame := func(m *module) {
		m.bad, found = true, true
		l.fault(Fault{
			Rule: idOf(m), Span: span(l.files, m.parsed.Package.Location), Label: "in this file",
			Title: fmt.Sprintf("the compiler did not end within %gs", compileLimit.Seconds()), Notes: []string{"no rule of " + lint.Quote(short(m.file)) + " ran"},
		})
	}
	for _, m := range alone {
		with := map[string]*ast.Module{m.file: m.parsed}
		for _, x := range append(shared, l.samePackage(m)...) {
			with[x.file] = x.parsed
		}
		if compileWithin(compileLimit/4, with) == nil {
			blame(m)
		}
	}
	if found {
		return
	}
	for _, m := range append(alone, shared...) {
		if m.file != libraryFile {
			blame(m)
		}
	}
}

// samePackage are the other files of a module's package, and of the package that a test is about.
func (l *loader) samePackage(m *module) []*module {
	var out []*module
	for _, x := range l.modules {
		if x != m && !x.bad && !x.test && (x.pkg == m.pkg || x.pkg == strings.TrimSuffix(m.pkg, "_test")) {
			out = append(out, x)
		}
	}
	return out
}

func newCompiler() *ast.Compiler {
	return ast.NewCompiler().WithCapabilities(sandbox().capabilities).WithEnablePrintStatements(false)
}

func (l *loader) good() map[string]*ast.Module {
	out := map[string]*ast.Module{}
	for _, m := range l.modules {
		if !m.bad {
			out[m.file] = m.parsed
		}
	}
	return out
}

func (l *loader) byFile(file string) *module {
	for _, m := range l.modules {
		if m.file == file {
			return m
		}
	}
	return nil
}

// compileFaults turns what the compiler says into faults, and leaves out the files that they are in.
func (l *loader) compileFaults(errs ast.Errors) (some bool) {
	errs.Sort()
	for _, e := range errs {
		if e.Location == nil {
			l.fault(Fault{Title: e.Message})
			continue
		}
		m := l.byFile(e.Location.File)
		if m != nil && !m.bad {
			m.bad, some = true, true
		}
		l.fault(l.compileFault(m, e))
	}
	return some
}

func (l *loader) compileFault(m *module, e *ast.Error) Fault {
	msg, rest, _ := strings.Cut(e.Message, "\n")
	f := Fault{Span: span(l.files, e.Location), Rule: idOf(m), Title: msg}
	name, undefined := strings.CutPrefix(msg, "undefined function ")
	switch {
	case undefined && forbidden(name) != "":
		f.Title, f.Label = lint.Quote(name)+" is not allowed in a policy", forbidden(name)
		f.Help = "a policy is a function of its input and its data"
	case undefined:
		f.Title, f.Help = "there is no function "+lint.Quote(name), did(strings.TrimPrefix(name, "data."), functions(l.modules))
	case strings.Contains(msg, "is recursive"):
		f.Title, f.Label = lint.Quote(shortRef(msg))+" leads back to itself", "Rego has no recursion"
		_, chain, _ := strings.Cut(msg, ": ")
		f.Notes = append(f.Notes, "the way round: "+strings.ReplaceAll(chain, "data.", ""))
	case strings.HasPrefix(msg, "var ") && strings.HasSuffix(msg, " is unsafe"):
		name := strings.TrimSuffix(strings.TrimPrefix(msg, "var "), " is unsafe")
		f.Title, f.Help = lint.Quote(name)+" has no value here", did(name, l.names(m))
		f.Label = "neither a variable that is set nor a rule of this package"
	case rest != "":
		f.Notes = append(f.Notes, strings.Fields(rest)[0])
		f.Notes = f.Notes[:0]
	}
	f.Notes = append(f.Notes, "no rule of "+lint.Quote(short(e.Location.File))+" ran")
	return f
}

// shortRef is the rule that a message of recursion begins with.
func shortRef(msg string) string {
	ref, _, _ := strings.Cut(strings.TrimPrefix(msg, "rule "), " is recursive")
	if i := strings.LastIndexByte(ref, '.'); i >= 0 {
		return ref[i+1:]
	}
	return ref
}

// functions are the names that a call can mean: the builtins that are allowed, and the functions of all packages.
func functions(modules []*module) []string {
	var out []string
	for _, b := range sandbox().capabilities.Builtins {
		out = append(out, b.Name)
	}
	for _, m := range modules {
		for _, r := range m.parsed.Rules {
			if len(r.Head.Args) > 0 {
				out = append(out, m.pkg+"."+r.Head.Ref().String())
			}
		}
	}
	return out
}

// names are the rules of a module's package, its imports, and the roots of documents.
func (l *loader) names(m *module) []string {
	out := []string{"input", "data"}
	if m == nil {
		return out
	}
	for _, other := range l.modules {
		if other.pkg != m.pkg {
			continue
		}
		for _, r := range other.parsed.Rules {
			out = append(out, nameOf(r))
		}
	}
	for _, i := range m.parsed.Imports {
		out = append(out, string(i.Name()))
	}
	return out
}

// noRules says that the folders hold files and no rule.
func (l *loader) noRules() {
	for _, m := range l.modules {
		if m.file == libraryFile || m.test {
			continue
		}
		at := m.parsed.Package.Location
		l.fault(Fault{
			Span: span(l.files, at), Title: "package " + lint.Quote(m.pkg) + " is no rule", Label: "a rule's package is `probelint.rules.NAME`",
			Notes: []string{"there is no rule in " + lint.And(l.dirs()), "a package that judges raw manifests is called `" + strings.Join(l.o.Namespaces, "` or `") + "`"},
		})
		return
	}
	for _, d := range l.dirs() {
		l.fault(Fault{Span: model.Span{File: strings.Trim(d, "`"), Line: 1}, Title: d + " holds no rule"})
	}
}

func (l *loader) dirs() []string {
	out := make([]string, 0, len(l.o.Dirs))
	for _, d := range l.o.Dirs {
		out = append(out, lint.Quote(l.o.Files.Rel(d)))
	}
	return out
}

// All are the rules that can run, sorted by id.
func (s *Set) All() []*Rule { return slices.Clone(s.rules) }

// Broken are the faults of loading, in the order of files and lines.
func (s *Set) Broken() []Fault { return slices.Clone(s.faults) }

// At is a place as file:line:column.
func (s *Set) At(at model.Span) string { return At(s.set, at) }

// Where is a fault's place and text on one line.
func (s *Set) Where(f Fault) string { return f.Error(s.set) }
