//go:build ignore

// Gen writes stubs.zip: type stubs for the packages of roots.txt, taken from the real modules through go/types, and for
// every other import path of the knowledge tables, made from the signatures there.
//
//	go run gen.go gen_kb.go gen_names.go write.go -scratch DIR
//
// DIR is a module whose go.mod requires the modules of roots.txt, with all of them in the module cache:
//
//	go mod init stubgen.example && go get $(grep -v '^[-+#]' roots.txt | cut -d' ' -f1) && go mod download
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/constant"
	"go/format"
	"go/token"
	"go/types"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/analyzer/load"
)

func main() {
	log.SetFlags(0)
	scratch := flag.String("scratch", "", "scratch module")
	kb := flag.String("kb", "../../knowledge/data", "directory of the knowledge tables")
	out := flag.String("o", "stubs.zip", "archive to write")
	flag.Parse()
	roots, opaque := readRoots("roots.txt")
	if err := prepare(*scratch, roots); err != nil {
		log.Fatal(err)
	}
	r, err := load.Load(context.Background(), load.Options{Dirs: []string{*scratch}})
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range r.Limits {
		log.Printf("%s: %s", l.What, l.Because)
	}
	p := &printer{opaque: opaque, need: map[string]map[string]bool{}, pkgs: map[string]*types.Package{}}
	for path, names := range roots {
		pkg := r.Import(path)
		if pkg == nil {
			log.Fatalf("%s was not loaded", path)
		}
		if names == nil {
			for _, n := range pkg.Scope().Names() {
				if token.IsExported(n) {
					names = append(names, n)
				}
			}
		}
		for _, n := range names {
			o := pkg.Scope().Lookup(n)
			if o == nil {
				log.Fatalf("%s has no %s", path, n)
			}
			p.object(o)
		}
	}
	files := map[string][]byte{}
	for path, names := range p.need {
		src := p.print(p.pkgs[path], names)
		nice, err := format.Source(src)
		if err != nil {
			log.Fatalf("%s: %v", path, err)
		}
		files[path] = nice
	}
	made := synthesise(*kb, files)
	all := map[string][]byte{}
	for path, src := range files {
		dir := "part/"
		if names, ok := roots[path]; ok && names == nil && !p.isOpaque(path) {
			dir = "whole/"
		}
		all[dir+path+"/stub.go"] = src
	}
	for path, src := range made {
		all["part/"+path+"/stub.go"] = src
	}
	if err := write(*out, all); err != nil {
		log.Fatal(err)
	}
}

// readRoots reads lines of an import path and, optionally, the names to take of it. A line "-PREFIX" makes the types of
// packages below it opaque, "+PREFIX" excepts some of them.
func readRoots(name string) (roots map[string][]string, opaque []string) {
	data, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0 || f[0] == "#":
		case f[0][0] == '-' || f[0][0] == '+':
			opaque = append(opaque, f[0])
		default:
			out[f[0]] = append([]string(nil), f[1:]...)
			if len(f) == 1 {
				out[f[0]] = nil
			}
		}
	}
	return out, opaque
}

