package suppress

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/probelint/probelint/internal/source"
)

// ownDirectives are the directives of Go that say something else than to be silent.
var ownDirectives = map[string]bool{"liveness": true, "readiness": true, "startup": true, "critical": true}

// goComments reads the directives of a Go file: `//probelint:ignore RULE -- reason` and `//nolint:probelint // reason`. A file
// that does not parse has those of what does.
func goComments(f *source.File) []*entry {
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, f.Path, f.Data, parser.ParseComments|parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	g := &goFile{f: f, tok: fset.File(file.FileStart), file: file}
	var out []*entry
	for _, group := range file.Comments {
		for _, c := range group.List {
			if e := g.directive(c); e != nil {
				out = append(out, e)
			}
		}
	}
	return out
}

type goFile struct {
	f    *source.File
	tok  *token.File
	file *ast.File
}

func (g *goFile) offset(p token.Pos) int { return g.tok.Offset(p) }

func (g *goFile) directive(c *ast.Comment) *entry {
	at, text := g.offset(c.Pos()), strings.TrimRight(c.Text, " \t\r")
	var e *entry
	switch {
	case strings.HasPrefix(text, "//"+Marker):
		e = comment(g.f, text[2:], at+2)
		if e.word == "critical" && len(e.rules) == 0 && e.reason == "" {
			return e // said by faults
		}
		if ownDirectives[e.word] {
			return nil
		}
	case strings.HasPrefix(text, "// "+Marker+"ignore"): // gofmt writes directives without the blank, people do not
		e = comment(g.f, text[3:], at+3)
	case strings.HasPrefix(text, "//nolint:"):
		list, reason, _ := strings.Cut(text[len("//nolint:"):], "//")
		named := false
		for _, n := range strings.Split(list, ",") {
			named = named || strings.TrimSpace(n) == "probelint"
		}
		if !named {
			return nil
		}
		e = &entry{
			file: g.f, span: g.f.Span(at, at+len(text)), all: true, word: "ignore", reason: strings.TrimSpace(reason),
		}
		if strings.TrimSpace(list) != "probelint" { // others are named too: the comment stays
			g.scope(e, c)
			return e
		}
	default:
		return nil
	}
	remove, _ := removal(g.f.Data, at, at+len(c.Text))
	e.remove = []Range{remove}
	g.scope(e, c)
	return e
}

// scope is the declaration or statement below a comment that has a line of its own, or else the outermost that begins on its
// line, or the smallest around it.
func (g *goFile) scope(e *entry, c *ast.Comment) {
	at, end := g.offset(c.Pos()), g.offset(c.End())
	if e.word == "ignore-file" {
		e.scope = Range{0, len(g.f.Data)}
		return
	}
	start, _, _ := lineBounds(g.f.Data, at)
	own := len(bytes.TrimSpace(g.f.Data[start:at])) == 0
	var best, around ast.Node
	within := g.file.FileEnd // of the innermost block around the comment
	ast.Inspect(g.file, func(n ast.Node) bool {
		if n == nil {
			return false
		}
		from, to := g.span(n)
		switch n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.CompositeLit, *ast.FieldList, *ast.GenDecl:
			if from < at && to > at && n.End() < within {
				within = n.End()
			}
		}
		if !unit(n) {
			return true
		}
		switch {
		case own && from >= end, !own && from >= start && from < at:
			if best == nil || from < g.start(best) {
				best = n
			}
		}
		if from < at && to >= at && (around == nil || to-from <= g.size(around)) {
			around = n
		}
		return true
	})
	if best != nil && best.Pos() > within {
		best = nil
	}
	if best == nil && !own {
		best = around
	}
	if best == nil {
		e.none = "no statement and no declaration stands below it"
		return
	}
	from, to := g.span(best)
	e.scope = Range{from, to}
}

// unit reports whether a node is one that a comment can stand for.
func unit(n ast.Node) bool {
	switch n.(type) {
	case *ast.BlockStmt, *ast.File:
		return false
	case ast.Stmt, ast.Decl, ast.Spec, *ast.Field, *ast.KeyValueExpr:
		return true
	}
	return false
}

// span is the text of a node; a declaration begins behind its doc comment.
func (g *goFile) span(n ast.Node) (from, to int) {
	return g.start(n), g.offset(n.End())
}

func (g *goFile) start(n ast.Node) int {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return g.offset(n.Type.Pos())
	case *ast.GenDecl:
		return g.offset(n.TokPos)
	case *ast.Field:
		if len(n.Names) > 0 {
			return g.offset(n.Names[0].Pos())
		}
		return g.offset(n.Type.Pos())
	case *ast.ValueSpec:
		return g.offset(n.Names[0].Pos())
	case *ast.TypeSpec:
		return g.offset(n.Name.Pos())
	}
	return g.offset(n.Pos())
}

func (g *goFile) size(n ast.Node) int {
	from, to := g.span(n)
	return to - from
}
