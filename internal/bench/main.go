// Command bench measures whole processes: it writes corpora of manifests, runs probelint and every peer that it finds on
// them, one after the other in each round, and prints the medians of CPU time, wall time and peak memory with the ratio to
// probelint. CPU time is user and system time of the process and its children, as the kernel counts it. See
// docs/performance.md for what the rows mean.
//
//	go run ./internal/bench -bin bin/probelint -sizes 200,2000 -rounds 5 -peers ~/go/bin
//	go run ./internal/bench -bin bin/probelint -go 1000,10000 -rounds 3
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	bin, peers, keep string
	sizes, goSizes   []int
	rounds           int
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	var sizes, goSizes string
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.bin, "bin", "bin/probelint", "the probelint to measure")
	fs.StringVar(&o.peers, "peers", "", "directory with peers; empty: $PATH")
	fs.StringVar(&o.keep, "keep", "", "directory to write the corpora to and leave them in; empty: a temporary one")
	fs.StringVar(&sizes, "sizes", "200,2000,20000,100000", "numbers of manifests")
	fs.StringVar(&goSizes, "go", "", "numbers of Go files of modules on which probelint alone is measured, in place of manifests")
	fs.IntVar(&o.rounds, "rounds", 5, "runs of each tool on each corpus")
	if err := fs.Parse(args); err != nil {
		return o, fmt.Errorf("reading the arguments: %w", err)
	}
	if goSizes != "" {
		sizes = ""
	}
	var err error
	if o.sizes, err = numbers(sizes); err != nil {
		return o, fmt.Errorf("-sizes: %w of manifests", err)
	}
	if o.goSizes, err = numbers(goSizes); err != nil {
		return o, fmt.Errorf("-go: %w of files", err)
	}
	if o.rounds < 1 {
		return o, fmt.Errorf("-rounds: %d is not a number of runs", o.rounds)
	}
	bin, err := filepath.Abs(o.bin)
	if err != nil {
		return o, fmt.Errorf("finding %s: %w", o.bin, err)
	}
	o.bin = bin
	return o, nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		if list == "" {
			break
		}
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number", s)
		}
		out = append(out, n)
	}
	return out, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.bin); err != nil {
		return fmt.Errorf("finding probelint: %w; `make build` makes it", err)
	}
	base := o.keep
	if base == "" {
		if base, err = os.MkdirTemp("", "probelint-bench-"); err != nil {
			return fmt.Errorf("making a folder for the corpora: %w", err)
		}
		defer os.RemoveAll(base)
	}
	fmt.Fprintf(stdout, "machine: %s\n", machine())
	if len(o.goSizes) > 0 {
		return growth(ctx, o, base, stdout, stderr)
	}
	tools, absent := findTools(o.bin, o.peers)
	if len(absent) > 0 {
		fmt.Fprintf(stdout, "not installed: %s\n", strings.Join(absent, ", "))
	}
	for _, n := range o.sizes {
		c, err := writeCorpus(filepath.Join(base, strconv.Itoa(n)), n)
		if err != nil {
			return err
		}
		rows, err := compare(ctx, tools, c, o.rounds, stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "\n%d manifests, %d documents, %.1f MB, %d rounds\n\n", n, c.documents, float64(c.bytes)/1e6, o.rounds)
		printTable(stdout, rows)
	}
	return nil
}