// prepare writes a package that asks for everything in the roots.
func prepare(dir string, roots map[string][]string) error {
	old, _ := filepath.Glob(filepath.Join(dir, "f*.go"))
	for _, f := range old {
		os.Remove(f)
	}
	i := 0
	for path := range roots {
		i++
		src := fmt.Sprintf("package main\n\nimport . %q\n", path)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(src), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// printer prints declarations of packages, and notes which declarations of others they need.
type printer struct {
	need map[string]map[string]bool
	pkgs map[string]*types.Package
	// opaque are prefixes of import paths whose types stay empty.
	opaque []string
}

// isOpaque reports whether the types of a package stay empty; the longest prefix decides.
func (p *printer) isOpaque(path string) bool {
	best, is := 0, false
	for _, o := range p.opaque {
		if pre := o[1:]; len(pre) > best && (path == pre || strings.HasPrefix(path, pre+"/")) {
			best, is = len(pre), o[0] == '-'
		}
	}
	return is
}

// object notes that a package-level object is needed, and what it needs.
func (p *printer) object(o types.Object) {
	if o.Pkg() == nil || o.Pkg() == types.Unsafe {
		return
	}
	path := o.Pkg().Path()
	if p.need[path] == nil {
		p.need[path] = map[string]bool{}
		p.pkgs[path] = o.Pkg()
	}
	if p.need[path][o.Name()] {
		return
	}
	p.need[path][o.Name()] = true
	if p.isOpaque(path) {
		return
	}
	tn, ok := o.(*types.TypeName)
	if !ok {
		p.typ(o.Type())
		return
	}
	switch t := tn.Type().(type) {
	case *types.Alias:
		for i := range t.TypeParams().Len() {
			p.typ(t.TypeParams().At(i).Constraint())
		}
		p.typ(t.Rhs())
	case *types.Named:
		for i := range t.TypeParams().Len() {
			p.typ(t.TypeParams().At(i).Constraint())
		}
		p.typ(t.Underlying())
		for i := range t.NumMethods() {
			p.typ(t.Method(i).Type())
		}
	}
}

// typ notes the named types that a type mentions.
func (p *printer) typ(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		p.object(t.Obj())
		for i := range t.TypeArgs().Len() {
			p.typ(t.TypeArgs().At(i))
		}
	case *types.Alias:
		p.object(t.Obj())
		for i := range t.TypeArgs().Len() {
			p.typ(t.TypeArgs().At(i))
		}
	case *types.Pointer:
		p.typ(t.Elem())
	case *types.Slice:
		p.typ(t.Elem())
	case *types.Array:
		p.typ(t.Elem())
	case *types.Chan:
		p.typ(t.Elem())
	case *types.Map:
		p.typ(t.Key())
		p.typ(t.Elem())
	case *types.Signature:
		for i := range t.TypeParams().Len() {
			p.typ(t.TypeParams().At(i).Constraint())
		}
		p.typ(t.Params())
		p.typ(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			p.typ(t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			p.typ(t.Field(i).Type())
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			p.typ(t.ExplicitMethod(i).Type())
		}
		for i := range t.NumEmbeddeds() {
			p.typ(t.EmbeddedType(i))
		}
	case *types.Union:
		for i := range t.Len() {
			p.typ(t.Term(i).Type())
		}
	}
}

func (p *printer) print(pkg *types.Package, names map[string]bool) []byte {
	imports := map[string]string{}
	taken := map[string]bool{}
	for n := range names {
		taken[n] = true
	}
	qual := func(other *types.Package) string {
		if other == pkg {
			return ""
		}
		if n := imports[other.Path()]; n != "" {
			return n
		}
		n := other.Name()
		for i := 2; taken[n]; i++ {
			n = fmt.Sprintf("%s%d", other.Name(), i)
		}
		taken[n] = true
		imports[other.Path()] = n
		return n
	}
	str := func(t types.Type) string { return types.TypeString(t, qual) }
	var b bytes.Buffer
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range names {
			if !yield(n) {
				return
			}
		}
	}) {
		switch o := pkg.Scope().Lookup(name).(type) {
		case *types.Const:
			value(&b, o, str)
		case *types.Var:
			fmt.Fprintf(&b, "var %s %s\n", name, str(o.Type()))
		case *types.Func:
			fmt.Fprintf(&b, "func %s%s\n", name, strings.TrimPrefix(str(o.Type()), "func"))
		case *types.TypeName:
			if p.isOpaque(pkg.Path()) {
				opaqueDecl(&b, o)
			} else {
				typeDecl(&b, o, str)
			}
		}
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "package %s\n\n", pkg.Name())
	for _, path := range slices.Sorted(func(yield func(string) bool) {
		for n := range imports {
			if !yield(n) {
				return
			}
		}
	}) {
		fmt.Fprintf(&head, "import %s %q\n", imports[path], path)
	}
	head.WriteByte('\n')
	return append(head.Bytes(), b.Bytes()...)
}

