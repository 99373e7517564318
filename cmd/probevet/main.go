// Command probevet is the slim tool for go vet: go vet -vettool=$(which probevet) ./...
package main

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/probelint/probelint/analyzer/vettool"
	"github.com/probelint/probelint/rules"
)

func main() {
	// The go command runs as many of these side by side as there are processors: garbage may take less room than Go's own rule
	// lets it (on argo-cd, whose main package holds 330 MB at once, 500 MB at most instead of 700, for a third more CPU).
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(30)
	}
	os.Exit(vettool.Main(context.Background(), os.Args[0], os.Args[1:], rules.All(), os.Stdout, os.Stderr))
}
