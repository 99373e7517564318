package vettool

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/probelint/probelint/rules"
)

func TestAsked(t *testing.T) {
	for args, want := range map[string]bool{
		"-flags": true, "-V=full": true, "-json /tmp/b001/vet.cfg": true, "/tmp/b001/vet.cfg": true,
		"": false, "check .": false, "check vet.cfg.yaml": false, "--config=vet.cfg": false, "-V=full check": false,
	} {
		if got := Asked(strings.Fields(args)); got != want {
			t.Errorf("%q: %v", args, got)
		}
	}
}

func TestHandshakes(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main(context.Background(), "/usr/bin/probevet", []string{"-flags"}, rules.All(), &out, &errs); code != 0 {
		t.Fatalf("-flags: exit %d %s", code, errs.String())
	}
	var flags []struct {
		Name string
		Bool bool
	}
	if err := json.Unmarshal(out.Bytes(), &flags); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range flags {
		seen[f.Name] = f.Bool
	}
	if !seen["json"] || seen["show"] {
		t.Errorf("flags: %v", flags)
	}
	out.Reset()
	Main(context.Background(), "/usr/bin/probevet", []string{"-V=full"}, rules.All(), &out, &errs)
	f := strings.Fields(out.String())
	if len(f) < 3 || f[0] != "probevet" || f[1] != "version" || f[2] == "devel" && !strings.HasPrefix(f[len(f)-1], "buildID=") {
		t.Errorf("-V=full: %q", out.String())
	}
}

// A package of a module cache or of the standard library is never opened.
func TestThirdPartyPackagesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	for _, u := range []unit{
		{ID: "example.com/lib", ImportPath: "example.com/lib", Dir: "/cache/example.com/lib@v1.2.3", ModulePath: "example.com/lib", ModuleVersion: "v1.2.3", GoFiles: []string{"/nowhere/lib.go"}},
		{ID: "fmt", ImportPath: "fmt", Dir: "/goroot/src/fmt", GoFiles: []string{"/nowhere/fmt.go"}},
	} {
		u.VetxOnly, u.VetxOutput = true, filepath.Join(dir, "out")
		data, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		cfg := filepath.Join(dir, "vet.cfg")
		if err := os.WriteFile(cfg, data, 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := Main(context.Background(), "probevet", []string{cfg}, rules.All(), &out, &errs); code != 0 || errs.Len() > 0 {
			t.Errorf("%s: exit %d %s", u.ID, code, errs.String())
		}
		if info, err := os.Stat(u.VetxOutput); err != nil || info.Size() > 64 {
			t.Errorf("%s: facts %v %v", u.ID, info, err)
		}
	}
}

func TestBrokenUnits(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"empty":         "",
		"no JSON":       "{",
		"no Go file":    `{"ImportPath":"a","ModulePath":"a"}`,
		"missing facts": `{"ImportPath":"a","ModulePath":"a","Dir":"/x","PackageVetx":{"b":"/nowhere"}}`,
		"missing file":  `{"ImportPath":"a","ModulePath":"a","Dir":"/x","GoFiles":["/nowhere/a.go"]}`,
	} {
		cfg := filepath.Join(dir, "vet.cfg")
		if err := os.WriteFile(cfg, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := Main(context.Background(), "probevet", []string{cfg}, rules.All(), &out, &errs)
		if faulty := name != "no Go file"; faulty != (code == 1 && errs.Len() > 0) {
			t.Errorf("%s: exit %d, %q", name, code, errs.String())
		}
	}
}
