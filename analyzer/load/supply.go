package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// supplier takes declarations out of one dependency.
type supplier struct {
	l      *loader
	n      *node
	batch  map[*depFile][]*decl
	remote map[*node]map[string]bool
}

// name takes the declarations of a top-level name.
func (s *supplier) name(name string) {
	if name == all {
		for name := range s.n.index {
			if ast.IsExported(name) {
				s.name(name)
			}
		}
		return
	}
	for _, r := range s.n.index[name] {
		if r.decl.taken {
			continue
		}
		s.take(r)
		if r.decl.kind == kindType {
			s.n.taken = append(s.n.taken, name)
			for _, m := range s.n.methods[name] {
				if ast.IsExported(m.decl.names[0]) || s.n.sealed[m.decl.names[0]] {
					s.take(m)
				}
			}
		}
	}
}

// seal notes an unexported method of an interface: only types of this package can have it, and they keep it.
func (s *supplier) seal(method string) {
	if s.n.sealed[method] {
		return
	}
	s.n.sealed[method] = true
	for _, t := range s.n.taken {
		for _, m := range s.n.methods[t] {
			if m.decl.names[0] == method {
				s.take(m)
			}
		}
	}
}

func (s *supplier) take(r *declRef) {
	if !r.decl.taken {
		r.decl.taken = true
		s.batch[r.file] = append(s.batch[r.file], r.decl)
	}
}

// run parses what was taken and takes what that mentions, until nothing is new.
func (s *supplier) run() {
	for len(s.batch) > 0 {
		batch := s.batch
		s.batch = map[*depFile][]*decl{}
		for f, decls := range batch {
			s.parse(f, decls)
		}
	}
}

// joinDecls is a source text of the given declarations.
func joinDecls(src []byte, decls []*decl) []byte {
	size := 16
	for _, d := range decls {
		size += d.end - d.start + 8
	}
	buf := append(make([]byte, 0, size), "package p\n"...)
	for _, d := range decls {
		buf = append(buf, d.kind.keyword()...)
		buf = append(buf, src[d.start:d.end]...)
		buf = append(buf, '\n')
	}
	return buf
}

func (s *supplier) parse(f *depFile, decls []*decl) {
	slices.SortFunc(decls, func(a, b *decl) int { return a.start - b.start })
	file, _ := parser.ParseFile(s.l.depFset, "", joinDecls(f.src, decls), parser.SkipObjectResolution)
	if file == nil {
		return
	}
	if f.ident == nil {
		f.ident = &ast.Ident{NamePos: file.Name.NamePos, Name: s.n.pkgName(s.l)}
	}
	for i, d := range file.Decls {
		simplify(d)
		// Declarations and outline run in step unless the parser stumbled; the order then matters little.
		at := decls[min(i, len(decls)-1)].start
		f.kept = append(f.kept, keptDecl{at, d})
		s.refs(f, d)
	}
}

// refs takes what a declaration mentions.
func (s *supplier) refs(f *depFile, d ast.Node) {
	ast.Inspect(d, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if to := s.imported(f, id.Name); to != nil {
					f.used[id.Name] = to
					s.ask(to, x.Sel.Name)
					return false
				}
			}
			s.refs(f, x.X)
			return false
		case *ast.InterfaceType:
			for _, m := range x.Methods.List {
				for _, name := range m.Names {
					if !name.IsExported() {
						s.seal(name.Name)
					}
				}
			}
		case *ast.Field:
			if x.Type != nil {
				s.refs(f, x.Type)
			}
			return false
		case *ast.Ident:
			if len(s.n.index[x.Name]) > 0 {
				s.name(x.Name)
			} else if len(f.dots) > 0 {
				for _, to := range f.dots {
					s.ask(to, x.Name)
				}
			}
		}
		return true
	})
}

func (s *supplier) ask(to *node, name string) {
	set := s.remote[to]
	if set == nil {
		set = map[string]bool{}
		s.remote[to] = set
	}
	set[name] = true
}

// imported is the package that a file of a dependency imports under a name.
func (s *supplier) imported(f *depFile, name string) *node {
	if f.names == nil {
		f.names = map[string]*node{}
		for _, im := range f.outline.imports {
			switch {
			case im.path == "C" || im.name == "_":
			case im.path == "unsafe":
				f.names["unsafe"] = s.l.unsafe
			case im.name == ".":
				to := s.l.lookup(im.path, s.n)
				f.dots = append(f.dots, to)
				f.used["."+im.path] = to
			case im.name != "":
				f.names[im.name] = s.l.lookup(im.path, s.n)
			default:
				to := s.l.lookup(im.path, s.n)
				f.names[to.pkgName(s.l)] = to
			}
		}
	}
	return f.names[name]
}

// simplify removes from a declaration what does not matter to those who use it: bodies, unexported fields, the values of
// typed variables, the elements of composite literals.
func simplify(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		d.Body = nil
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				if d.Tok == token.VAR && spec.Type != nil {
					spec.Values = nil
				}
				for _, v := range spec.Values {
					simplifyExpr(v)
				}
				if spec.Type != nil {
					simplifyExpr(spec.Type)
				}
			case *ast.TypeSpec:
				simplifyExpr(spec.Type)
			}
		}
	}
}

func simplifyExpr(e ast.Expr) {
	ast.Inspect(e, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			x.Body = &ast.BlockStmt{}
		case *ast.CompositeLit:
			if a, ok := x.Type.(*ast.ArrayType); x.Type != nil && (!ok || !isEllipsis(a.Len)) {
				x.Elts = nil
			}
		case *ast.StructType:
			x.Fields.List = slices.DeleteFunc(x.Fields.List, func(f *ast.Field) bool {
				if len(f.Names) == 0 {
					return false // embedded: its methods are promoted
				}
				f.Names = slices.DeleteFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
				return len(f.Names) == 0
			})
		}
		return true
	})
}

func isEllipsis(e ast.Expr) bool {
	_, ok := e.(*ast.Ellipsis)
	return ok
}
