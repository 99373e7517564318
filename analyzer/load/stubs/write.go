//go:build ignore

package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"
)

func write(name string, files map[string][]byte) error {
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	total := 0
	for _, p := range paths {
		f, err := w.CreateHeader(&zip.FileHeader{Name: p, Method: zip.Deflate})
		if err != nil {
			return err
		}
		f.Write(files[p])
		total += len(files[p])
		if os.Getenv("STUB_SIZES") != "" {
			fmt.Println(len(files[p]), p)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	log.Printf("%d stubs, %d bytes of Go, %d bytes", len(paths), total, buf.Len())
	return os.WriteFile(name, buf.Bytes(), 0o644)
}

func std(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}
