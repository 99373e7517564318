// Package cli is the command line: arguments, streams and environment in, an exit code out. Nothing below it prints, and
// nothing imports it but main.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/probelint/probelint/analyzer/vettool"
	"github.com/probelint/probelint/rules"
)

// The exit codes (DESIGN.md, "Command line"), the same for every format.
const (
	exitClean     = 0
	exitFindings  = 1
	exitFailed    = 2   // the run proves nothing
	exitInterrupt = 130 // Ctrl-C
)

// System is what a command touches of the process.
type System struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	// Dir is the absolute working directory.
	Dir string
	// Now is the time of the run, which the `until=` of suppressions is compared with.
	Now time.Time
}

// OS is the System of this process.
func OS() System {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // a removed directory: reading it fails with its own message
	}
	return System{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Dir: dir, Now: time.Now()}
}

// terminal is the width of a stream in columns, and whether it is a terminal at all.
func terminal(w io.Writer) (width int, is bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return width, true
}

// exitError ends the run with a code and no message.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usageError is a fault in the arguments.
type usageError struct{ msg string }

func (e *usageError) Error() string { return e.msg }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// Main runs one command and returns the exit code.
func Main(ctx context.Context, args []string, sys System) (code int) {
	if vettool.Asked(args) { // the go command, by -vettool or -fixtool
		return vettool.Main(ctx, "probelint", args, rules.All(), sys.Out, sys.Err)
	}
	out := bufio.NewWriterSize(sys.Out, 1<<16)
	c := &command{System: sys, out: out}
	defer func() {
		if v := recover(); v != nil {
			code = c.panicked(v, args)
		}
	}()
	root := c.root()
	root.SetArgs(args)
	root.SetIn(sys.In)
	root.SetOut(out)
	root.SetErr(sys.Err)
	err := root.ExecuteContext(ctx)
	if flushErr := out.Flush(); flushErr != nil && (err == nil || isExit(err)) {
		err = fmt.Errorf("writing the results: %w", flushErr)
	}
	return c.code(ctx, err)
}

// panicked says that this program is at fault, and what to run for a report.
func (c *command) panicked(v any, args []string) int {
	c.complain("internal error: %v", v)
	if slices.Contains(args, "-v") || slices.Contains(args, "--verbose") {
		_, _ = c.Err.Write(debug.Stack())
	} else {
		c.complain("this is a fault of probelint; the same command with -v prints what a report needs")
	}
	c.complain("report it at %s", issuesURL)
	return exitFailed
}

// issuesURL is where faults of this program are reported.
const issuesURL = "https://github.com/probelint/probelint/issues"

func isExit(err error) bool {
	var code exitError
	return errors.As(err, &code)
}

// code turns an error into the exit code and says on stderr what happened.
func (c *command) code(ctx context.Context, err error) int {
	var code exitError
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, syscall.EPIPE):
		return exitFailed // the reader went away: nobody is left to tell
	case ctx.Err() != nil:
		return exitInterrupt
	}
	c.complain("%v", err)
	return exitFailed
}

func (c *command) complain(format string, args ...any) {
	_, _ = fmt.Fprintf(c.Err, "probelint: "+format+"\n", args...)
}

// command carries what all commands share.
type command struct {
	System
	out *bufio.Writer
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "probelint",
		Short: "Finds health checks that lie: Kubernetes probes joined with the Go handlers that answer them",
		Long: "probelint reads Kubernetes manifests and the Go code behind them, joins each probe with the handler that answers it,\n" +
			"and reports where the pair restarts, misroutes or hides a failure.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed) // nothing was checked
		},
	}
	root.Version = buildVersion()
	root.SetVersionTemplate("probelint {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		c.check(), c.inspect(), c.timeline(), c.explain(), c.rules(), c.init(), c.baseline(), c.policy(), c.config(), c.cache(), c.lsp(), c.man(), c.version(),
	)
	root.InitDefaultCompletionCmd()
	if cmd, _, err := root.Find([]string{"completion"}); err == nil && cmd != root {
		cmd.Args = unknownCommand
		cmd.RunE = func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed)
		}
	}
	return root
}
