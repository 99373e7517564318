//go:build ignore

// Resynth renews in stubs.zip the stubs of the import paths given, which are made from the knowledge tables alone: the modules of
// roots.txt are not needed for that.
//
//	go run resynth.go gen_kb.go gen_names.go write.go github.com/sethvargo/go-retry
package main

import (
	"archive/zip"
	"io"
	"log"
	"os"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	const out = "stubs.zip"
	z, err := zip.OpenReader(out)
	if err != nil {
		log.Fatal(err)
	}
	all, have := map[string][]byte{}, map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			log.Fatal(err)
		}
		src, err := io.ReadAll(r)
		if err != nil {
			log.Fatal(err)
		}
		r.Close()
		_, at, _ := strings.Cut(f.Name, "/")
		at = strings.TrimSuffix(at, "/stub.go")
		if slices.Contains(os.Args[1:], at) {
			continue
		}
		all[f.Name], have[at] = src, src
	}
	z.Close()
	for at, src := range synthesise("../../knowledge/data", have) {
		if slices.Contains(os.Args[1:], at) {
			all["part/"+at+"/stub.go"] = src
		}
	}
	if err := write(out, all); err != nil {
		log.Fatal(err)
	}
}
