package cli

import (
	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report/formats"
)

// completeFlags tells the shell which words the flags of check take.
func completeFlags(cmd *cobra.Command) {
	levels := fixed("error", "warning", "info")
	completeWords(cmd, map[string]func() []string{
		"format": formats.Names, "show": levels, "fail-on": levels, "profile": fixed("default", "strict"), "color": colors,
		"select": ruleNames, "ignore": ruleNames,
	})
	complete(cmd, "output", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var starts []string
		for _, n := range formats.Names() {
			starts = append(starts, n+"=")
		}
		return starts, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completeWords tells the shell which words some flags of a command take.
func completeWords(cmd *cobra.Command, words map[string]func() []string) {
	for flag, list := range words {
		complete(cmd, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return list(), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // a flag that the command does not have
	}
}

func fixed(list ...string) func() []string { return func() []string { return list } }

var colors = fixed("auto", "always", "never")

// sides are the values of lint.Sees.
var sides = fixed(string(lint.Manifest), string(lint.Go), string(lint.Link))
