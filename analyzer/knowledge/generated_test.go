package knowledge

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "gen.go", "gen_read.go", "gen_tables.go", "gen_write.go", "-out", out)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the generator: %v\n%s", err, msg)
	}
	want, err := filepath.Glob(filepath.Join(out, "generated_*.go"))
	if err != nil || len(want) == 0 {
		t.Fatalf("the generator wrote nothing (%v)", err)
	}
	var names []string
	for _, path := range want {
		names = append(names, filepath.Base(path))
		fresh, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		have, _ := os.ReadFile(filepath.Base(path))
		if !bytes.Equal(fresh, have) {
			t.Errorf("%s is stale: run `go generate ./analyzer/knowledge`", filepath.Base(path))
		}
	}
	have, _ := filepath.Glob("generated_*.go")
	for _, h := range have {
		if h != "generated_test.go" && !slices.Contains(names, h) {
			t.Errorf("%s is no longer generated: delete it", h)
		}
	}
}

// An entry in data is all that a further router or health library needs: the generator turns it into the rows that the lookups
// read, and TestAddedRouterAndHealthLibrary of package endpoint shows that rows are all that the engine asks for.
func TestAnEntryBecomesRows(t *testing.T) {
	data, out := t.TempDir(), t.TempDir()
	if err := os.CopyFS(data, os.DirFS("data")); err != nil {
		t.Fatal(err)
	}
	for name, entry := range map[string]string{
		"routers.yaml": `
- id: tinymux
  kind: router
  display: Tiny Mux
  syntax: colon
  packages:
  - paths:
    - {path: example.com/tinymux, verified_with: v1.0.0}
    symbols:
    - {recv: Mux, name: On, role: register, method: 0, pattern: 1, handler: 2, sig: '(method string, path string, h func(*Ctx))'}
`, "health_libraries.yaml": `
- id: pulse
  paths: {liveness: /up}
  timeout_seconds: 4
  timeout_scope: check
  packages:
  - paths:
    - {path: example.com/pulse, verified_with: v1.0.0}
    symbols:
    - {recv: Pulse, name: Add, role: readiness, check: 1, sig: '(name string, check func(context.Context) error)'}
`,
	} {
		f, err := os.OpenFile(filepath.Join(data, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(entry); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "gen.go", "gen_read.go", "gen_tables.go", "gen_write.go", "-data", data, "-out", out)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the generator: %v\n%s", err, msg)
	}
	for name, rows := range map[string][]string{
		"generated_routers.go": {`{"example.com/tinymux", "Mux", "On", "tinymux", "register", 1, 2, -1, 0,`, `{"tinymux", "Tiny Mux", "colon",`},
		"generated_health.go":  {`{"example.com/pulse", "Pulse", "Add", "pulse", "readiness", "", NoEffect, 1,`, `{"pulse", "/up", "", "", "", "", 4, "check",`},
	} {
		src, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if !bytes.Contains(src, []byte(row)) {
				t.Errorf("%s has no row %s", name, row)
			}
		}
	}
}

// The generator sorts and indexes on its own, because it cannot import what it writes. The index must be the one that With
// would build.
func TestGeneratedIndexIsTheOneOfWith(t *testing.T) {
	again := (*Base)(nil).With(Default().Tables)
	if !reflect.DeepEqual(again.packages, generatedPackages) {
		t.Error("the generated packages differ from those that With builds")
	}
	if !reflect.DeepEqual(again.variants, generatedVariants) {
		t.Error("the generated variants differ from those that With builds")
	}
	for name, same := range map[string]bool{
		"calls": reflect.DeepEqual(again.Calls, generatedCalls), "clients": reflect.DeepEqual(again.Clients, generatedClients),
		"drivers": reflect.DeepEqual(again.Drivers, generatedDrivers), "routes": reflect.DeepEqual(again.Routes, generatedRoutes),
		"routers": reflect.DeepEqual(again.Routers, generatedRouters), "checks": reflect.DeepEqual(again.Checks, generatedChecks),
		"libraries": reflect.DeepEqual(again.Libraries, generatedLibraries), "wrappers": reflect.DeepEqual(again.Wrappers, generatedWrappers),
		"settings": reflect.DeepEqual(again.tables.Settings, generatedSettings), "symbols": reflect.DeepEqual(again.tables.Symbols, generatedSymbols),
		"paths": reflect.DeepEqual(again.Paths, generatedPaths),
	} {
		if !same {
			t.Errorf("the generated %s are not in the order that lookups need", name)
		}
	}
	if n := max(len(generatedCalls), len(generatedRoutes), len(generatedPackages)); n > 1<<16-1 {
		t.Errorf("%d rows do not fit the 16 bits of the index", n)
	}
}
