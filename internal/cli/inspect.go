package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/config"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/report/inspect"
)

// readVerdict is the exit code of a run that only reads, the one that check has for the same input: where nothing was read 1
// if an error says why not, else 2.
func (c *command) readVerdict(r *engine.Result) error {
	switch {
	case !r.Nothing():
		return nil
	case r.Unreadable():
		return exitError(exitFindings)
	}
	c.complain("no workload and no Go package was read")
	return exitError(exitFailed)
}

// onlyWorkload leaves of what was read the workloads that a name fits, and the programs behind them.
func onlyWorkload(r *engine.Result, name string) error {
	if name == "" {
		return nil
	}
	var kept []*model.Workload
	var names []string
	programs := map[string]bool{}
	for _, w := range r.Workloads {
		names = append(names, w.Ref())
		if !config.MatchesWorkload([]string{name}, w) {
			continue
		}
		kept = append(kept, w)
		for _, c := range w.Containers {
			for _, p := range c.Probes {
				if p.Program != nil {
					programs[p.Program.Package] = true
				}
			}
		}
	}
	if len(kept) == 0 && len(names) > 0 {
		return unknown("workload", name, names)
	}
	r.Workloads = kept
	r.Programs = slices.DeleteFunc(slices.Clone(r.Programs), func(p *model.Program) bool { return !programs[p.Package] })
	return nil
}

func (c *command) inspect() *cobra.Command {
	var in input
	var format, only string
	cmd := &cobra.Command{
		Use:   "inspect [PATH...|-]",
		Short: "Show what was read and joined: each probe, what answers it and how that is known, windows, dependencies, deadlines",
		Long: "Shows what check judges: each probe at or below each PATH (default: the working directory; - is stdin), what answers it and\n" +
			"how that is known, windows, dependencies, deadlines.\n\n" +
			"Exit code: 0 something was read, 1 nothing was, because it is unreadable, 2 there was nothing to read, or usage.",
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
			if err := onlyWorkload(r, only); err != nil {
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
			return c.readVerdict(r)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "text", "format: text, json")
	cmd.Flags().StringVar(&only, "workload", "", "show `KIND/NAME` alone, with the programs that it runs")
	in.register(cmd.Flags())
	completeWords(cmd, map[string]func() []string{"format": fixed("text", "json")})
	return cmd
}
