// Command probelint finds health checks that lie: it joins Kubernetes probes with the Go handlers that answer them.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/probelint/probelint/internal/cli"
	"github.com/probelint/probelint/internal/pace"
)

func main() {
	pace.Keep()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(cli.Main(ctx, os.Args[1:], cli.OS()))
}
