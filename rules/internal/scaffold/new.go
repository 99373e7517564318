//go:build ignore

// Command new makes the folder of a new rule: go run rules/internal/scaffold/new.go NAME, from the root of the repository.
package main

import (
	"fmt"
	"os"

	"github.com/probelint/probelint/rules/internal/scaffold"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make rule NAME=probe-does-something")
		os.Exit(2)
	}
	folder, err := scaffold.Write("rules", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "new rule:", err)
		os.Exit(2)
	}
	fmt.Printf("%s: write the example in doc.md and the archives in testdata, then rule.go until `go test ./rules/...` passes\n", folder)
}
