package load

import (
	"bytes"
	"go/build/constraint"
	"go/version"
	"strconv"
	"strings"
)

// Handlers run in Linux containers, whatever machine the analysis runs on.
const (
	targetOS   = "linux"
	targetArch = "amd64"
)

// The operating systems and architectures that a file name can end in (go/build, syslist.go).
var (
	knownOS = words("aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris " +
		"wasip1 windows zos")
	knownArch = words("386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 mips64le mips64p32 mips64p32le " +
		"mipsle ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm")
)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// tags decides build constraints.
type tags struct {
	user  map[string]bool // from GOFLAGS
	minor int             // of the Go version: release tags go1.1 to go1.minor hold
}

// newTags makes the tags for a Go version ("go1.26.8"); unknown versions count as current.
func newTags(goVersion string, user []string) *tags {
	t := &tags{user: map[string]bool{}, minor: 99}
	if m, ok := strings.CutPrefix(version.Lang(goVersion), "go1."); ok {
		if n, err := strconv.Atoi(m); err == nil {
			t.minor = n
		}
	}
	for _, u := range user {
		t.user[u] = true
	}
	return t
}

func (t *tags) holds(tag string) bool {
	switch tag {
	case targetOS, targetArch, "unix", "gc":
		return true
	case "cgo", "ignore":
		return false
	}
	if m, ok := strings.CutPrefix(tag, "go1."); ok {
		n, err := strconv.Atoi(m)
		return err == nil && n <= t.minor
	}
	return t.user[tag]
}

// isSource reports whether a file of that name is Go code of a package, on whatever system.
func isSource(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name[0] != '_' && name[0] != '.'
}

// matchName reports whether a file of that name belongs to a build for the target.
func matchName(name string) bool {
	if !isSource(name) {
		return false
	}
	stem := strings.TrimSuffix(name, ".go")
	i := strings.IndexByte(stem, '_')
	if i < 0 {
		return true
	}
	l := strings.Split(stem[i+1:], "_")
	n := len(l)
	if n >= 2 && knownOS[l[n-2]] && knownArch[l[n-1]] {
		return l[n-2] == targetOS && l[n-1] == targetArch
	}
	if knownOS[l[n-1]] {
		return l[n-1] == targetOS
	}
	return !knownArch[l[n-1]] || l[n-1] == targetArch
}

// match reports whether the constraints in a file's header hold, and whether they speak of cgo.
func (t *tags) match(src []byte) (ok, cgo bool) {
	expr := headerConstraint(src)
	if expr == nil {
		return true, false
	}
	return expr.Eval(func(tag string) bool {
		cgo = cgo || tag == "cgo"
		return t.holds(tag)
	}), cgo || mentions(expr, "cgo")
}

func mentions(x constraint.Expr, tag string) bool {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return x.Tag == tag
	case *constraint.NotExpr:
		return mentions(x.X, tag)
	case *constraint.AndExpr:
		return mentions(x.X, tag) || mentions(x.Y, tag)
	case *constraint.OrExpr:
		return mentions(x.X, tag) || mentions(x.Y, tag)
	}
	return false
}

// headerConstraint is the build constraint of a file, nil where there is none. A `//go:build` line wins over
// `// +build` lines, which count only when a blank line follows them.
func headerConstraint(src []byte) constraint.Expr {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	var plus, pending constraint.Expr
	for len(src) > 0 {
		end := lineEnd(src, 0)
		line, here := bytes.TrimSpace(src[:end]), src
		src = src[min(end+1, len(src)):]
		switch {
		case len(line) == 0:
			plus = pending
		case bytes.HasPrefix(line, []byte("//")):
			text := string(line)
			if constraint.IsGoBuild(text) {
				x, err := constraint.Parse(text)
				if err == nil {
					return x
				}
			} else if constraint.IsPlusBuild(text) {
				if x, err := constraint.Parse(text); err == nil {
					if pending != nil {
						x = &constraint.AndExpr{X: pending, Y: x}
					}
					pending = x
				}
			}
		case bytes.HasPrefix(line, []byte("/*")):
			src = here[commentEnd(here, bytes.Index(here, []byte("/*"))):]
		default:
			return plus
		}
	}
	return plus
}