func value(b *bytes.Buffer, o *types.Const, str func(types.Type) string) {
	v := o.Val().ExactString()
	if o.Val().Kind() == constant.Float {
		v = o.Val().String()
		if n, d := constant.Num(o.Val()), constant.Denom(o.Val()); n.Kind() == constant.Int && d.Kind() == constant.Int {
			v = n.ExactString() + ".0 / " + d.ExactString() + ".0"
		}
	}
	if o.Val().Kind() == constant.Unknown {
		fmt.Fprintf(b, "var %s %s\n", o.Name(), str(o.Type()))
		return
	}
	if bt, ok := o.Type().(*types.Basic); ok && bt.Info()&types.IsUntyped != 0 {
		fmt.Fprintf(b, "const %s = %s\n", o.Name(), v)
		return
	}
	fmt.Fprintf(b, "const %s %s = %s\n", o.Name(), str(o.Type()), v)
}

func typeDecl(b *bytes.Buffer, o *types.TypeName, str func(types.Type) string) {
	params := func(l *types.TypeParamList) string {
		if l.Len() == 0 {
			return ""
		}
		var s []string
		for i := range l.Len() {
			s = append(s, l.At(i).Obj().Name()+" "+str(l.At(i).Constraint()))
		}
		return "[" + strings.Join(s, ", ") + "]"
	}
	if a, ok := o.Type().(*types.Alias); ok {
		fmt.Fprintf(b, "type %s%s = %s\n", o.Name(), params(a.TypeParams()), str(a.Rhs()))
		return
	}
	n := o.Type().(*types.Named)
	under := n.Underlying()
	if s, ok := under.(*types.Struct); ok {
		var fields []*types.Var
		for i := range s.NumFields() {
			fields = append(fields, s.Field(i))
		}
		under = types.NewStruct(fields, nil) // no tags
	}
	fmt.Fprintf(b, "type %s%s %s\n", o.Name(), params(n.TypeParams()), str(under))
	for i := range n.NumMethods() {
		m := n.Method(i)
		if strings.HasPrefix(o.Pkg().Path(), "k8s.io/") && generated[m.Name()] {
			continue
		}
		sig := m.Signature()
		fmt.Fprintf(b, "func (%s) %s%s\n", str(sig.Recv().Type()), m.Name(), strings.TrimPrefix(str(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())), "func"))
	}
}

// opaqueDecl declares a type that has nothing but its name and its kind.
func opaqueDecl(b *bytes.Buffer, o *types.TypeName) {
	switch t := o.Type().Underlying().(type) {
	case *types.Basic:
		fmt.Fprintf(b, "type %s %s\n", o.Name(), t.Name())
	case *types.Interface:
		fmt.Fprintf(b, "type %s interface{}\n", o.Name())
	case *types.Map:
		fmt.Fprintf(b, "type %s map[string]any\n", o.Name())
	case *types.Slice:
		fmt.Fprintf(b, "type %s []any\n", o.Name())
	default:
		fmt.Fprintf(b, "type %s struct{}\n", o.Name())
	}
}

// generated are methods that every Kubernetes API type has and no program calls by itself.
var generated = map[string]bool{
	"DeepCopyInto": true, "SwaggerDoc": true, "Marshal": true, "MarshalTo": true, "MarshalToSizedBuffer": true,
	"Unmarshal": true, "Size": true, "Descriptor": true, "ProtoMessage": true, "Reset": true, "OpenAPIModelName": true,
	"APILifecycleIntroduced": true, "APILifecycleDeprecated": true, "APILifecycleRemoved": true, "APILifecycleReplacement": true,
}
