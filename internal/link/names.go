package link

import (
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/probelint/probelint/internal/model"
)

// program is a main package with the names it goes by.
type program struct {
	*model.Program
	dir string // cleaned, "." for the root
	// moduleDir is the folder of its go.mod.
	moduleDir string
	// own are its names, most telling first: the folder of the main package, or the nearest folder above that is not a
	// filler such as `cmd`; for a main package at the module's root the module's name.
	own []string
	// module is the last element of the module path; repo the repository's name in it.
	module, repo string
	// helper: a tool of the repository (hack/, tools/, examples/) that no container is expected to run.
	helper bool
}

// fillers are folders that say nothing of the program in them.
var fillers = set("cmd cmds main src bin go pkg internal . root app apps service services")

// plain are names that many programs bear, so that they alone prove little.
var plain = set("server api app main service web worker controller manager operator agent backend frontend daemon run http grpc gateway proxy job cli client core")

var helperDirs = set("hack tool tools script scripts example examples sample samples test tests testdata e2e integration docs doc gen generator generate migrate migrations benchmark bench third_party vendor mage magefiles ci .github fuzz demo playground seed loadtest")

var versionSuffix = regexp.MustCompile(`^v[0-9]+$`)

func newProgram(p *model.Program) *program {
	q := &program{Program: p, dir: path.Clean(orDot(p.Dir))}
	q.moduleDir = q.dir
	inside := ""
	if p.Module != "" && p.Package != p.Module {
		inside = strings.TrimPrefix(p.Package, p.Module+"/")
		if inside == p.Package {
			inside = ""
		}
	}
	switch {
	case inside == "":
	case q.dir == inside:
		q.moduleDir = "."
	default:
		q.moduleDir = path.Clean(orDot(strings.TrimSuffix(strings.TrimSuffix(q.dir, inside), "/")))
	}
	q.module = lastName(p.Module)
	if parts := strings.Split(p.Module, "/"); len(parts) >= 3 && strings.Contains(parts[0], ".") {
		q.repo = parts[2]
	} else {
		q.repo = q.module
	}
	segs := strings.Split(inside, "/")
	if inside == "" {
		segs = nil
	}
	for i := len(segs) - 1; i >= 0 && len(q.own) < 3; i-- {
		s := segs[i]
		if helperDirs[s] {
			q.helper = true
		}
		if fillers[s] {
			continue
		}
		q.own = append(q.own, s)
		if !plain[s] {
			break
		}
	}
	for _, s := range segs {
		q.helper = q.helper || helperDirs[s]
	}
	if len(q.own) == 0 {
		q.own = append(q.own, q.module)
		if b := path.Base(q.moduleDir); b != "." && b != "/" && !fillers[b] && !sameName(b, q.module) {
			q.own = append(q.own, b)
		}
	}
	return q
}

// atRoot reports whether nothing but fillers lies between the module's root and the main package.
func (p *program) atRoot() bool { return len(p.own) > 0 && sameName(p.own[0], p.module) }

// label is how a program is named to people.
func (p *program) label() string { return Label(p.Program) }

// Label is how a program is named to people: its folder as an argument of the go command ("./cmd/api"), or at the root
// the name of the module.
func Label(p *model.Program) string {
	switch d := path.Clean(orDot(p.Dir)); {
	case d == ".":
		return lastName(p.Package)
	case strings.HasPrefix(d, "/") || strings.HasPrefix(d, ".."):
		return p.Package
	default:
		return "./" + d
	}
}

func lastName(importPath string) string {
	b := path.Base(importPath)
	if versionSuffix.MatchString(b) {
		b = path.Base(path.Dir(importPath))
	}
	if i := strings.LastIndex(b, ".v"); i > 0 {
		b = b[:i]
	}
	if b == "." || b == "/" {
		return ""
	}
	return b
}

func squash(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '-', '_', '.':
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// sameName compares names without case, dashes, dots and underscores.
func sameName(a, b string) bool {
	if a == "" || len(b) == 0 {
		return false
	}
	if a == b {
		return true
	}
	i, j := 0, 0
	for {
		for i < len(a) && (a[i] == '-' || a[i] == '_' || a[i] == '.') {
			i++
		}
		for j < len(b) && (b[j] == '-' || b[j] == '_' || b[j] == '.') {
			j++
		}
		if i == len(a) || j == len(b) {
			return i == len(a) && j == len(b)
		}
		if a[i] >= 0x80 || b[j] >= 0x80 {
			return squash(a[i:]) == squash(b[j:])
		}
		if lower(a[i]) != lower(b[j]) {
			return false
		}
		i, j = i+1, j+1
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// nearName reports whether one name is the other with an ornament: the repository or module before it, or a word such as
// service, server or go behind it.
func nearName(given, name string, prefixes ...string) bool {
	if name == "" || given == "" {
		return false
	}
	for _, p := range prefixes {
		if p == "" {
			continue
		}
		if g := cutName(given, p); g != "" && sameName(g, name) {
			return true
		}
	}
	g, n := squash(given), squash(name)
	for _, o := range ornaments {
		if len(g) == len(n)+len(o) && strings.HasPrefix(g, n) && strings.HasSuffix(g, o) ||
			len(n) == len(g)+len(o) && strings.HasPrefix(n, g) && strings.HasSuffix(n, o) {
			return true
		}
	}
	return false
}

var ornaments = []string{"service", "svc", "server", "api", "app", "go", "golang", "image", "deployment", "backend", "dev", "prod", "staging", "local"}

// cutName takes a prefix off a name, up to a dash or the like: cutName("cert-manager-controller", "cert-manager") is
// "controller".
func cutName(given, prefix string) string {
	for i := 0; i < len(given); i++ {
		if (given[i] == '-' || given[i] == '_' || given[i] == '.') && sameName(given[:i], prefix) {
			return given[i+1:]
		}
	}
	return ""
}

// endsInName reports whether a name ends in another after a dash, where that one is no plain word.
func endsInName(given, name string) bool {
	g, n := strings.ToLower(strings.ReplaceAll(given, "_", "-")), strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return n != "" && !plain[n] && strings.HasSuffix(g, "-"+n)
}

func inDir(file, dir string) bool {
	return dir == "." && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "../") || file == dir || strings.HasPrefix(file, dir+"/")
}
