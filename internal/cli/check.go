package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/probelint/probelint/internal/baseline"
	"github.com/probelint/probelint/internal/cache"
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
	baseline, newFrom  string
	stale              []baseline.Entry
	fix, unsafeFixes   bool
	diff               bool
	quiet, verbose     bool
	showSet, failOnSet bool
	flags              *pflag.FlagSet
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
			f.flags = cmd.Flags()
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
	fs.StringVar(&f.baseline, "baseline", "", "report only what this `FILE` of `baseline create` does not know")
	fs.StringVar(&f.newFrom, "new-from", "", "report only what is new since the git `REV`, by judging both trees")
	fs.BoolVar(&f.fix, "fix", false, "apply the fixes that cannot change behaviour except as the rule intends")
	fs.BoolVar(&f.unsafeFixes, "unsafe-fixes", false, "apply the other fixes too; with --diff, show them")
	fs.BoolVar(&f.diff, "diff", false, "print what the fixes would change as a patch, and change nothing")
	fs.StringVar(&f.color, "color", "auto", "colours: auto, always, never")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print findings alone, no summary")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "print what was loaded, how long each stage took, every limit, and the stack of internal errors")
	f.register(fs)
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
	if !f.verbose && f.baseline == "" && !slices.ContainsFunc(outs, func(out output) bool { return out.format.Workloads }) {
		o.Identity = f.identity(&o)
	}
	show, failOn := f.levelsOf()
	if f.showFiles {
		if f.format != "text" || len(f.outputs) > 0 {
			return usagef("--show-files prints a list of files, in no other format")
		}
		return c.showFiles(ctx, o)
	}
	if f.verbose {
		c.complain("root %s", o.Root)
		if cfg := f.config.loaded; cfg != nil {
			c.complain("configuration %s (%s)", cfg.Shown, f.config.from)
		} else {
			c.complain("no configuration file")
		}
	}
	if err := f.fixing(paths); err != nil {
		return err
	}
	known, err := c.known(ctx, f, o)
	if err != nil {
		return err
	}
	r, err := c.judgeAndFix(ctx, f, o, known, show)
	if err != nil {
		return err
	}
	c.sayStale(f)
	if f.diff {
		return c.verdict(r, f, failOn)
	}
	in := &report.Input{
		Findings: shown(r.Findings, show, f.showSuppressed), Summary: r.Summary, Limits: r.Limits, Show: show, Set: r.Set,
		Rules: r.Rules, Version: releaseVersion(), Workloads: r.Workloads, Programs: r.Programs, First: r.First,
	}
	if err := c.write(outs, in); err != nil {
		return err
	}
	c.hint(f, o.Root, in)
	return c.verdict(r, f, failOn)
}

// identity is all that the command line and the configuration say about what is found. Flags about the report are left out.
func (f *checkFlags) identity(o *engine.Options) string {
	knowledge, err := cache.Marshal(o.Knowledge)
	if err != nil {
		return ""
	}
	report := []string{"format", "output", "color", "show", "fail-on", "exit-zero", "quiet", "show-suppressed", "baseline", "new-from", "help"}
	var b strings.Builder
	f.flags.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(report, flag.Name) {
			fmt.Fprintf(&b, "%s=%q ", flag.Name, flag.Value)
		}
	})
	fmt.Fprintf(&b, "%q %q %q", f.profile, f.config.loaded.Text(), knowledge)
	if cfg := f.config.loaded; cfg != nil {
		fmt.Fprintf(&b, " %q", cfg.File)
	}
	return b.String()
}

// hint says what a reader of findings looks for next: on a terminal how one is silenced, and anywhere that a baseline lies unused.
func (c *command) hint(f *checkFlags, root string, in *report.Input) {
	if f.quiet || len(in.Findings) == 0 {
		return
	}
	if name := filepath.Join(root, baseline.FileName); f.baseline == "" && f.newFrom == "" {
		if _, err := os.Stat(name); err == nil {
			c.complain("%s is not used; `--baseline %s` leaves out what it knows", shorten(c.Dir, name), shorten(c.Dir, name))
		}
	}
	if _, tty := terminal(c.Out); tty && f.format == "text" {
		c.complain("silence one where it is caused: `# probelint:ignore RULE -- reason` (docs/suppressing.md); `probelint explain RULE` says more")
	}
}

