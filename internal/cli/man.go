package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (c *command) man() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "Print the manual page",
		Long:  "Prints the manual page of all commands, in the form of man(7): `probelint man > probelint.1`.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(c.out, manPage(cmd.Root()))
			return err
		},
	}
}

// manPage is one page for all commands.
func manPage(root *cobra.Command) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(`.TH PROBELINT 1 "" "probelint" "User Commands"`)
	p(".SH NAME")
	p(`probelint \- %s`, roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	p(".SH SYNOPSIS")
	p(".B probelint")
	p(`\fICOMMAND\fR [\fIFLAGS\fR] [\fIPATH\fR...]`)
	p(".SH DESCRIPTION")
	p("%s", paragraphs(root.Long))
	p(".SH COMMANDS")
	manCommands(&b, root)
	p(".SH EXIT STATUS")
	for _, x := range []struct{ code, text string }{
		{"0", "nothing at or above --fail-on"},
		{"1", "findings there"},
		{"2", "the run proves nothing: usage, configuration, a broken policy, or nothing to check"},
		{"130", "interrupted"},
	} {
		p(".TP\n.B %s\n%s", x.code, roff(x.text))
	}
	p(".SH ENVIRONMENT")
	for _, x := range []struct{ name, text string }{
		{"PROBELINT_CONFIG", "the configuration file, below --config and above the nearest .probelint.yaml"},
		{"NO_COLOR", "no colours, where it is not empty"},
		{"CLICOLOR_FORCE, FORCE_COLOR", "colours in a pipe too, where one is neither empty nor 0"},
		{"COLUMNS", "the width of the terminal"},
	} {
		p(".TP\n.B %s\n%s", roff(x.name), roff(x.text))
	}
	p(".SH FILES")
	p(".TP\n.B .probelint.yaml\n%s", roff("the configuration, found upward to the root of the repository"))
	p(".TP\n.B .probelint-baseline.json\n%s", roff("what `baseline create` writes"))
	return b.String()
}

// manCommands describes the commands below one, each with its flags.
func manCommands(b *strings.Builder, parent *cobra.Command) {
	for _, cmd := range parent.Commands() {
		if cmd.Hidden || cmd.Name() == "help" {
			continue
		}
		if cmd.HasAvailableSubCommands() && !cmd.HasLocalFlags() && cmd.Name() != "completion" {
			manCommands(b, cmd)
			continue
		}
		if cmd.HasAvailableSubCommands() {
			manCommands(b, cmd)
			continue
		}
		use := strings.TrimPrefix(cmd.CommandPath(), "probelint ")
		if _, args, ok := strings.Cut(cmd.Use, " "); ok {
			use += " " + args
		}
		text := cmd.Long
		if text == "" {
			text = cmd.Short
		}
		fmt.Fprintf(b, ".SS %s\n%s\n", roff(use), paragraphs(text))
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			name, usage := pflag.UnquoteUsage(f)
			head := `\-\-` + roff(f.Name)
			if f.Shorthand != "" {
				head = `\-` + f.Shorthand + ", " + head
			}
			if name != "" {
				head += ` \fI` + roff(name) + `\fR`
			}
			fmt.Fprintf(b, ".TP\n.B %s\n%s\n", head, roff(usage))
		})
	}
}

// roff escapes a text for man(7).
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "").Replace(strings.Join(strings.Fields(s), " "))
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func paragraphs(s string) string {
	var out []string
	for _, p := range strings.Split(s, "\n\n") {
		out = append(out, roff(p))
	}
	return strings.Join(out, "\n.PP\n")
}
