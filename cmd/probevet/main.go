// Command probevet is the slim tool for go vet: go vet -vettool=$(which probevet) ./...
package main

import (
	"context"
	"os"

	"github.com/probelint/probelint/analyzer/vettool"
	"github.com/probelint/probelint/rules"
)

func main() {
	os.Exit(vettool.Main(context.Background(), os.Args[0], os.Args[1:], rules.All(), os.Stdout, os.Stderr))
}