// fixing says what is wrong with the flags of fixes.
func (f *checkFlags) fixing(paths []string) error {
	switch {
	case f.diff && f.fix:
		return usagef("--fix and --diff exclude each other: one writes, the other shows")
	case f.diff && (f.format != "text" || len(f.outputs) > 0):
		return usagef("--diff prints a patch, and no --format or --output beside it")
	case (f.fix || f.unsafeFixes || f.diff) && slices.Contains(paths, "-"):
		return usagef("fixes change files, and standard input is none")
	}
	return nil
}

// known are the findings that are not to be reported: those of a baseline and those of another revision.
func (c *command) known(ctx context.Context, f *checkFlags, o engine.Options) ([]*baseline.Baseline, error) {
	var out []*baseline.Baseline
	if f.baseline != "" {
		b, err := c.readBaseline(f.baseline)
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	if f.newFrom != "" {
		line := c.startProgress(f.quiet)
		o.Progress = line.set
		b, err := c.knownAt(ctx, f.newFrom, o)
		line.end()
		if err != nil {
			return nil, f.failed(err)
		}
		out = append(out, b)
	}
	return out, nil
}

// judgeAndFix runs over the input and makes the fixes that are asked for. With --diff it returns the run before them: what is shown
// as a patch is still there.
func (c *command) judgeAndFix(ctx context.Context, f *checkFlags, o engine.Options, known []*baseline.Baseline, show lint.Level) (*engine.Result, error) {
	if !f.fix && !f.unsafeFixes && !f.diff {
		return c.judgeOnce(ctx, f, o, known)
	}
	var first *engine.Result
	o.Keep = &engine.Keep{}
	r, made, err := c.fixAll(f, func(overlay map[string][]byte) (*engine.Result, error) {
		o.Overlay = overlay
		r, err := c.judgeOnce(ctx, f, o, known)
		if first == nil {
			first = r
		}
		return r, err
	}, show)
	if err != nil {
		return nil, err
	}
	if err := c.applyFixes(ctx, f, r.Set.Root, made); err != nil {
		return nil, err
	}
	if f.diff {
		return first, nil
	}
	return r, nil
}

// judgeOnce runs over the input and takes out what is known. Entries of a baseline that were not found again are said where they
// were judged.
func (c *command) judgeOnce(ctx context.Context, f *checkFlags, o engine.Options, known []*baseline.Baseline) (*engine.Result, error) {
	line := c.startProgress(f.quiet || f.verbose) // one or the other writes to stderr
	if f.verbose {
		line.log = func(stage string, took time.Duration) { c.complain("%s: %.2fs", stage, took.Seconds()) }
	}
	o.Progress = line.set
	r, err := engine.Run(ctx, o)
	line.end()
	if err != nil {
		return nil, f.failed(err)
	}
	for i, b := range known {
		fresh, n, stale := b.Subtract(r.Findings)
		r.Findings = fresh
		r.Summary.Baselined += n
		if i == 0 && f.baseline != "" {
			judged := judgedIn(r, b)
			f.stale = slices.DeleteFunc(stale, func(e baseline.Entry) bool { return !judged(e) })
		}
	}
	if len(known) > 0 {
		r.Summary.Recount(r.Findings)
	}
	return r, nil
}

// sayStale names the entries of the baseline that were not found again.
func (c *command) sayStale(f *checkFlags) {
	if len(f.stale) == 0 || f.quiet {
		return
	}
	for _, e := range f.stale[:min(len(f.stale), mostNamed)] {
		c.complain("in the baseline and not found any more: %s", e)
	}
	more := ""
	if n := len(f.stale) - mostNamed; n > 0 {
		more = fmt.Sprintf("and %d more; ", n)
	}
	c.complain("%s`probelint baseline prune` takes them out", more)
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
	case errors.As(err, &nothing) && (slices.Equal(nothing.Paths, []string{"-"}) || nothing.Files == 0 || nothing.Why != ""):
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
