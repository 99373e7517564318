package cli

import (
	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/report/inspect"
)

func (c *command) inspect() *cobra.Command {
	var in input
	var format string
	cmd := &cobra.Command{
		Use:   "inspect [PATH...|-]",
		Short: "Show what was read and joined: each probe, what answers it and how that is known, windows, dependencies, deadlines",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := oneOf("format", format, "text", "json"); err != nil {
				return err
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
			write := inspect.WriteText
			if format == "json" {
				write = inspect.WriteJSON
			}
			if err := write(c.out, &inspect.Input{Workloads: r.Workloads, Programs: r.Programs, Limits: r.Limits}); err != nil {
				return err
			}
			for _, f := range r.Findings {
				c.complain("%s: %s", f.Primary.Span.File, f.Title)
			}
			if r.Summary.Workloads == 0 && r.Summary.Packages == 0 {
				c.complain("no workload and no Go package was read")
				return exitError(exitFailed)
			}
			return nil
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "text", "format: text, json")
	in.register(cmd.Flags())
	return cmd
}
