package vet

import (
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
)

// sealFact is the seal of a package. A driver that caches results by facts analyses a main package anew when any package
// below it has changed, although only its own export data may have stayed the same.
type sealFact struct{ Seal Seal }

// AFact marks it as a fact.
func (*sealFact) AFact() {}

func (f *sealFact) String() string { return "seal " + f.Seal.String() }

// New makes the analyzer for drivers of golang.org/x/tools/go/analysis. Its name is part of their caches' keys and carries
// the version of the facts. With facts, a result is as old as the newest package that the program is made of; without,
// drivers need not load the source of dependencies, and a cached result can outlive a change in another package.
func New(o Options, facts bool) *analysis.Analyzer {
	p := &passer{options: o, files: map[string]*token.File{}}
	a := &analysis.Analyzer{
		Name: "probelint",
		Doc: "report health handlers that restart, misroute or hide a failure\n\n" +
			"Judges each program as its main package puts it together: what its health endpoints call, with which deadline, and what they\n" +
			"answer. The role of an endpoint comes from its path or a //probelint: directive; manifests are the command line's.",
		URL: "https://github.com/probelint/probelint",
		Run: p.run,
	}
	if facts {
		a.FactTypes = []analysis.Fact{new(sealFact)}
	}
	return a
}

// passer holds the files that diagnostics of other packages point into, so that each is added to a file set once, and lets
// one program be judged at a time: drivers run packages side by side, and each program is loaded with what it imports.
type passer struct {
	options Options
	judging sync.Mutex

	mu    sync.Mutex
	files map[string]*token.File
}

func (p *passer) run(pass *analysis.Pass) (any, error) {
	dir, files := own(pass)
	if dir == "" || !FirstParty(dir) {
		return nil, nil
	}
	if len(pass.Analyzer.FactTypes) > 0 {
		if err := export(pass, files); err != nil {
			return nil, err
		}
	}
	if pass.Pkg.Name() != "main" {
		return nil, nil
	}
	p.judging.Lock()
	defer p.judging.Unlock()
	r, err := Check(context.Background(), dir, p.options)
	if r == nil {
		return nil, err
	}
	for _, fs := range p.together(r) {
		p.report(pass, r, fs)
	}
	return nil, err
}

// own is the folder of a package and its files without tests. The folder is empty where there are tests alone, and where
// all files are generated into a cache, as those of cgo and of test binaries are.
func own(pass *analysis.Pass) (dir string, files []string) {
	for _, f := range pass.Files {
		name := pass.Fset.PositionFor(f.Package, false).Filename
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	if len(files) == 0 || strings.HasSuffix(pass.Pkg.Path(), ".test") {
		return "", nil
	}
	abs, err := filepath.Abs(files[0])
	if err != nil {
		return "", nil
	}
	return filepath.Dir(abs), files
}

func export(pass *analysis.Pass, files []string) error {
	var imports []Import
	for _, im := range pass.Pkg.Imports() {
		f := new(sealFact)
		if pass.ImportPackageFact(im, f) {
			imports = append(imports, Import{im.Path(), f.Seal})
		}
	}
	s, err := NewSeal(pass.Pkg.Path(), files, imports, pass.ReadFile)
	if err != nil {
		return err
	}
	pass.ExportPackageFact(&sealFact{s})
	return nil
}

// together sorts findings into those that become one diagnostic.
func (p *passer) together(r *Result) [][]lint.Finding {
	var out [][]lint.Finding
	for _, f := range r.Findings {
		if n := len(out); p.options.OnePerLine && n > 0 && sameLine(out[n-1][0].Primary.Span, f.Primary.Span) {
			out[n-1] = append(out[n-1], f)
			continue
		}
		out = append(out, []lint.Finding{f})
	}
	return out
}

func sameLine(a, b model.Span) bool { return a.File == b.File && a.Line == b.Line }

// report hands findings to the driver as one diagnostic, with the places that they rest on and the fixes that stay in this
// package.
func (p *passer) report(pass *analysis.Pass, r *Result, fs []lint.Finding) {
	pos, end := p.place(pass, r, fs[0].Primary.Span)
	if !pos.IsValid() {
		return
	}
	d := analysis.Diagnostic{Pos: pos, End: end, Category: fs[0].Rule, URL: fs[0].DocsURL()}
	var words []string
	for _, f := range fs {
		text := Message(f)
		for _, l := range f.Labels {
			pos, end := p.place(pass, r, l.Span)
			switch {
			case !pos.IsValid():
			case p.options.OnePerLine:
				text += fmt.Sprintf("; %s at %s:%d", l.Text, l.Span.File, l.Span.Line)
			default:
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: pos, End: end, Message: l.Text})
			}
		}
		words = append(words, text)
		for _, x := range f.Fixes {
			if s, ok := p.suggest(pass, r, x); ok {
				d.SuggestedFixes = append(d.SuggestedFixes, s)
			}
		}
	}
	d.Message = strings.Join(words, ". ")
	pass.Report(d)
}

func (p *passer) suggest(pass *analysis.Pass, r *Result, x lint.Fix) (analysis.SuggestedFix, bool) {
	s := analysis.SuggestedFix{Message: x.Title}
	for _, e := range x.Edits {
		pos, end := p.place(pass, r, e.Span)
		if !pos.IsValid() || !x.Safe || !within(pass, pos) {
			return s, false
		}
		s.TextEdits = append(s.TextEdits, analysis.TextEdit{Pos: pos, End: end, NewText: []byte(e.Text)})
	}
	return s, len(s.TextEdits) > 0
}

// within reports whether a position lies in a file of the package itself: drivers apply no fixes elsewhere.
func within(pass *analysis.Pass, pos token.Pos) bool {
	for _, f := range pass.Files {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return true
		}
	}
	return false
}

// place is a span in the driver's file set. A file of another package is added to it.
func (p *passer) place(pass *analysis.Pass, r *Result, s model.Span) (pos, end token.Pos) {
	data := r.Text(s)
	if data == nil || s.End > len(data) {
		return token.NoPos, token.NoPos
	}
	name := r.Name(s)
	for _, f := range pass.Files {
		tf := pass.Fset.File(f.FileStart)
		if abs, err := filepath.Abs(tf.Name()); err == nil && abs == name && tf.Size() == len(data) {
			return tf.Pos(s.Start), tf.Pos(s.End)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := fmt.Sprintf("%p %s %d", pass.Fset, name, len(data))
	tf := p.files[key]
	if tf == nil {
		tf = pass.Fset.AddFile(name, -1, len(data))
		tf.SetLinesForContent(data)
		p.files[key] = tf
	}
	return tf.Pos(s.Start), tf.Pos(s.End)
}
