// Package stubs holds type stubs: Go declarations without bodies that stand in for packages that are not on this machine.
//
// Whole stubs have the exported declarations of the real package and what those mention. Partial stubs were made from the
// signatures in the knowledge tables and know only those. gen.go writes the archive.
package stubs

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"strings"
	"sync"
)

//go:embed stubs.zip
var archive []byte

// The directories of the archive. An entry is DIRECTORY/IMPORT PATH/stub.go.
const (
	wholeDir = "whole/"
	partDir  = "part/"
	fileName = "/stub.go"
)

// entries indexes the archive, once.
var entries = sync.OnceValue(func() map[string]*zip.File {
	out := map[string]*zip.File{}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return out
	}
	for _, f := range r.File {
		out[f.Name] = f
	}
	return out
})

// Source is the stub of an import path, one Go file. whole is false where the stub knows only some declarations of the
// package; ok is false where there is no stub.
func Source(path string) (src []byte, whole, ok bool) {
	for _, dir := range []string{wholeDir, partDir} {
		f := entries()[dir+path+fileName]
		if f == nil {
			continue
		}
		r, err := f.Open()
		if err != nil {
			continue
		}
		src, err = io.ReadAll(r)
		r.Close()
		if err == nil {
			return src, dir == wholeDir, true
		}
	}
	return nil, false, false
}

// Paths are the import paths that have a stub, in no particular order.
func Paths() []string {
	var out []string
	for name := range entries() {
		_, p, _ := strings.Cut(strings.TrimSuffix(name, fileName), "/")
		out = append(out, p)
	}
	return out
}
