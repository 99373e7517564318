package load

import (
	"os"
	"path/filepath"
	"testing"
)

func TestVersion(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": `module example.com/a

go 1.25

require (
	example.com/dep v1.2.0
	example.com/forked v1.0.0
	example.com/local v1.0.0
	example.com/gone v1.0.0
)

replace (
	example.com/forked => example.com/fork v1.9.0
	example.com/local => ./local
	example.com/gone => ../gone
)
`,
		"a.go": "package a\n", "local/go.mod": "module example.com/local\n", "local/l.go": "package local\n",
	} {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := loadDir(t, dir, &env{goroot: testGoroot(t), version: "go1.26.0"}, ".").ByPath["example.com/a"]
	for module, want := range map[string]string{
		"example.com/dep": "v1.2.0", "example.com/forked": "v1.9.0", "example.com/local": "", "example.com/gone": "",
		"example.com/other": "", "example.com/a": "",
	} {
		if got := p.Version(module); got != want {
			t.Errorf("%s: %q, want %q", module, got, want)
		}
	}
	if got := (&Package{}).Version("example.com/dep"); got != "" {
		t.Errorf("a package of no graph: %q", got)
	}
}
