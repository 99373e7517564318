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
	"github.com/probelint/probelint/internal/report/concise"
	"github.com/probelint/probelint/internal/report/json"
	"github.com/probelint/probelint/internal/report/text"
)

// output is one format and where it goes.
type output struct {
	format string
	file   string // "" for stdout
	text   text.Options
}

// formats in the order of the help.
var formats = []string{"text", "concise", "json", "jsonl"}

func formatNames() string { return strings.Join(formats, ", ") }

// outputs are what -f and -o ask for.
func (c *command) outputs(f *checkFlags) ([]output, error) {
	if err := oneOf("format", f.format, formats...); err != nil {
		return nil, err
	}
	width, tty := terminal(c.Out)
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 && tty {
		width = n
	}
	opts := text.Options{Color: c.colored(f.color, c.Out), Width: width, Links: tty, Quiet: f.quiet, Verbose: f.verbose}
	outs := []output{{format: f.format, text: opts}}
	for _, o := range f.outputs {
		format, file, ok := strings.Cut(o, "=")
		if !ok || file == "" {
			return nil, usagef("--output %s: want FORMAT=FILE", o)
		}
		if err := oneOf("output", format, formats...); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(outs, func(x output) bool { return x.file == file }) {
			return nil, usagef("--output: %s is written twice", file)
		}
		outs = append(outs, output{format: format, file: file, text: text.Options{
			Color: f.color == "always", Quiet: f.quiet, Verbose: f.verbose,
		}})
	}
	return outs, nil
}

// write writes every output, the files first, so that a reader of stdout that goes away costs no file.
func (c *command) write(outs []output, in *report.Input) error {
	var errs []error
	for _, o := range outs[1:] {
		if err := writeFile(inDir(c.Dir, o.file), func(w io.Writer) error { return o.write(w, in) }); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", o.file, reason(err)))
		}
	}
	if err := outs[0].write(c.out, in); err != nil {
		errs = append(errs, fmt.Errorf("writing the results: %w", err))
	}
	return errors.Join(errs...)
}

func (o output) write(w io.Writer, in *report.Input) error {
	switch o.format {
	case "concise":
		return concise.Write(w, in)
	case "json":
		return json.Write(w, in)
	case "jsonl":
		return json.WriteLines(w, in)
	}
	return text.Write(w, in, o.text)
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
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
