package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

// stdGraph is the graph of the standard library in a nodeKey.
const stdGraph = -1

// discover finds and parses the first-party packages: those at or below the roots, then those of first-party modules
// that they import.
func (l *loader) discover(roots []root, workers int) ([]*node, error) {
	var level, out []*node
	seen := map[*node]bool{}
	add := func(to *[]*node, n *node) {
		if !seen[n] {
			seen[n] = true
			*to = append(*to, n)
		}
	}
	for _, r := range roots {
		for _, n := range l.walk(r) {
			add(&level, n)
		}
	}
	for len(level) > 0 {
		if err := l.parseLevel(level, workers); err != nil {
			return nil, err
		}
		var next []*node
		for _, n := range level {
			if n.first == nil {
				continue
			}
			out = append(out, n)
			n.deps = map[string]*node{}
			for _, f := range n.first.Files {
				for _, im := range f.Imports {
					p, err := strconv.Unquote(im.Path.Value)
					if err != nil || p == "C" || p == "unsafe" || n.deps[p] != nil {
						continue
					}
					to := l.lookup(p, n)
					n.deps[p] = to
					if to.part && im.Name == nil {
						// A partial stub may be wrong about the name; the code is not.
						to.name = l.usedName(n, to, to.pkgName(l))
					}
					if to.mod != nil && to.mod.first && to.miss == nil {
						add(&next, to)
					}
				}
			}
		}
		level = next
	}
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	return out, nil
}

// walk lists the packages at or below a root.
func (l *loader) walk(r root) []*node {
	var out []*node
	err := filepath.WalkDir(r.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			l.limits.add("reading "+l.set.Rel(name), err.Error())
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.IsDir() {
			return nil
		}
		if name != r.dir {
			if l.alone || skipDir(name, d.Name()) {
				return fs.SkipDir
			}
			if r.mod.ignores(name) {
				return fs.SkipDir
			}
		}
		if len(l.disk.goFiles(name)) == 0 {
			l.exclude(name, l.disk.leftOut(name))
			return nil
		}
		rel, err := filepath.Rel(r.mod.dir, name)
		if err != nil {
			return nil
		}
		out = append(out, l.node(nodeKey{r.graph.id, path.Join(r.mod.path, filepath.ToSlash(rel))}, func(n *node) {
			n.dir, n.graph, n.mod = name, r.graph, r.mod
		}))
		return nil
	})
	if err != nil {
		l.limits.add("reading "+l.set.Rel(r.dir), err.Error())
	}
	return out
}

// ignores applies the ignore directives of a go.mod.
func (m *module) ignores(dir string) bool {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	for _, p := range m.ignore {
		if root, ok := strings.CutPrefix(p, "./"); ok {
			if rel == root || strings.HasPrefix(rel, root+"/") {
				return true
			}
		} else if rel == p || strings.HasSuffix(rel, "/"+p) {
			return true
		}
	}
	return false
}

// firstFile is one first-party file on its way from disk to syntax.
type firstFile struct {
	node *node
	file *source.File
	base int
	c    bool // it imports "C"
	ast  *ast.File
	tok  *token.File
	err  error
}

// parseLevel reads and parses the files of packages. Positions do not depend on which worker comes first: each file is
// given its place before it is parsed.
func (l *loader) parseLevel(level []*node, workers int) error {
	perNode := make([][]*firstFile, len(level))
	each(workers, len(level), func(i int) {
		perNode[i] = l.readFiles(level[i])
	})
	var files []*firstFile
	for _, l2 := range perNode {
		for _, f := range l2 {
			f.base = l.base
			l.base += len(f.file.Data) + 1
			files = append(files, f)
		}
	}
	each(workers, len(files), func(i int) { files[i].parse() })
	if err := l.ctx.Err(); err != nil {
		return fmt.Errorf("parsing: %w", err)
	}
	for i, n := range level {
		l.assemble(n, perNode[i])
	}
	return nil
}

