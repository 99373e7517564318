//go:build ignore

package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	goprinter "go/printer"
	"go/token"
	"go/types"
	"log"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// symbol is one entry of the knowledge tables, as far as a stub needs it.
type symbol struct {
	Recv, Name, Kind, Sig, Type string
	IsVar                       bool     `yaml:"is_var"`
	IsField                     bool     `yaml:"is_field"`
	NotIn                       []string `yaml:"not_in"`
}

type kbFile struct {
	Entries []struct {
		Packages []struct {
			Paths   []struct{ Path string }
			Symbols []symbol
		}
	}
}

// readKB collects the symbols of every third-party import path of the tables.
func readKB(dir string) map[string][]symbol {
	out := map[string][]symbol{}
	names, _ := filepath.Glob(filepath.Join(dir, "*.yaml"))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		var f kbFile
		if err := yaml.Unmarshal(data, &f); err != nil {
			log.Printf("%s: %v", name, err)
		}
		for _, e := range f.Entries {
			for _, p := range e.Packages {
				for _, at := range p.Paths {
					if std(at.Path) || strings.Contains(at.Path, "*") {
						continue
					}
					for _, s := range p.Symbols {
						if !slices.Contains(s.NotIn, at.Path) && token.IsIdentifier(s.Name) {
							out[at.Path] = append(out[at.Path], s)
						}
					}
				}
			}
		}
	}
	return out
}

var typeParam = regexp.MustCompile(`^(T|K|V|R|E|I|O|B|P|Req|Res|T[0-9]|S)$`)

// synth makes stubs for paths of the tables. What a stub does not know is left out; the loader then takes the package as
// known in part.
type synth struct {
	byName map[string][]string // import paths of all stubs, by package name
	kb     map[string][]symbol
}

// pkgSynth is one stub in the making.
type pkgSynth struct {
	*synth
	path    string
	imports map[string]string // path by local name
	types   map[string]*synthType
	top     map[string]string // declarations by name
}

type synthType struct {
	under   string // given by the tables
	fields  []string
	methods []symbol
	pointer bool // used as *T
	params  int  // type parameters, from T[...]
}

