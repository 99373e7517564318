package cli

import (
	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/report/formats"
)

// completeFlags tells the shell which words the flags of check take.
func completeFlags(cmd *cobra.Command) {
	words := func(words func() []string) cobra.CompletionFunc {
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return words(), cobra.ShellCompDirectiveNoFileComp
		}
	}
	fixed := func(list ...string) func() []string { return func() []string { return list } }
	for flag, list := range map[string]func() []string{
		"format": formats.Names, "show": fixed("error", "warning", "info"), "fail-on": fixed("error", "warning", "info"),
		"profile": fixed("default", "strict"), "color": fixed("auto", "always", "never"), "select": ruleNames, "ignore": ruleNames,
	} {
		if err := cmd.RegisterFlagCompletionFunc(flag, words(list)); err != nil {
			panic(err) // a flag that check does not have
		}
	}
}
