//go:build ignore

// Command gen turns data/*.yaml into the tables of generated_*.go. Run it with `go generate ./analyzer/knowledge`.
package main

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
)

func main() {
	data := flag.String("data", "data", "directory of the YAML files")
	out := flag.String("out", ".", "directory of the generated files")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(data, out string) error {
	k, err := read(data)
	if err != nil {
		return err
	}
	for name, src := range k.write() {
		formatted, err := format.Source([]byte(src))
		if err != nil {
			return fmt.Errorf("formatting %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(out, name), formatted, 0o644); err != nil {
			return err
		}
	}
	return nil
}
