// Package vettool answers the protocol by which the go command runs an analysis tool: `go vet -vettool`, `go vet -fix` and
// `go fix -fixtool`.
//
// It does so without golang.org/x/tools/go/analysis/unitchecker, which parses and type-checks every package of the closure
// and writes its types into the fact file of each, before the first analyzer runs. The engine reads a program from source
// by itself (package load) and needs of the packages below only a checksum (vet.Seal), so the third-party closure costs the
// start of a process per package and nothing else.
//
// The protocol was read from the go command (cmd/go/internal/vet, cmd/go/internal/work, Go 1.26) and unitchecker
// (golang.org/x/tools v0.52.0).
package vettool

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/probelint/probelint/analyzer/vet"
	"github.com/probelint/probelint/internal/lint"
)

// Exit codes of the protocol: 0 done, 1 diagnostics in plain text, or a failure.
const (
	exitDone   = 0
	exitFailed = 1
)

// Asked reports whether arguments are those of the go command: its two handshakes, or a unit of work.
func Asked(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return len(args) == 1 && (args[0] == "-flags" || args[0] == "-V=full") || isUnit(args[len(args)-1])
}

func isUnit(arg string) bool { return filepath.Base(arg) == "vet.cfg" && !strings.HasPrefix(arg, "-") }

// tool is one run.
type tool struct {
	name     string // of the program, as it was called
	stdout   io.Writer
	stderr   io.Writer
	options  vet.Options
	json     bool
	fix      bool
	diff     bool
	show     string
	selected string
	tags     string
}

// Main runs the tool and returns its exit code. name is that of the program, args are the arguments behind it.
func Main(ctx context.Context, name string, args []string, rules []*lint.Rule, stdout, stderr io.Writer) int {
	t := &tool{name: strings.TrimSuffix(filepath.Base(name), ".exe"), stdout: stdout, stderr: stderr, options: vet.Options{Rules: rules}}
	flags := t.flagSet()
	switch {
	case len(args) == 1 && args[0] == "-flags":
		return t.printFlags(flags)
	case len(args) == 1 && (args[0] == "-V=full" || args[0] == "-V"):
		return t.printVersion()
	}
	if err := flags.Parse(args); err != nil {
		return exitFailed // the flag set has said so
	}
	if flags.NArg() != 1 || !strings.HasSuffix(flags.Arg(0), ".cfg") {
		flags.Usage()
		return exitFailed
	}
	if err := t.settle(); err != nil {
		return t.failed(err)
	}
	code, err := t.unit(ctx, flags.Arg(0))
	if err != nil {
		return t.failed(err)
	}
	return code
}

func (t *tool) failed(err error) int {
	_, _ = fmt.Fprintf(t.stderr, "%s: %v\n", t.name, err)
	return exitFailed
}

func (t *tool) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet(t.name, flag.ContinueOnError)
	fs.SetOutput(t.stderr)
	fs.BoolVar(&t.json, "json", false, "print findings and fixes as JSON")
	fs.BoolVar(&t.fix, "fix", false, "apply the first safe fix of each finding")
	fs.BoolVar(&t.diff, "diff", false, "with -fix, print the difference instead of applying it")
	fs.StringVar(&t.show, "show", "warning", "lowest level reported: error, warning, info")
	fs.StringVar(&t.options.Profile, "profile", "default", "thresholds: default, strict")
	fs.StringVar(&t.selected, "select", "", "report only these rules, separated by commas; nursery rules too")
	fs.StringVar(&t.tags, "tags", "", "build tags, separated by commas")
	fs.Usage = func() {
		_, _ = fmt.Fprintf(t.stderr, "%s checks health handlers of Go programs for the go command:\n\n"+
			"  go vet -vettool=$(which %s) ./...\n\nFlags of go vet that it takes:\n", t.name, t.name)
		fs.PrintDefaults()
	}
	return fs
}

// printFlags tells the go command which flags to pass on. It handles -fix itself.
func (t *tool) printFlags(fs *flag.FlagSet) int {
	type described struct {
		Name  string
		Bool  bool
		Usage string
	}
	var all []described
	fs.VisitAll(func(f *flag.Flag) {
		if f.Name == "fix" {
			return
		}
		b, ok := f.Value.(interface{ IsBoolFlag() bool })
		all = append(all, described{f.Name, ok && b.IsBoolFlag(), f.Usage})
	})
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return t.failed(fmt.Errorf("describing flags: %w", err))
	}
	_, _ = fmt.Fprintf(t.stdout, "%s\n", data)
	return exitDone
}

// settle reads the values of flags.
func (t *tool) settle() error {
	level, ok := lint.ParseLevel(t.show)
	if !ok || level == lint.Off {
		return fmt.Errorf("invalid -show=%s: the levels are error, warning and info", t.show)
	}
	t.options.Show = level
	t.options.Tags = list(t.tags)
	t.options.Select = list(t.selected)
	return t.options.Validate()
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
