package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// cost is what one run took. Memory is the peak of the resident set in bytes, pages of the program's own file included.
type cost struct {
	cpu, wall time.Duration
	memory    int64
}

type row struct {
	tool
	cost
	failed string // the last line that the tool wrote when it could not run
}

// compare runs the tools one after the other in each round, so that what else the machine does hits all alike.
func compare(ctx context.Context, tools []tool, c corpus, rounds int, progress io.Writer) ([]row, error) {
	costs := make([][]cost, len(tools))
	rows := make([]row, len(tools))
	for round := range rounds {
		for i, t := range tools {
			rows[i].tool = t
			if rows[i].failed != "" {
				continue
			}
			fmt.Fprintf(progress, "round %d of %d: %s on %d manifests\n", round+1, rounds, t.name, c.files)
			one, err := once(ctx, t, c)
			if ctx.Err() != nil {
				return nil, fmt.Errorf("measuring: %w", ctx.Err())
			}
			if err != nil {
				rows[i].failed = err.Error()
				continue
			}
			costs[i] = append(costs[i], one)
		}
	}
	for i := range rows {
		rows[i].cost = medianCost(costs[i])
	}
	return rows, nil
}

// once runs a tool once. Findings are no failure: what ends with another code than 0 counts when it wrote something.
func once(ctx context.Context, t tool, c corpus) (cost, error) {
	cmd := exec.CommandContext(ctx, t.bin, t.args(c)...)
	if t.stdin {
		f, err := os.Open(c.all)
		if err != nil {
			return cost{}, fmt.Errorf("opening the corpus: %w", err)
		}
		defer f.Close()
		cmd.Stdin = f
	}
	var out counter
	var complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || out == 0 && complaint.Len() < 1000) {
		return cost{}, fmt.Errorf("%w: %s", err, lastLine(complaint.String()))
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return cost{}, errors.New("this system does not say what a process took")
	}
	return cost{cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), wall, usage.Maxrss * maxrssUnit}, nil
}

// maxrssUnit is the unit of ru_maxrss: bytes on macOS, kilobytes elsewhere (getrusage(2)).
var maxrssUnit = map[bool]int64{true: 1, false: 1024}[runtime.GOOS == "darwin"]

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func medianCost(cs []cost) cost {
	if len(cs) == 0 {
		return cost{}
	}
	return cost{
		cpu:    median(cs, func(c cost) time.Duration { return c.cpu }),
		wall:   median(cs, func(c cost) time.Duration { return c.wall }),
		memory: median(cs, func(c cost) int64 { return c.memory }),
	}
}

// median is the middle value; of an even number of values the lower one of the middle.
func median[T time.Duration | int64](cs []cost, of func(cost) T) T {
	var vs []T
	for _, c := range cs {
		vs = append(vs, of(c))
	}
	slices.Sort(vs)
	return vs[(len(vs)-1)/2]
}

// printTable prints a Markdown table; ratios are to the first row.
func printTable(w io.Writer, rows []row) {
	tw := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| tool\t| CPU s\t| ratio\t| wall s\t| peak MiB\t| ratio\t| note\t|")
	fmt.Fprintln(tw, "|---\t|---:\t|---:\t|---:\t|---:\t|---:\t|---\t|")
	first := rows[0].cost
	for _, r := range rows {
		if r.failed != "" {
			fmt.Fprintf(tw, "| %s\t| -\t| -\t| -\t| -\t| -\t| did not run: %s\t|\n", r.name, r.failed)
			continue
		}
		fmt.Fprintf(tw, "| %s\t| %.2f\t| %.2f\t| %.2f\t| %.0f\t| %.2f\t| %s\t|\n", r.name, r.cpu.Seconds(), ratio(r.cpu, first.cpu),
			r.wall.Seconds(), float64(r.memory)/(1<<20), ratio(r.memory, first.memory), r.note)
	}
	tw.Flush()
}

func ratio[T time.Duration | int64](a, b T) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// machine names the processors and the Go version.
func machine() string {
	model := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, ok := strings.CutPrefix(line, "model name"); ok {
				model = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(name), ":"))
				break
			}
		}
	}
	return fmt.Sprintf("%s, %d processors, %s/%s, %s", model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}
