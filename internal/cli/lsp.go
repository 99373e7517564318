package cli

import (
	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/lsp"
)

func (c *command) lsp() *cobra.Command {
	j := &judging{}
	var show string
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server on standard input and output, for editors",
		Long: "Speaks the Language Server Protocol on standard input and output: findings in manifests and in the Go code behind them while\n" +
			"you write, fixes, hovers, and the way from a probe to its handler and back. docs/integrations.md has the lines for each editor.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := oneOf("show", show, "error", "warning", "info"); err != nil {
				return err
			}
			if err := oneOf("profile", j.profile, "default", "strict"); err != nil {
				return err
			}
			j.profileSet = cmd.Flags().Changed("profile")
			level, _ := lint.ParseLevel(show)
			return lsp.Serve(cmd.Context(), c.In, c.Out, lsp.Options{
				Show: level, Version: releaseVersion(),
				Configure: func(root string) (engine.Options, error) {
					run, there := *j, *c // each folder has a configuration of its own
					there.Dir = root
					return run.options(&there, nil)
				},
			})
		},
	}
	fs := cmd.Flags()
	fs.Bool("stdio", true, "taken for the sake of editors that pass it: there is no other way")
	fs.StringVar(&show, "show", "info", "lowest level shown: error, warning, info")
	fs.StringVar(&j.profile, "profile", "default", "thresholds: default, strict")
	j.input.register(fs)
	return cmd
}
