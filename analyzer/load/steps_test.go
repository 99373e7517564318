package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

func TestNoMod(t *testing.T) {
	r := loadArchive(t, "nomod")
	wantPackages(t, r, "github.com/me/svc/internal/health", "github.com/me/svc")
	wantLimit(t, r, "resolved within the analysed directory alone", "no go.mod")
	wantLimit(t, r, "github.com/other/thing are unknown", "no module of go.mod provides it")
	if r.Calls-r.TypedCalls != 1 {
		t.Errorf("%d of %d calls typed", r.TypedCalls, r.Calls)
	}
}

func TestOldMod(t *testing.T) {
	r := loadArchive(t, "oldmod")
	wantClean(t, r)
}

func TestNewerGo(t *testing.T) {
	r := loadArchive(t, "newer")
	wantPackages(t, r, "example.com/app")
	if r.Packages[0].IllTyped {
		t.Error(r.Packages[0].Errors)
	}
	wantLimit(t, r, "go.mod was read in part", "frobnicate")
	if r.Calls != r.TypedCalls {
		t.Errorf("%d of %d calls typed", r.TypedCalls, r.Calls)
	}
}

func TestPartialStubName(t *testing.T) {
	r := loadArchive(t, "rename")
	if r.Packages[0].IllTyped || r.Calls != r.TypedCalls {
		t.Errorf("%d of %d calls typed: %v", r.TypedCalls, r.Calls, r.Packages[0].Errors)
	}
}

func TestFuture(t *testing.T) {
	r := loadArchive(t, "future")
	wantLimit(t, r, "example.com/app was read with the standard library of go1.26.0", "its go.mod or go.work asks for go1.99")
}

// Each step down is told even where all calls are typed in spite of it.
func TestSteps(t *testing.T) {
	const plain = "package main\n\nfunc main() {}\n"
	for _, c := range []struct {
		name, archive, what, because string
		minor                        bool
	}{
		{"go line", "-- go.mod --\nmodule m\n\ngo 1.99\n-- main.go --\n" + plain, "m was read with the standard library of go1.26.0", "asks for go1.99", false},
		{"toolchain", "-- go.mod --\nmodule m\n\ngo 1.22\n\ntoolchain go1.99.1\n-- main.go --\n" + plain, "m was read with the standard library of go1.26.0", "asks for go1.99.1", false},
		{"go.work", "-- go.work --\ngo 1.99\n\nuse .\n-- go.mod --\nmodule m\n\ngo 1.22\n-- main.go --\n" + plain, "m was read with", "go.work asks for go1.99", false},
		{"absent module", "-- go.work --\ngo 1.22\n\nuse ./nosuch\n-- go.mod --\nmodule m\n-- main.go --\n" + plain, "go.work uses ./nosuch", "no such folder", false},
		{"folder without a module", "-- go.work --\ngo 1.22\n\nuse (\n\t.\n\t./docs\n)\n-- go.mod --\nmodule m\n-- main.go --\n" + plain + "-- docs/a.txt --\na\n", "go.work uses ./docs", "no go.mod in it", false},
		{"build tag", "-- go.mod --\nmodule m\n-- main.go --\n//go:build special\n\n" + plain, "the Go code in the analysed directory", "each file is for another build: main.go has //go:build special; GOFLAGS=-tags=TAG reads it", false},
		{"file name", "-- go.mod --\nmodule m\n-- cmd/main_windows.go --\n" + plain, "the Go code in cmd", "another build: main_windows.go", false},
		{"one package of two", "-- go.mod --\nmodule m\n-- main.go --\n" + plain + "-- gen/gen.go --\n//go:build ignore\n\n" + plain, "the Go code in gen", "gen.go has //go:build ignore", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range txtar.Parse([]byte(c.archive)).Files {
				name := filepath.Join(dir, filepath.FromSlash(f.Name))
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, f.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r := loadDir(t, dir, &env{goroot: testGoroot(t), version: "go1.26.0"}, ".")
			wantLimit(t, r, c.what, c.because)
			if len(r.Limits) != 1 || r.Limits[0].Minor != c.minor {
				t.Errorf("limits %+v", r.Limits)
			}
		})
	}
	// Neither an older Go nor a patch release of the same one is a step down.
	r := loadDir(t, extract(t, "normal"), &env{goroot: testGoroot(t), version: "go1.26.0"}, ".")
	for _, l := range r.Limits {
		if strings.Contains(l.What, "standard library") {
			t.Errorf("limit %+v", l)
		}
	}
}

func TestNoGoroot(t *testing.T) {
	dir := extract(t, "normal")
	r := loadDir(t, dir, &env{modcache: filepath.Join(dir, "modcache")}, ".")
	wantLimit(t, r, "standard library is known from built-in type stubs only", "no Go installation")
	if r.Calls != r.TypedCalls {
		t.Errorf("%d of %d calls typed", r.TypedCalls, r.Calls)
		for _, p := range r.Packages {
			t.Log(p.Errors)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := extract(t, "normal")
	if _, err := Load(ctx, Options{Dirs: []string{dir}, env: &env{goroot: testGoroot(t)}}); err == nil {
		t.Error("no error from a cancelled load")
	}
}
