package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/report/timeline"
)

func (c *command) timeline() *cobra.Command {
	var in input
	var format, file, only string
	cmd := &cobra.Command{
		Use:   "timeline [PATH...|-]",
		Short: "Draw how long a container may start, how long a fault goes unseen, and what a shutdown does",
		Long: "Draws for each container at or below each PATH (default: the working directory; - is stdin) how long it may start, the time from\n" +
			"a fault to the verdict for one that refuses and one that hangs with failureThreshold x periodSeconds beside it, and its shutdown; and\n" +
			"for each dependency that probes ask, when the first and the last replica leaves.\n\n" +
			"Exit code: 0 something was read, 1 nothing was, because it is unreadable, 2 there was nothing to read, or usage.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := oneOf("format", format, "text", "svg", "html"); err != nil {
				return err
			}
			if before, after, ok := strings.Cut(file, "="); ok && slices.Contains([]string{"text", "svg", "html"}, before) {
				return usagef("--output %s: timeline writes one format into one file: `-f %s -o %s`", file, before, after)
			}
			if file == "-" {
				file = ""
			}
			o, err := in.options(c, paths)
			if err != nil {
				return err
			}
			line := c.startProgress(false)
			o.Progress = line.set
			r, err := engine.Read(cmd.Context(), o)
			line.end()
			if err != nil {
				return err
			}
			if err := onlyWorkload(r, only); err != nil {
				return err
			}
			doc := timeline.Build(r.Workloads)
			write := func(w io.Writer) error {
				switch format {
				case "svg":
					return timeline.WriteSVG(w, doc)
				case "html":
					return timeline.WriteHTML(w, doc)
				}
				return timeline.WriteText(w, doc, c.columns())
			}
			if file == "" {
				err = write(c.out)
			} else if err = writeFile(inDir(c.Dir, file), write); err != nil {
				err = fmt.Errorf("writing %s: %w", file, reason(err))
			}
			if err != nil {
				return err
			}
			for _, f := range r.Findings {
				c.complain("%s: %s", f.Primary.Span.File, f.Title)
			}
			return c.readVerdict(r)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "text", "format: text, svg, html")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to `FILE` instead of stdout")
	cmd.Flags().StringVar(&only, "workload", "", "draw `KIND/NAME` alone")
	in.register(cmd.Flags())
	completeWords(cmd, map[string]func() []string{"format": fixed("text", "svg", "html")})
	return cmd
}

// columns is the width of stdout, 0 where it is no terminal.
func (c *command) columns() int {
	width, tty := terminal(c.Out)
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 && tty {
		return n
	}
	return width
}
