package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/config"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/report"
)

func (c *command) config() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, check and describe the configuration",
		Args:  unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed)
		},
	}
	cmd.AddCommand(c.configShow(), c.configVerify(), c.configSchema())
	return cmd
}

func (c *command) configShow() *cobra.Command {
	j := &judging{}
	cmd := &cobra.Command{
		Use:   "show [PATH...]",
		Short: "Print what is in force for these paths, and where each value comes from",
		Long: "Prints what check has in force for each PATH (default: the working directory) and the flags given, as a configuration\n" +
			"file with the origin of each value beside it. Flags count over the environment, and that over the file.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			j.profileSet = cmd.Flags().Changed("profile")
			o, err := j.options(c, paths)
			if err != nil {
				return err
			}
			if err := j.checkRules(); err != nil {
				return err
			}
			flags, err := parseLevels(j.levels)
			if err != nil {
				return err
			}
			e := config.Effective{Config: j.config.loaded, Settings: o.Settings, Levels: flags, Exclude: j.exclude}
			head := "# no configuration file\n"
			e.Profile = "default"
			if cfg := j.config.loaded; cfg != nil {
				head = fmt.Sprintf("# %s (%s)\n", cfg.Shown, j.config.from)
				if at := cfg.At("profile"); at != "" {
					e.Profile = at
				}
			}
			if j.profileSet {
				e.Profile = "--profile"
			}
			_, err = fmt.Fprint(c.out, head+e.Text())
			return err
		},
	}
	j.register(cmd.Flags())
	return cmd
}

func (c *command) configVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check a configuration file: keys, values, globs, names of rules, and what fits nothing",
		Long: "Checks FILE, or the configuration that is in force for the working directory. Bindings, overrides, critical dependencies and globs\n" +
			"that fit nothing in the folder of the file are named: they have no effect.\n\n" +
			"Exit code: 0 it is valid, 2 it is not, or there is none.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("config verify takes one file, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			j := &judging{profile: "default"}
			if len(args) == 1 {
				name, err := configPath(c, args[0])
				if err != nil {
					return err
				}
				j.config.file = name
			}
			if _, err := j.options(c, nil); err != nil {
				return err
			}
			cfg := j.config.loaded
			if cfg == nil {
				return fmt.Errorf("there is no %s at or above the working directory; `probelint init` writes one", config.FileName)
			}
			if err := j.checkRules(); err != nil {
				return err
			}
			idle, err := c.unmatched(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			for _, p := range idle {
				if _, err := fmt.Fprintln(c.out, report.Printable(cfg.Describe(p))); err != nil {
					return err
				}
			}
			more := ""
			switch n := len(idle); {
			case n == 1:
				more = "; 1 entry fits nothing in this repository"
			case n > 1:
				more = fmt.Sprintf("; %d entries fit nothing in this repository", n)
			}
			_, err = fmt.Fprintf(c.out, "%s is valid%s\n", cfg.Shown, more)
			return err
		},
	}
}

func (c *command) configSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of the configuration",
		Long: "Prints the JSON schema of " + config.FileName + ". Editors with the YAML language server find it by the first line of a file that\n" +
			"`probelint init` writes:\n\n  " + config.Modeline,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := c.out.Write(config.Schema())
			return err
		},
	}
}

// unmatched are the entries of a configuration that fit nothing of what lies in its folder.
func (c *command) unmatched(ctx context.Context, cfg *config.Config) ([]config.Problem, error) {
	if len(cfg.Exclude)+len(cfg.Overrides)+len(cfg.Bindings)+len(cfg.Critical) == 0 {
		return nil, nil
	}
	j := &judging{profile: "default"}
	j.config.file = cfg.File
	o, err := j.options(c, []string{cfg.Dir})
	if err != nil {
		return nil, err
	}
	line := c.startProgress(false)
	o.Progress = line.set
	r, err := engine.Read(ctx, o)
	line.end()
	if err != nil {
		return nil, err
	}
	return cfg.Unmatched(config.Seen{Workloads: r.Workloads, Programs: r.Programs, Calls: r.Calls}), nil
}

// checkRules says which rules of the file there are none of. Where team policies are loaded, their names are known to the run
// alone, and it says it.
func (j *judging) checkRules() error {
	if cfg := j.config.loaded; cfg == nil || len(cfg.Policies) > 0 {
		return nil
	}
	return j.config.loaded.CheckRules(ruleNames())
}