func (s *synth) stub(path string) ([]byte, error) {
	p := &pkgSynth{synth: s, path: path, imports: map[string]string{}, types: map[string]*synthType{}, top: map[string]string{}}
	seen := map[string]bool{}
	for _, y := range s.kb[path] {
		if seen[y.Recv+"."+y.Name] || strings.Contains(y.Recv, "[") {
			continue
		}
		seen[y.Recv+"."+y.Name] = true
		p.symbol(y)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\n", name(path))
	var body bytes.Buffer
	for _, n := range sorted(p.top) {
		body.WriteString(p.top[n])
	}
	for _, n := range sorted(p.types) {
		if p.top[n] == "" {
			p.types[n].write(&body, n, p)
		}
	}
	for _, n := range sorted(p.imports) {
		fmt.Fprintf(&b, "import %s %q\n", n, p.imports[n])
	}
	b.WriteByte('\n')
	b.Write(body.Bytes())
	return format.Source(b.Bytes())
}

func sorted[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func (p *pkgSynth) typ(name string) *synthType {
	t := p.types[name]
	if t == nil {
		t = &synthType{}
		p.types[name] = t
	}
	return t
}

func (p *pkgSynth) symbol(y symbol) {
	switch {
	case y.Recv != "" && (y.Kind == "field" || y.IsField):
		text := y.Type
		if text == "" {
			text = "func" + y.Sig
		}
		if e, ok := p.expr(text, nil); ok {
			t := p.typ(y.Recv)
			t.fields = append(t.fields, y.Name+" "+e)
		} else {
			p.typ(y.Recv)
		}
	case y.Recv != "":
		if y.Sig == "" {
			p.typ(y.Recv)
			return
		}
		if e, ok := p.expr("func"+y.Sig, nil); ok {
			y.Sig = strings.TrimPrefix(e, "func")
			t := p.typ(y.Recv)
			t.methods = append(t.methods, y)
		}
	case y.Kind == "type":
		if e, ok := p.expr(y.Type, nil); ok {
			p.typ(y.Name).under = e
		} else {
			p.typ(y.Name)
		}
	case y.Kind == "const" || y.Kind == "var" || y.IsVar:
		text := y.Type
		if text == "" && y.Sig != "" {
			text = "func" + y.Sig
		}
		if e, ok := p.expr(text, nil); ok {
			p.top[y.Name] = fmt.Sprintf("var %s %s\n", y.Name, e)
		}
	case y.Sig != "":
		params, sig := "", y.Sig
		generic := map[string]bool{}
		if strings.HasPrefix(sig, "[") {
			i := strings.Index(sig, "](")
			params, sig = sig[:i+1], sig[i+1:]
			var ok bool
			if params, ok = p.typeParams(params, generic); !ok {
				return
			}
		}
		if e, ok := p.expr("func"+sig, generic); ok {
			p.top[y.Name] = fmt.Sprintf("func %s%s%s\n", y.Name, params, strings.TrimPrefix(e, "func"))
		}
	}
}

// typeParams reads "[K comparable, V any]"; constraints that are not predeclared become any.
func (p *pkgSynth) typeParams(s string, generic map[string]bool) (string, bool) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f"+s+"()", 0)
	if err != nil {
		return "", false
	}
	var out []string
	for _, l := range f.Decls[0].(*ast.FuncDecl).Type.TypeParams.List {
		c := "any"
		if id, ok := l.Type.(*ast.Ident); ok && id.Name == "comparable" {
			c = "comparable"
		}
		for _, n := range l.Names {
			generic[n.Name] = true
			out = append(out, n.Name+" "+c)
		}
	}
	return "[" + strings.Join(out, ", ") + "]", true
}

// expr rewrites a type as the tables write it: types of this package are noted, those of others imported, and what is
// not known becomes any.
func (p *pkgSynth) expr(text string, generic map[string]bool) (string, bool) {
	if text == "" || strings.Contains(text, "...\"") || strings.HasSuffix(text, "...") {
		return "", false
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", false
	}
	var fix func(ast.Expr) ast.Expr
	fields := func(l *ast.FieldList) {
		if l == nil {
			return
		}
		for _, f := range l.List {
			f.Type = fix(f.Type)
			f.Tag = nil
		}
	}
	args := func(x ast.Expr, n int) ast.Expr {
		// An instance of a generic type: its declaration is not known well enough.
		if id, ok := x.(*ast.Ident); ok {
			p.typ(id.Name)
			return id
		}
		return fix(x)
	}
	fix = func(x ast.Expr) ast.Expr {
		switch x := x.(type) {
		case *ast.Ident:
			switch {
			case types.Universe.Lookup(x.Name) != nil || generic[x.Name]:
			case typeParam.MatchString(x.Name) && p.kbType(x.Name) == nil:
				return ast.NewIdent("any")
			case !ast.IsExported(x.Name):
				return ast.NewIdent("any")
			default:
				p.typ(x.Name)
			}
		case *ast.SelectorExpr:
			id, ok := x.X.(*ast.Ident)
			if !ok || !p.importName(id.Name, x.Sel.Name) {
				return ast.NewIdent("any")
			}
		case *ast.StarExpr:
			if id, ok := x.X.(*ast.Ident); ok && types.Universe.Lookup(id.Name) == nil {
				p.typ(id.Name).pointer = true
			}
			x.X = fix(x.X)
			if id, ok := x.X.(*ast.Ident); ok && id.Name == "any" {
				return id
			}
		case *ast.ParenExpr:
			x.X = fix(x.X)
		case *ast.ArrayType:
			x.Elt = fix(x.Elt)
		case *ast.MapType:
			x.Key, x.Value = fix(x.Key), fix(x.Value)
		case *ast.ChanType:
			x.Value = fix(x.Value)
		case *ast.Ellipsis:
			x.Elt = fix(x.Elt)
		case *ast.FuncType:
			fields(x.Params)
			fields(x.Results)
		case *ast.StructType:
			x.Fields.List = slices.DeleteFunc(x.Fields.List, func(f *ast.Field) bool {
				f.Names = slices.DeleteFunc(f.Names, func(n *ast.Ident) bool { return !n.IsExported() })
				return len(f.Names) == 0
			})
			fields(x.Fields)
		case *ast.InterfaceType:
			fields(x.Methods)
		case *ast.IndexExpr:
			return args(x.X, 1)
		case *ast.IndexListExpr:
			return args(x.X, len(x.Indices))
		}
		return x
	}
	e = fix(e)
	var b bytes.Buffer
	if err := goprinter.Fprint(&b, token.NewFileSet(), e); err != nil {
		return "", false
	}
	return b.String(), true
}

func (t *synthType) write(b *bytes.Buffer, n string, p *pkgSynth) {
	under, iface := t.under, strings.HasPrefix(t.under, "interface")
	if under == "" {
		iface = !t.pointer && len(t.fields) == 0
		switch {
		case iface:
			var l []string
			for _, m := range t.methods {
				l = append(l, m.Name+m.Sig)
			}
			under = "interface {\n" + strings.Join(l, "\n") + "\n}"
		default:
			under = "struct {\n" + strings.Join(t.fields, "\n") + "\n}"
		}
	}
	fmt.Fprintf(b, "type %s %s\n", n, under)
	if iface {
		return
	}
	for _, m := range t.methods {
		if strings.Contains("\n"+under, "\n\t"+m.Name+" ") || slices.ContainsFunc(t.fields, func(f string) bool { return strings.HasPrefix(f, m.Name+" ") }) {
			continue
		}
		fmt.Fprintf(b, "func (*%s) %s%s\n", n, m.Name, m.Sig)
	}
}

// synthesise makes the stubs of the tables' paths that are not among those of real modules.
func synthesise(dir string, have map[string][]byte) map[string][]byte {
	real = have
	s := &synth{kb: readKB(dir), byName: map[string][]string{}}
	for at := range have {
		if f, err := parser.ParseFile(token.NewFileSet(), "", have[at], parser.PackageClauseOnly); err == nil && !strings.Contains(at, "/internal/") {
			s.byName[f.Name.Name] = append(s.byName[f.Name.Name], at)
		}
	}
	for at := range s.kb {
		if have[at] == nil {
			s.byName[name(at)] = append(s.byName[name(at)], at)
		}
	}
	for n := range s.byName {
		slices.Sort(s.byName[n])
	}
	out := map[string][]byte{}
	for _, at := range sorted(s.kb) {
		if have[at] != nil {
			continue
		}
		src, err := s.stub(at)
		if err != nil {
			log.Printf("%s: %v", at, err)
			continue
		}
		out[path.Clean(at)] = src
	}
	return out
}