// each calls do for 0 to n-1 from several goroutines.
func each(workers, n int, do func(int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

func (l *loader) readFiles(n *node) []*firstFile {
	var out []*firstFile
	speaksCgo := false
	for _, name := range l.disk.goFiles(n.dir) {
		rel := l.set.Rel(filepath.Join(n.dir, name))
		f, err := l.set.Get(rel)
		if err != nil {
			l.mu.Lock()
			l.limits.add("reading "+rel, err.Error())
			l.mu.Unlock()
			continue
		}
		ok, cgo := l.tags.match(f.Data)
		speaksCgo = speaksCgo || cgo
		if ok {
			out = append(out, &firstFile{node: n, file: f, c: importsC(f.Data)})
		}
	}
	if speaksCgo {
		out = slices.DeleteFunc(out, func(f *firstFile) bool { return f.c })
	}
	return out
}

// marker is in every file whose comments speak to probelint. Those of other files are not kept.
const marker = "probelint"

func (f *firstFile) parse() {
	fset := token.NewFileSet()
	if f.base > 1 {
		fset.AddFile("", f.base-1, 0)
	}
	mode := parser.SkipObjectResolution
	if bytes.Contains(f.file.Data, []byte(marker)) {
		mode |= parser.ParseComments
	}
	f.ast, f.err = parser.ParseFile(fset, f.file.Path, f.file.Data, mode)
	f.tok = fset.File(token.Pos(f.base))
}

// assemble makes a package of the files that parse.
func (l *loader) assemble(n *node, files []*firstFile) {
	count := map[string]int{}
	var good []*firstFile
	for _, f := range files {
		if f.err != nil || f.ast == nil {
			l.unreadable(f)
			continue
		}
		if f.ast.Name.Name == "documentation" {
			continue
		}
		good = append(good, f)
		count[f.ast.Name.Name]++
	}
	if len(files) == 0 {
		l.exclude(n.dir, l.disk.goFiles(n.dir))
	}
	if len(good) == 0 {
		n.miss = &miss{why: "no file of the package could be read"}
		return
	}
	p := &Package{Path: n.path, Dir: l.set.Rel(n.dir), Module: n.mod.path, graph: n.graph}
	for name, c := range count {
		if c > count[p.Name] || c == count[p.Name] && name < p.Name {
			p.Name = name
		}
	}
	for _, f := range good {
		if f.ast.Name.Name != p.Name {
			p.Errors = append(p.Errors, fmt.Errorf("%s: package %s beside package %s", f.file.Path, f.ast.Name.Name, p.Name))
			continue
		}
		p.Files = append(p.Files, f.ast)
		l.fset.AddExistingFiles(f.tok)
		l.fileOf[f.tok] = p
	}
	n.first, n.name = p, p.Name
	n.nameOnce.Do(func() {})
}

// unreadable reports a first-party file that does not parse.
func (l *loader) unreadable(f *firstFile) {
	msg, off := "no Go file", 0
	var list scanner.ErrorList
	switch {
	case errors.As(f.err, &list) && len(list) > 0:
		msg, off = list[0].Msg, list[0].Pos.Offset
	case f.err != nil:
		msg = f.err.Error()
	}
	size := len(f.file.Data)
	off = min(max(off, 0), size)
	end := off
	for end < size && end-off < 40 && f.file.Data[end] != '\n' && f.file.Data[end] != '\r' {
		end++
	}
	msg = strings.ToValidUTF8(firstLine(msg), "?")
	l.found = append(l.found, lint.Finding{
		Rule: "unreadable-input", Level: lint.Error, Certainty: model.Proven,
		Title:   fmt.Sprintf("`%s` does not parse as Go", path.Base(f.file.Path)),
		Primary: lint.Label{Span: f.file.Span(off, end), Text: clip(msg, 60)},
		Notes: []string{
			fmt.Sprintf("the parser says: %s", msg),
			"its handlers, routes and checks are not part of this analysis",
		},
		Identity: []string{f.file.Path, "go"},
	})
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// demandsOf asks the dependencies of a first-party package for what it mentions.
func (l *loader) demandsOf(n *node) {
	for _, f := range n.first.Files {
		names := map[string]*node{}
		var dots []*node
		for _, im := range f.Imports {
			p, err := strconv.Unquote(im.Path.Value)
			if err != nil || n.deps[p] == nil {
				continue
			}
			to := n.deps[p]
			switch {
			case im.Name == nil:
				names[to.pkgName(l)] = to
			case im.Name.Name == ".":
				dots = append(dots, to)
			case im.Name.Name != "_":
				names[im.Name.Name] = to
			}
			// A package of which nothing is mentioned still has to exist.
			l.demand(to)
		}
		asked := map[*node]map[string]bool{}
		ask := func(to *node, name string) {
			if to.first == nil && to.miss == nil {
				if asked[to] == nil {
					asked[to] = map[string]bool{}
				}
				asked[to][name] = true
			}
		}
		for _, to := range dots {
			ask(to, all)
		}
		ast.Inspect(f, func(x ast.Node) bool {
			switch x := x.(type) {
			case *ast.Ident:
				n.idents++
			case *ast.SelectorExpr:
				n.exprs++
				if id, ok := x.X.(*ast.Ident); ok {
					if to := names[id.Name]; to != nil {
						ask(to, x.Sel.Name)
					}
				}
			case ast.Expr:
				n.exprs++
			}
			return true
		})
		for to, set := range asked {
			l.demand(to, slices.Sorted(keys(set))...)
		}
	}
}

// missingName is what a package without source is called by the code that imports it without a name of its own.
func (l *loader) missingName(n, to *node) string {
	guess := guessName(to.path)
	if n.first == nil {
		return guess
	}
	return l.usedName(n, to, guess)
}

// selecting are the names that something is selected from (`name.x`) in a first-party package.
func (n *node) selecting() map[string]bool {
	n.selectOnce.Do(func() {
		n.selected = map[string]bool{}
		for _, f := range n.first.Files {
			ast.Inspect(f, func(x ast.Node) bool {
				if sel, ok := x.(*ast.SelectorExpr); ok {
					if id, ok := sel.X.(*ast.Ident); ok {
						n.selected[id.Name] = true
					}
				}
				return true
			})
		}
	})
	return n.selected
}

// usedName is the name, of those that an import path allows, by which a first-party package calls an import. Where it
// uses none of them it is guess.
func (l *loader) usedName(n, to *node, guess string) string {
	used := n.selecting()
	for _, c := range append([]string{guess}, nameCandidates(to.path)...) {
		if used[c] {
			return c
		}
	}
	return guess
}

// nameCandidates are names that a package of an import path may have: from the last element of the path, and, where that
// is a version, from the one before.
func nameCandidates(importPath string) []string {
	out := []string{guessName(importPath)}
	last := path.Base(importPath)
	elems := []string{last}
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		elems = append(elems, path.Base(path.Dir(importPath)))
	}
	for _, e := range elems {
		out = append(out, e)
		parts := strings.FieldsFunc(e, func(r rune) bool { return r == '-' || r == '.' || r == '_' })
		out = append(out, parts...)
		out = append(out, strings.Join(parts, "_"), strings.Join(parts, ""))
	}
	return out
}
