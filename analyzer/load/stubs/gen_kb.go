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

// stdByName are the packages of the standard library that signatures mention, by name.
var stdByName = map[string]string{
	"context": "context", "time": "time", "http": "net/http", "sql": "database/sql", "driver": "database/sql/driver",
	"io": "io", "net": "net", "url": "net/url", "tls": "crypto/tls", "os": "os", "netip": "net/netip", "slog": "log/slog",
	"json": "encoding/json", "bufio": "bufio", "log": "log", "sync": "sync", "big": "math/big", "fs": "io/fs",
	"multipart": "mime/multipart", "reflect": "reflect",
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

func (p *pkgSynth) kbType(name string) *symbol {
	for _, y := range p.kb[p.path] {
		if y.Recv == name || y.Kind == "type" && y.Name == name {
			return &y
		}
	}
	return nil
}

// importName imports the package that signatures of this path call so, provided that its stub has the name wanted. Of
// several the one that shares the longest prefix with this path is meant.
func (p *pkgSynth) importName(name, want string) bool {
	if p.imports[name] != "" {
		return p.has(p.imports[name], want)
	}
	if at := stdByName[name]; at != "" && p.has(at, want) {
		p.imports[name] = at
		return true
	}
	best, n := "", -1
	for _, at := range p.byName[name] {
		if at == p.path || !p.has(at, want) {
			continue
		}
		k := 0
		for k < len(at) && k < len(p.path) && at[k] == p.path[k] {
			k++
		}
		if k > n {
			best, n = at, k
		}
	}
	// A package of another host is not meant just because it has the same name, except for those that all share.
	host, _, _ := strings.Cut(p.path, "/")
	common := best != "" && (strings.HasPrefix(best, "google.golang.org/grpc") || strings.HasPrefix(best, "github.com/gin-gonic/gin"))
	if best == "" || !common && n <= len(host)+1 {
		return false
	}
	p.imports[name] = best
	return true
}

// has reports whether the stub of a path declares a name. Stubs that are made here are asked through the tables.
func (p *pkgSynth) has(at, want string) bool {
	if src := real[at]; src != nil {
		return regexp.MustCompile(`(?m)^type ` + want + `\b`).Match(src)
	}
	for _, y := range p.kb[at] {
		if y.Recv == want || y.Kind == "type" && y.Name == want || mentionsType(y, want) {
			return true
		}
	}
	return false
}

func mentionsType(y symbol, want string) bool {
	return y.Recv == "" && regexp.MustCompile(`(^|[^.\w])`+want+`\b`).MatchString(y.Sig)
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

// name is what the package of an import path is called.
func name(at string) string {
	elems := strings.Split(at, "/")
	n := elems[len(elems)-1]
	if len(elems) > 1 && regexp.MustCompile(`^v[0-9]+$`).MatchString(n) {
		n = elems[len(elems)-2]
	}
	if odd := map[string]string{
		"github.com/AppsFlyer/go-sundheit": "gosundheit", "github.com/rabbitmq/amqp091-go": "amqp091",
		"github.com/brpaz/go-healthcheck/v2": "healthcheck", "github.com/meilisearch/meilisearch-go": "meilisearch",
		"github.com/influxdata/influxdb1-client/v2": "client", "github.com/influxdata/influxdb-client-go/v2": "influxdb2",
		"k8s.io/client-go/kubernetes/typed/core/v1": "v1", "github.com/eclipse/paho.mqtt.golang": "mqtt",
		"github.com/sijms/go-ora/v2": "go_ora", "github.com/soheilhy/cmux": "cmux", "github.com/twitchtv/twirp": "twirp",
		"goji.io": "goji", "github.com/prometheus-community/pro-bing": "probing", "cloud.google.com/go/secretmanager/apiv1": "secretmanager",
		"github.com/tavsec/gin-healthcheck": "gin_healthcheck", "github.com/etherlabsio/healthcheck": "healthcheck",
		"github.com/Financial-Times/go-fthealth/v1_1": "v1_1", "github.com/vearne/gin-timeout": "timeout",
		"github.com/denisenkom/go-mssqldb": "mssql", "github.com/microsoft/go-mssqldb": "mssql",
		"github.com/apache/cassandra-gocql-driver/v2": "gocql", "resty.dev/v3": "resty",
		"go.etcd.io/etcd/client/v3": "clientv3", "github.com/hashicorp/golang-lru/v2": "lru",
	}[at]; odd != "" {
		return odd
	}
	if i := strings.LastIndex(n, ".v"); i > 0 {
		n = n[:i]
	}
	n = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(n, "go-"), "-go"), ".go")
	return strings.NewReplacer("-", "", ".", "").Replace(n)
}

// real are the stubs that were taken from real modules.
var real map[string][]byte

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
