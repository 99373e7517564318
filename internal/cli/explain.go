package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report/explain"
	"github.com/probelint/probelint/rules"
)

func (c *command) explain() *cobra.Command {
	var color string
	cmd := &cobra.Command{
		Use:   "explain RULE",
		Short: "Print the page of a rule",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("explain takes one rule; `probelint rules` lists them")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ruleNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("color", color, "auto", "always", "never"); err != nil {
				return err
			}
			for _, r := range rules.All() {
				if r.Name == args[0] {
					return explain.Write(c.out, r, traits(r), explain.Options{Color: c.colored(color, c.Out), Width: c.columns()})
				}
			}
			return unknownRule(args[0])
		},
	}
	cmd.Flags().StringVar(&color, "color", "auto", "colours: auto, always, never")
	completeWords(cmd, map[string]func() []string{"color": colors})
	return cmd
}

// unknownRule answers a name that no rule has with the nearest one, or with those that hold it.
func unknownRule(name string) error {
	names := ruleNames()
	if near := lint.Nearest(name, names); near != "" {
		return usagef("unknown rule %q; did you mean %q?", name, near)
	}
	var holding []string
	for _, n := range names {
		if name != "" && strings.Contains(n, strings.ToLower(name)) {
			holding = append(holding, n)
		}
	}
	if len(holding) > 0 {
		return usagef("unknown rule %q; there are %s", name, strings.Join(holding, ", "))
	}
	return usagef("unknown rule %q; `probelint rules` lists them", name)
}
