package scaffold

import (
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest"
)

const name = "probe-does-something"

// The folder compiles as a part of this module, with its test.
func TestScaffoldCompiles(t *testing.T) {
	files, err := Files(name)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	dir := t.TempDir()
	for file, data := range files {
		if strings.HasSuffix(file, ".go") {
			if formatted, err := format.Source(data); err != nil || string(formatted) != string(data) {
				t.Errorf("%s is not formatted (%v):\n%s", file, err, data)
			}
		}
		at := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(at, data, 0o644); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, "rules", name, filepath.FromSlash(file))] = at
	}
	list := filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(list, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-overlay", list, "-o", filepath.Join(dir, "rule.test"), "./rules/"+name)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

func TestScaffoldKeepsTheStyle(t *testing.T) {
	files, err := Files(name)
	if err != nil {
		t.Fatal(err)
	}
	r := &lint.Rule{Name: name, Level: lint.Info, Sees: []lint.Sees{lint.Manifest}, Doc: string(files["doc.md"]), Check: func(*lint.Pass) {}}
	for _, fault := range linttest.Style(r) {
		t.Error(fault)
	}
	if _, ok := files["probedoessomething_test.go"]; !ok {
		t.Errorf("no test among the files")
	}
}

func TestNamesAreChecked(t *testing.T) {
	for _, bad := range []string{"", "Probe-x", "probe", "probe_x", "-probe", "../up-dir", "9-lives", "probe-" + strings.Repeat("x", 40)} {
		if _, err := Files(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestWriteLeavesARuleAlone(t *testing.T) {
	dir := t.TempDir()
	folder, err := Write(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"rule.go", "doc.md", "testdata/bad.txtar", "testdata/good.txtar"} {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(file))); err != nil {
			t.Error(err)
		}
	}
	if _, err := Write(dir, name); err == nil {
		t.Error("a rule that exists is written over")
	}
}
