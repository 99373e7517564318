// Command check compares the benchmarks beside the code with those of another commit, in one run: it builds the tests of both
// trees, runs them by turns, so that what else the machine does hits both alike, and has benchstat judge. It fails where a
// loss above 10 % is significant.
//
//	go run ./internal/bench/check -base origin/main -rounds 8
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// benchstat is the version that judges.
const benchstat = "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench-check: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	base, packages, filter, units string
	rounds                        int
	time                          string
	most                          float64
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o options
	fs := flag.NewFlagSet("check", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.base, "base", "origin/main", "the commit to compare with; of a branch, where this one left it")
	fs.StringVar(&o.packages, "packages", "./internal/manifest,./internal/kubelet,./internal/link,./internal/engine,./internal/policy,./internal/report/formats",
		"packages, separated by commas")
	fs.StringVar(&o.filter, "bench", ".", "which benchmarks, as go test has it")
	fs.StringVar(&o.units, "units", "sec/op,B/op,allocs/op", "what counts, separated by commas")
	fs.IntVar(&o.rounds, "rounds", 8, "runs of each; fewer than 6 are not significant")
	fs.StringVar(&o.time, "time", "300ms", "how long each benchmark runs, as go test has it")
	fs.Float64Var(&o.most, "most", 10, "the greatest loss in percent that passes")
	if err := fs.Parse(args); err != nil {
		return fmt.Errorf("reading the arguments: %w", err)
	}
	tmp, err := os.MkdirTemp("", "probelint-bench-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(tmp)
	old, now := filepath.Join(tmp, "old.txt"), filepath.Join(tmp, "new.txt")
	if err := measure(ctx, o, tmp, old, now, stderr); err != nil {
		return err
	}
	text, err := output(ctx, stderr, ".", "go", "run", benchstat, "old="+old, "new="+now)
	if err != nil {
		return err
	}
	_, _ = stdout.Write(text)
	table, err := output(ctx, io.Discard, ".", "go", "run", benchstat, "-format", "csv", "old="+old, "new="+now)
	if err != nil {
		return err
	}
	losses, compared, err := lossesOf(table, strings.Split(o.units, ","), o.most)
	switch {
	case err != nil:
		return err
	case compared == 0:
		return errors.New("nothing was compared: the two trees have no benchmark in common")
	case len(losses) > 0:
		return fmt.Errorf("worse by more than %g %% than %s:\n  %s", o.most, o.base, strings.Join(losses, "\n  "))
	}
	fmt.Fprintf(stdout, "no loss above %g %% in %d comparisons with %s\n", o.most, compared, o.base)
	return nil
}

// measure builds both trees and runs their benchmarks by turns.
func measure(ctx context.Context, o options, tmp, old, now string, stderr io.Writer) error {
	commit, err := output(ctx, stderr, ".", "git", "merge-base", "HEAD", o.base)
	if err != nil {
		return err
	}
	tree := filepath.Join(tmp, "base")
	if _, err := output(ctx, stderr, ".", "git", "worktree", "add", "--detach", tree, strings.TrimSpace(string(commit))); err != nil {
		return err
	}
	defer func() {
		_ = exec.CommandContext(context.WithoutCancel(ctx), "git", "worktree", "remove", "--force", tree).Run()
	}()
	type program struct{ dir, file, to string }
	var programs []program
	for i, pkg := range strings.Split(o.packages, ",") {
		for _, side := range []struct{ root, to string }{{tree, old}, {".", now}} {
			dir := filepath.Join(side.root, filepath.FromSlash(pkg))
			if _, err := os.Stat(dir); err != nil {
				continue // not there yet
			}
			file := filepath.Join(tmp, fmt.Sprintf("%d-%s.test", i, filepath.Base(side.to)))
			fmt.Fprintf(stderr, "building the benchmarks of %s\n", dir)
			if _, err := output(ctx, stderr, side.root, "go", "test", "-c", "-o", file, pkg); err != nil {
				return err
			}
			programs = append(programs, program{dir, file, side.to})
		}
	}
	for round := range o.rounds {
		fmt.Fprintf(stderr, "round %d of %d\n", round+1, o.rounds)
		for _, p := range programs {
			if _, err := os.Stat(p.file); err != nil {
				continue // a package without tests
			}
			out, err := output(ctx, stderr, p.dir, p.file, "-test.run=^$", "-test.bench="+o.filter, "-test.benchmem", "-test.benchtime="+o.time)
			if err != nil {
				return err
			}
			if err := appendTo(p.to, out); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendTo(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keeping the figures: %w", err)
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("keeping the figures: %w", err)
	}
	return nil
}

func output(ctx context.Context, stderr io.Writer, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("running %s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return out, nil
}

// lossesOf reads benchstat's table: per unit a header whose second cell names it, then a row a benchmark, whose sixth cell is
// the difference where it is significant and ~ where it is not.
func lossesOf(table []byte, units []string, most float64) (losses []string, compared int, err error) {
	r := csv.NewReader(bytes.NewReader(table))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, 0, fmt.Errorf("reading what benchstat says: %w", err)
	}
	unit := ""
	for _, row := range rows {
		switch {
		case len(row) < 6 || row[0] == "geomean":
			continue
		case row[0] == "" && row[5] == "vs base":
			unit = row[1]
			continue
		case row[0] == "" || row[1] == "" || row[3] == "":
			continue // in one of the trees alone
		}
		if !slices.Contains(units, unit) {
			continue
		}
		compared++
		difference, isLoss := strings.CutPrefix(row[5], "+")
		percent, err := strconv.ParseFloat(strings.TrimSuffix(difference, "%"), 64)
		if row[5] == "?" || isLoss && (err != nil || percent > most) { // ? from nothing to something
			losses = append(losses, fmt.Sprintf("%s: %s %s", row[0], row[5], unit))
		}
	}
	return losses, compared, nil
}
