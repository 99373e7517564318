package load

import (
	"bytes"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// node is one package of the import graph. A dependency is read declaration by declaration, as far as something asks
// for them (demand); a first-party package is read whole.
type node struct {
	path   string
	dir    string
	std    bool
	graph  *graph // nil for the standard library
	mod    *module
	stub   []byte // source of the type stub that stands in for the package
	part   bool   // the stub knows only some declarations
	miss   *miss  // why there is no source
	missed *miss  // what miss would be without the stub
	first  *Package
	// idents and exprs are how many identifiers and other expressions a first-party package has.
	idents, exprs int
	selectOnce    sync.Once
	selected      map[string]bool

	nameOnce sync.Once
	name     string

	mu      sync.Mutex
	pending []string // names asked for and not yet handled
	asked   map[string]bool
	queued  bool

	// The rest belongs to the one worker that handles the node.
	files   []*depFile
	index   map[string][]*declRef // top-level names
	methods map[string][]*declRef // by name of the receiver's base type
	taken   []string              // type names that were taken
	sealed  map[string]bool       // unexported methods of interfaces: types keep theirs
	indexed bool

	deps  map[string]*node // by import path as written
	types *types.Package
}

// depFile is one file of a dependency.
type depFile struct {
	src     []byte
	outline *skimmed
	names   map[string]*node // imports by local name, built when needed
	dots    []*node
	used    map[string]*node // imports that taken declarations mention
	ident   *ast.Ident       // package clause
	kept    []keptDecl
}

type keptDecl struct {
	at   int
	decl ast.Decl
}

type declRef struct {
	file *depFile
	decl *decl
}

// all asks for every exported name.
const all = "*"

// demand asks a dependency for declarations.
func (l *loader) demand(n *node, names ...string) {
	if n == nil || n.first != nil || n.miss != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.asked == nil {
		n.asked = map[string]bool{}
	}
	for _, name := range names {
		if !n.asked[name] {
			n.asked[name] = true
			n.pending = append(n.pending, name)
		}
	}
	if len(n.pending) > 0 && !n.queued {
		n.queued = true
		l.work.push(n)
	}
}

// supply handles what was asked of a node until nothing is pending.
func (l *loader) supply(n *node) {
	l.readIndex(n)
	for {
		n.mu.Lock()
		names := n.pending
		n.pending = nil
		if len(names) == 0 {
			n.queued = false
			n.mu.Unlock()
			return
		}
		n.mu.Unlock()
		s := supplier{l: l, n: n, batch: map[*depFile][]*decl{}, remote: map[*node]map[string]bool{}}
		for _, name := range names {
			s.name(name)
		}
		s.run()
		for to, set := range s.remote {
			l.demand(to, slices.Sorted(keys(set))...)
		}
	}
}

func keys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// readIndex skims the files of a dependency.
func (l *loader) readIndex(n *node) {
	if n.indexed {
		return
	}
	n.indexed = true
	n.index = map[string][]*declRef{}
	n.methods = map[string][]*declRef{}
	n.sealed = map[string]bool{}
	for _, src := range l.sources(n) {
		f := &depFile{src: src, outline: skim(src), used: map[string]*node{}}
		if n.stub == nil && f.outline.name != n.pkgName(l) {
			continue
		}
		n.files = append(n.files, f)
		for _, d := range f.outline.decls {
			r := &declRef{f, d}
			if d.kind == kindMethod {
				n.methods[d.recv] = append(n.methods[d.recv], r)
				continue
			}
			for _, name := range d.names {
				if name != "_" && name != "init" {
					n.index[name] = append(n.index[name], r)
				}
			}
		}
	}
}

// sources are the files of a dependency that the build takes.
func (l *loader) sources(n *node) [][]byte {
	if n.stub != nil {
		return [][]byte{n.stub}
	}
	type file struct {
		src []byte
		c   bool
	}
	var files []file
	speaksCgo := false
	for _, name := range l.disk.goFiles(n.dir) {
		src, err := os.ReadFile(filepath.Join(n.dir, name))
		if err != nil {
			continue
		}
		ok, cgo := l.tags.match(src)
		speaksCgo = speaksCgo || cgo
		if ok {
			files = append(files, file{src, importsC(src)})
		}
	}
	var out [][]byte
	for _, f := range files {
		// Without cgo a file that imports "C" is left out, and a sibling with the tag !cgo takes its place. Where there
		// is no such sibling the file is all there is.
		if !f.c || !speaksCgo {
			out = append(out, f.src)
		}
	}
	return out
}

// importsC reports whether a file imports "C".
func importsC(src []byte) bool {
	if !bytes.Contains(src[:min(len(src), 1<<14)], []byte(`"C"`)) {
		return false
	}
	for _, im := range skim(src).imports {
		if im.path == "C" {
			return true
		}
	}
	return false
}

// pkgName is the name in the package clause of a dependency's files.
func (n *node) pkgName(l *loader) string {
	n.nameOnce.Do(func() {
		switch {
		case n.first != nil:
			n.name = n.first.Name
		case n.stub != nil:
			n.name = packageClause(n.stub)
		case n.miss != nil:
			n.name = guessName(n.path)
		default:
			for _, name := range l.disk.goFiles(n.dir) {
				src, err := os.ReadFile(filepath.Join(n.dir, name))
				if err != nil {
					continue
				}
				if ok, _ := l.tags.match(src); !ok {
					continue
				}
				if p := packageClause(src); p != "" && p != "documentation" && (p != "main" || n.name == "") {
					n.name = p
					if p != "main" {
						break
					}
				}
			}
			if n.name == "" {
				n.name = guessName(n.path)
			}
		}
	})
	return n.name
}

func packageClause(src []byte) string {
	s := &skimmer{src: src}
	s.next()
	if s.word() != "package" {
		return ""
	}
	s.next()
	return s.word()
}

// guessName is what a package is likely called by its import path.
func guessName(path string) string {
	elems := strings.Split(path, "/")
	name := elems[len(elems)-1]
	if len(elems) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = elems[len(elems)-2]
	}
	if i := strings.LastIndex(name, ".v"); i > 0 {
		name = name[:i]
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
	name = strings.TrimSuffix(name, ".go")
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' {
			return -1
		}
		return r
	}, name)
}
