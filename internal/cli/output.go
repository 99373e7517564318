package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/probelint/probelint/internal/report"
	"github.com/probelint/probelint/internal/report/formats"
	"github.com/probelint/probelint/internal/report/github"
	"github.com/probelint/probelint/internal/report/text"
)

// output is one format and where it goes.
type output struct {
	format  formats.Format
	file    string // "" for stdout
	options formats.Options
}

func formatNames() string { return strings.Join(formats.Names(), ", ") }

// outputs are what -f and -o ask for.
func (c *command) outputs(f *checkFlags) ([]output, error) {
	if err := oneOf("format", f.format, formats.Names()...); err != nil {
		return nil, err
	}
	var say func(string)
	if !f.quiet {
		say = func(s string) { c.complain("%s", s) }
	}
	width, tty := terminal(c.Out)
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 && tty {
		width = n
	}
	opts := text.Options{Color: c.colored(f.color, c.Out), Width: width, Links: tty, Quiet: f.quiet, Verbose: f.verbose}
	stdout, _ := formats.Find(f.format)
	outs := []output{{format: stdout, options: formats.Options{Text: opts, Say: say}}}
	for _, o := range f.outputs {
		format, file, ok := strings.Cut(o, "=")
		if !ok || file == "" {
			return nil, usagef("--output %s: want FORMAT=FILE", o)
		}
		if err := oneOf("output", format, formats.Names()...); err != nil {
			return nil, err
		}
		found, _ := formats.Find(format)
		if file == "-" {
			return nil, usagef("--output %s: standard output has the format of --format; `-f %s` writes it there, and ./- is a file of that name", o, format)
		}
		if slices.ContainsFunc(outs, func(x output) bool { return x.file == file }) {
			return nil, usagef("--output: %s is written twice", file)
		}
		outs = append(outs, output{format: found, file: file, options: formats.Options{Say: say, Text: text.Options{
			Color: f.color == "always", Quiet: f.quiet, Verbose: f.verbose,
		}}})
	}
	return outs, nil
}

// write writes every output, the files first, so that a reader of stdout that goes away costs no file.
func (c *command) write(outs []output, in *report.Input) error {
	var errs []error
	for _, o := range outs[1:] {
		if err := writeFile(inDir(c.Dir, o.file), func(w io.Writer) error { return o.format.Write(w, in, o.options) }); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", o.file, reason(err)))
		}
	}
	if slices.ContainsFunc(outs, func(o output) bool { return o.format.Name == "github" }) {
		if err := c.stepSummary(in); err != nil {
			errs = append(errs, fmt.Errorf("writing the job summary: %w", reason(err)))
		}
	}
	if err := outs[0].format.Write(c.out, in, outs[0].options); err != nil {
		errs = append(errs, fmt.Errorf("writing the results: %w", err))
	}
	return errors.Join(errs...)
}

// stepSummary appends to the file that GitHub Actions shows as the summary of the job; elsewhere there is none.
func (c *command) stepSummary(in *report.Input) error {
	name := c.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if err := github.WriteSummary(f, in); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// writeFile writes a file, or whatever has that name: `/dev/stdout` and `>(command)` are pipes.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

func asPathError(err error, target **os.PathError) bool { return errors.As(err, target) }
