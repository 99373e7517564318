package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/report"
)

// checkFlags are the flags of `check`.
type checkFlags struct {
	judging
	format             string
	outputs            []string
	show, failOn       string
	exitZero           bool
	color              string
	showFiles          bool
	showSuppressed     bool
	quiet, verbose     bool
	showSet, failOnSet bool
	policyFlags
}

func (c *command) check() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check [PATH...|-]",
		Short: "Report findings in manifests and the Go code behind them",
		Long: "Checks the manifests and Go modules at or below each PATH (default: the working directory; - is stdin).\n\n" +
			"Exit code: 0 nothing at or above --fail-on, 1 findings there (an input that cannot be read is an error), 2 the run proves\n" +
			"nothing (usage, nothing to check, or a policy that is broken).",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.showSet, f.failOnSet, f.profileSet = cmd.Flags().Changed("show"), cmd.Flags().Changed("fail-on"), cmd.Flags().Changed("profile")
			return c.runCheck(cmd.Context(), f, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&f.format, "format", "f", "text", "format on stdout: "+formatNames())
	fs.StringArrayVarP(&f.outputs, "output", "o", nil, "also write `FORMAT=FILE`; repeatable")
	fs.StringVar(&f.show, "show", "warning", "lowest level shown: error, warning, info")
	fs.StringVar(&f.failOn, "fail-on", "error", "lowest level that makes the exit code 1 (warning under --profile strict)")
	fs.BoolVar(&f.exitZero, "exit-zero", false, "exit 0 although there are findings")
	fs.BoolVar(&f.showFiles, "show-files", false, "list which files are read and which are not, and why, instead of findings")
	fs.BoolVar(&f.showSuppressed, "show-suppressed", false, "show what a comment or an annotation silences too, with the reason")
	fs.StringVar(&f.color, "color", "auto", "colours: auto, always, never")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print findings alone, no summary")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "print every limit and the stack of internal errors")
	f.input.register(fs)
	f.policyFlags.add(fs)
	completeFlags(cmd)
	return cmd
}

// levelsOf are the levels of --show and --fail-on: --fail-on is warning and --show is info under the strict profile; --show is never above
// --fail-on, so that what fails a run is seen.
func (f *checkFlags) levelsOf() (show, failOn lint.Level) {
	if f.profile == "strict" {
		if !f.failOnSet {
			f.failOn = "warning"
		}
		if !f.showSet {
			f.show = "info"
		}
	}
	show, _ = lint.ParseLevel(f.show)
	failOn, _ = lint.ParseLevel(f.failOn)
	return min(show, failOn), failOn
}

func (c *command) runCheck(ctx context.Context, f *checkFlags, paths []string) error {
	for _, v := range []struct{ flag, value string }{{"show", f.show}, {"fail-on", f.failOn}} {
		if err := oneOf(v.flag, v.value, "error", "warning", "info"); err != nil {
			return err
		}
	}
	if err := oneOf("color", f.color, "auto", "always", "never"); err != nil {
		return err
	}
	outs, err := c.outputs(f)
	if err != nil {
		return err
	}
	o, err := f.options(c, paths)
	if err != nil {
		return err
	}
	show, failOn := f.levelsOf()
	f.policyFlags.apply(&o)
	if f.showFiles {
		return c.showFiles(ctx, o)
	}
	line := c.startProgress(f.quiet)
	o.Progress = line.set
	r, err := engine.Run(ctx, o)
	line.end()
	if err != nil {
		return f.failed(err)
	}
	in := &report.Input{
		Findings: shown(r.Findings, show, f.showSuppressed), Summary: r.Summary, Limits: r.Limits, Show: show, Set: r.Set,
		Rules: r.Rules, Version: releaseVersion(), Workloads: r.Workloads, Programs: r.Programs,
	}
	if err := c.write(outs, in); err != nil {
		return err
	}
	return c.verdict(r, f, failOn)
}

// shown are the findings that a reader asked for, in order.
func shown(all []lint.Finding, show lint.Level, suppressed bool) []lint.Finding {
	if !suppressed {
		return report.Shown(all, show)
	}
	return slices.DeleteFunc(slices.Clone(all), func(f lint.Finding) bool { return f.Level < show })
}

// verdict is the exit code of a run that was reported.
func (c *command) verdict(r *engine.Result, f *checkFlags, failOn lint.Level) error {
	if r.PolicyFailed() {
		return exitError(exitFailed)
	}
	for _, cr := range r.Crashes {
		c.complain("internal error: %s: %s", cr.What, cr.Message)
		if f.verbose {
			_, _ = fmt.Fprintln(c.Err, cr.Stack)
		}
	}
	if !f.exitZero {
		for _, x := range r.Findings {
			if x.Suppressed == nil && x.Level >= failOn {
				return exitError(exitFindings)
			}
		}
	}
	if len(r.Crashes) > 0 {
		return exitError(exitFailed)
	}
	return nil
}

// failed is the error of a run in the words of the command line.
func (j *judging) failed(err error) error {
	var nothing *engine.NothingCheckedError
	var unknown *engine.UnknownRuleError
	switch {
	case errors.As(err, &nothing) && slices.Equal(nothing.Paths, []string{"-"}):
		return fmt.Errorf("nothing was checked: %w", nothing)
	case errors.As(err, &nothing):
		return fmt.Errorf("nothing was checked: %w; `probelint check --show-files` says what was read", nothing)
	case errors.As(err, &unknown):
		if at := j.config.loaded.RuleError(unknown.Name, unknown.Nearest); at != nil {
			return at
		}
	}
	return err
}
