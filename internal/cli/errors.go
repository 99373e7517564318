package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/probelint/probelint/internal/lint"
)

// unknownCommand answers a command that does not exist with the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return unknown("command", args[0], names)
}

// formerFlags are names of flags that were changed here, or that other linters have, with the name of today. A flag that is renamed
// gets a line and never becomes silent.
var formerFlags = map[string]string{
	"new-from-rev": "new-from", "enable": "select", "include": "select", "only": "select", "disable": "ignore", "skip": "ignore",
	"severity": "fail-on", "min-severity": "show", "no-fail": "exit-zero", "no-exit-codes": "exit-zero",
	"out-format": "format", "output-format": "format", "no-color": "color", "exclude-path": "exclude", "ignore-paths": "exclude",
	"unsafe": "unsafe-fixes", "fix-unsafe": "unsafe-fixes", "dry-run": "diff", "policy": "policies", "debug": "verbose",
}

// flagError answers a flag that does not exist with the nearest one of its command.
func flagError(cmd *cobra.Command, err error) error {
	var valueless *pflag.ValueRequiredError
	if errors.As(err, &valueless) {
		if valueless.GetSpecifiedShortnames() != "" {
			return usagef("flag needs an argument: -%s", valueless.GetSpecifiedName())
		}
		return usagef("flag needs an argument: --%s", valueless.GetSpecifiedName())
	}
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return &usageError{err.Error()}
	}
	if missing.GetSpecifiedShortnames() != "" {
		return usagef("unknown flag -%s; `%s --help` lists them", missing.GetSpecifiedName(), cmd.CommandPath())
	}
	if now, ok := formerFlags[missing.GetSpecifiedName()]; ok && cmd.Flags().Lookup(now) != nil {
		return usagef("unknown flag --%s; here it is --%s", missing.GetSpecifiedName(), now)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := lint.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return usagef("unknown flag --%s; did you mean --%s?", missing.GetSpecifiedName(), near)
	}
	return usagef("unknown flag --%s; `%s --help` lists them", missing.GetSpecifiedName(), cmd.CommandPath())
}

func unknown(what, name string, names []string) error {
	if near := lint.Nearest(name, names); near != "" {
		return usagef("unknown %s %q; did you mean %q?", what, name, near)
	}
	there := "there are"
	if len(names) == 1 {
		there = "there is only"
	}
	return usagef("unknown %s %q; %s %s", what, name, there, strings.Join(names, ", "))
}

// oneOf checks the value of a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	if near := lint.Nearest(value, words); near != "" {
		return usagef("--%s: unknown value %q; did you mean %q?", flag, value, near)
	}
	return usagef("--%s: unknown value %q; one of %s", flag, value, strings.Join(words, ", "))
}
