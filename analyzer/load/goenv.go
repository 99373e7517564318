package load

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// env is where Go keeps its things on this machine.
type env struct {
	goroot   string // "" where no Go installation was found
	modcache string
	version  string // of the installation: "go1.26.8"
	tags     []string
	mod      string // -mod of GOFLAGS
	work     string // GOWORK: "off", a file, or "" to look for one
}

// findEnv looks for the Go installation: GOROOT, then the directory of the `go` command, then what `go env` says, which
// is the only subprocess of a load and runs only where a version manager hides the installation behind a script.
func findEnv(ctx context.Context) *env {
	get := goSettings()
	e := &env{work: get("GOWORK")}
	for _, dir := range []string{get("GOROOT"), besideCommand()} {
		if e.useRoot(dir) {
			break
		}
	}
	if e.goroot == "" {
		e.useRoot(askGo(ctx, "GOROOT"))
	}
	if e.goroot == "" {
		for _, dir := range []string{"/usr/local/go", "/usr/lib/go", "/usr/lib/golang"} {
			if e.useRoot(dir) {
				break
			}
		}
	}
	e.modcache = get("GOMODCACHE")
	if e.modcache == "" {
		path := get("GOPATH")
		if path == "" {
			if home, err := os.UserHomeDir(); err == nil {
				path = filepath.Join(home, "go")
			}
		}
		if l := filepath.SplitList(path); len(l) > 0 {
			e.modcache = filepath.Join(l[0], "pkg", "mod")
		}
	}
	e.flags(get("GOFLAGS"))
	return e
}

// useRoot takes dir as GOROOT if it holds the sources of the standard library.
func (e *env) useRoot(dir string) bool {
	if dir == "" {
		return false
	}
	if _, err := os.Stat(filepath.Join(dir, "src", "fmt", "print.go")); err != nil {
		return false
	}
	e.goroot = dir
	if b, err := os.ReadFile(filepath.Join(dir, "VERSION")); err == nil {
		e.version, _, _ = strings.Cut(strings.TrimSpace(string(b)), "\n")
	}
	return true
}

func (e *env) flags(flags string) {
	for _, f := range strings.Fields(flags) {
		f = strings.TrimPrefix(strings.TrimPrefix(f, "-"), "-")
		switch k, v, _ := strings.Cut(f, "="); k {
		case "tags":
			e.tags = append(e.tags, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
		case "mod":
			e.mod = v
		}
	}
}

// goSettings looks a setting up as the go command does: the environment, then the user's `go env -w` file.
func goSettings() func(string) string {
	file := map[string]string{}
	name := os.Getenv("GOENV")
	if name == "" {
		if dir, err := os.UserConfigDir(); err == nil {
			name = filepath.Join(dir, "go", "env")
		}
	}
	if name != "off" && name != "" {
		if f, err := os.Open(name); err == nil {
			for s := bufio.NewScanner(f); s.Scan(); {
				if k, v, ok := strings.Cut(strings.TrimSpace(s.Text()), "="); ok {
					file[k] = v
				}
			}
			f.Close()
		}
	}
	return func(key string) string {
		if v := os.Getenv(key); v != "" {
			return v
		}
		return file[key]
	}
}

// besideCommand is the GOROOT of a `go` command that lies in its bin directory.
func besideCommand() string {
	p, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	if p, err = filepath.EvalSymlinks(p); err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(p))
}

func askGo(ctx context.Context, key string) string {
	if _, err := exec.LookPath("go"); err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "env", key)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
