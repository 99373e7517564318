package load

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatchName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.go": true, "a_test.go": false, "_a.go": false, ".a.go": false, "a.txt": false,
		"a_linux.go": true, "a_windows.go": false, "a_amd64.go": true, "a_arm64.go": false,
		"a_linux_amd64.go": true, "a_linux_arm64.go": false, "a_darwin_amd64.go": false,
		"linux.go": true, "windows.go": true, "a_unix.go": true, "a_js.go": false, "a_linux_x.go": true,
	} {
		if got := matchName(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMatch(t *testing.T) {
	tags := newTags("go1.26.1", []string{"custom"})
	for src, want := range map[string]bool{
		"package p":                                                         true,
		"//go:build linux\n\npackage p":                                     true,
		"//go:build !linux\n\npackage p":                                    false,
		"// Copyright\n\n//go:build ignore\n\npackage p":                    false,
		"/* Copyright\n*/\n\n//go:build windows\n\npackage p":               false,
		"/* a */ /* b */\n//go:build windows\npackage p":                    false,
		"/* unterminated\n//go:build windows\npackage p":                    true,
		"//go:build go1.26 && !go1.27\npackage p":                           true,
		"//go:build cgo\npackage p":                                         false,
		"//go:build unix && gc && custom\npackage p":                        true,
		"// +build windows\n\npackage p":                                    false,
		"// +build windows\npackage p":                                      true, // no blank line: a comment
		"// +build linux\n// +build arm64\n\npackage p":                     false,
		"//go:build linux\n// +build windows\n\npackage p":                  true,
		"package p\n\n//go:build windows\n":                                 true, // too late
		"\xef\xbb\xbf//go:build windows\n\npackage p":                       false,
		"//go:build linux &&\n\npackage p":                                  true, // wrong: no constraint
		"//go:build appengine || purego || (!amd64 && !arm64)\n\npackage p": false,
	} {
		if got, _ := tags.match([]byte(src)); got != want {
			t.Errorf("%q: %v", src, got)
		}
	}
	if _, cgo := tags.match([]byte("//go:build linux || !cgo\npackage p")); !cgo {
		t.Error("cgo is mentioned")
	}
}

// TestMatchAgainstGoBuild compares the choice of files with that of go/build over the standard library.
func TestMatchAgainstGoBuild(t *testing.T) {
	root := testGoroot(t)
	ctx := build.Context{GOOS: targetOS, GOARCH: targetArch, GOROOT: root, Compiler: "gc", ReleaseTags: build.Default.ReleaseTags}
	tags := newTags("go1."+strings.TrimPrefix(ctx.ReleaseTags[len(ctx.ReleaseTags)-1], "go1."), nil)
	n := 0
	for _, top := range []string{"net", "os", "runtime", "syscall", "crypto", "internal", "cmd/vendor"} {
		err := filepath.WalkDir(filepath.Join(root, "src", top), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
				return err
			}
			want, err := ctx.MatchFile(filepath.Dir(p), d.Name())
			if err != nil {
				return nil // testdata that is not Go
			}
			src, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			got := matchName(d.Name())
			if got {
				got, _ = tags.match(src)
			}
			if n++; got != want {
				t.Errorf("%s: %v, go/build says %v", p, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 2000 {
		t.Errorf("only %d files compared", n)
	}
}
