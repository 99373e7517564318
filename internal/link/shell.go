package link

import (
	"path"
	"strings"
)

// commands splits words at the operators ; & | and at the words of a shell's flow, and drops assignments at the front.
func commands(words []string) [][]string {
	var out [][]string
	var cur []string
	flush := func() {
		for len(cur) > 0 && (isAssignment(cur[0]) || shellFlow[cur[0]]) {
			cur = cur[1:]
		}
		if len(cur) > 0 {
			out = append(out, cur)
		}
		cur = nil
	}
	for _, w := range words {
		if w == ";" || w == "&" || w == "|" {
			flush()
			continue
		}
		cur = append(cur, w)
	}
	flush()
	return out
}

var shellFlow = map[string]bool{
	"then": true, "do": true, "else": true, "if": true, "{": true, "(": true, "!": true,
	"time": true, "exec": true, "set": true, "env": true, "sudo": true, "while": true,
}

func isAssignment(w string) bool {
	i := strings.IndexByte(w, '=')
	if i <= 0 {
		return false
	}
	for j, r := range w[:i] {
		if r != '_' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (j == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return true
}

// builtPackage is one package of a go build command line.
type builtPackage struct {
	pkg, out, chdir string
	importPath      bool
}

// valueFlags are the flags of go build that take the next word (`go help build`).
var valueFlags = map[string]bool{
	"-o": true, "-ldflags": true, "-tags": true, "-gcflags": true, "-asmflags": true, "-mod": true,
	"-modfile": true, "-p": true, "-C": true, "-buildmode": true, "-pkgdir": true, "-installsuffix": true, "-overlay": true,
	"-toolexec": true, "-compiler": true, "-gccgoflags": true, "-pgo": true, "-coverpkg": true, "-covermode": true,
}

// goBuilds reads `go build [flags] [packages]` and `go install` in one simple command, wherever it begins (a wrapper such
// as `xx-go` or `time` may stand before it). `./...` stands for packages that are not named, so it gives none.
func goBuilds(cmd []string) []builtPackage {
	start := -1
	for i := 0; i+1 < len(cmd); i++ {
		tool := path.Base(strings.TrimLeft(cmd[i], "@-("))
		if (tool == "go" || tool == "xx-go" || tool == "garble") && (cmd[i+1] == "build" || cmd[i+1] == "install") {
			start = i + 2
			break
		}
	}
	if start < 0 {
		return nil
	}
	out, chdir := "", ""
	var pkgs []string
	for i := start; i < len(cmd); i++ {
		w := cmd[i]
		if strings.HasPrefix(w, ">") || strings.HasPrefix(w, "2>") || w == ")" || w == "\\" {
			break
		}
		if !strings.HasPrefix(w, "-") {
			if w != "" && w != anything { // a variable of flags that is not known
				pkgs = append(pkgs, strings.TrimSuffix(w, ")"))
			}
			continue
		}
		name, value, has := strings.Cut(w, "=")
		name = "-" + strings.TrimLeft(name, "-")
		if !has && valueFlags[name] && i+1 < len(cmd) {
			i++
			value = cmd[i]
		}
		switch name {
		case "-o":
			out = value
		case "-C":
			chdir = value
		}
	}
	if len(pkgs) == 0 {
		pkgs = []string{"."}
	}
	var all []builtPackage
	seen := map[string]bool{}
	for _, p := range pkgs {
		b := builtPackage{pkg: p, out: out, chdir: chdir}
		p, _, _ = strings.Cut(p, "@")
		switch {
		case strings.HasSuffix(p, "/...") || p == "...":
			continue
		case strings.HasSuffix(p, ".go"):
			b.pkg = path.Dir(p)
		case !strings.HasPrefix(p, ".") && !strings.HasPrefix(p, "/") && strings.Contains(first(p), "."):
			b.pkg, b.importPath = p, true
		}
		if !seen[b.pkg] {
			seen[b.pkg] = true
			all = append(all, b)
		}
	}
	return all
}

func first(p string) string {
	s, _, _ := strings.Cut(p, "/")
	return s
}

// globName matches a name against one that may hold `anything`.
func globName(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}
