package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/policy"
	"github.com/probelint/probelint/internal/policytest"
	"github.com/probelint/probelint/internal/report"
)

func (c *command) policyTest() *cobra.Command {
	var f policyFlags
	var run string
	var coverage, verbose bool
	var threshold float64
	cmd := &cobra.Command{
		Use:   "test [DIR...]",
		Short: "Run the tests of policies: test_ rules in *_test.rego, and fixtures with `# want` comments",
		Long: "Runs the tests at or below each DIR (default: policies). The entries of folders named fixtures (NAME.yaml, NAME/, NAME.txtar) are\n" +
			"read as a run reads them; tests find them at data.fixtures, and their comments want findings:\n" +
			"  failureThreshold: 1 # want error \"one failure restarts\"\n\n" +
			"Exit code: 0 all passed, 1 one failed or the coverage is below --threshold, 2 a policy is broken or there is no test.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if threshold < 0 || threshold > 100 {
				return usagef("--threshold: %v is no percentage", threshold)
			}
			o, err := c.policyOptions(&f, args)
			if err != nil {
				return err
			}
			o.Filter, o.Coverage = run, coverage || threshold > 0
			r, err := policytest.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			if err := c.broken(r.Policies); err != nil {
				return err
			}
			return c.tested(r, threshold, verbose)
		},
	}
	f.addShared(cmd.Flags())
	cmd.Flags().StringVar(&run, "run", "", "run only tests whose name matches `REGEXP`, and no fixtures")
	cmd.Flags().BoolVar(&coverage, "coverage", false, "print which lines of the policies the tests reach")
	cmd.Flags().Float64Var(&threshold, "threshold", 0, "fail below `PERCENT` of lines; implies --coverage")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the tests that pass too")
	return cmd
}

// tested prints a report and returns the verdict.
func (c *command) tested(r *policytest.Report, threshold float64, verbose bool) error {
	if len(r.Tests)+len(r.Fixtures) == 0 {
		c.complain("there is no test: neither a rule named test_... in a file *_test.rego nor a fixture")
		return exitError(exitFailed)
	}
	var b strings.Builder
	failed := 0
	for _, t := range r.Tests {
		switch {
		case t.Failed:
			failed++
			c.failedTest(&b, r.Policies, t)
		case verbose && t.Skipped:
			fmt.Fprintf(&b, "skip  %s.%s\n", t.Package, t.Name)
		case verbose:
			fmt.Fprintf(&b, "ok    %s.%s\n", t.Package, t.Name)
		}
		if t.Output != "" && (t.Failed || verbose) {
			indent(&b, t.Output)
		}
	}
	for _, f := range r.Fixtures {
		switch {
		case len(f.Faults) > 0:
			failed++
			fmt.Fprintf(&b, "FAIL  %s\n", f.Path)
			for _, x := range f.Faults {
				indent(&b, x)
			}
		case verbose:
			fmt.Fprintf(&b, "ok    %s\n", f.Path)
		}
	}
	low := covered(&b, r.Coverage, threshold)
	verdict := "ok"
	if failed > 0 || low {
		verdict = "FAIL"
	}
	fmt.Fprintf(&b, "%s: %s, %s", verdict, lint.Count(len(r.Tests), "test"), lint.Count(len(r.Fixtures), "fixture"))
	if failed > 0 {
		fmt.Fprintf(&b, "; %d failed", failed)
	}
	b.WriteString("\n")
	if _, err := c.out.WriteString(b.String()); err != nil {
		return err
	}
	if failed > 0 || low {
		return exitError(exitFindings)
	}
	return nil
}

func (c *command) failedTest(b *strings.Builder, set *policy.Set, t policy.TestResult) {
	fmt.Fprintf(b, "FAIL  %s.%s\n", t.Package, t.Name)
	switch {
	case t.Error != "":
		indent(b, set.At(t.At)+": "+t.Error)
	case !t.FalseAt.IsZero():
		indent(b, set.At(t.FalseAt)+": not true: "+t.False)
	default:
		indent(b, set.At(t.At)+": not true")
	}
}

func indent(b *strings.Builder, text string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight("      "+report.Printable(line), " ") + "\n")
	}
}

// covered prints the coverage and reports whether it is too low.
func covered(b *strings.Builder, files []policy.FileCoverage, threshold float64) (low bool) {
	if len(files) == 0 {
		return false
	}
	hit, all := 0, 0
	for _, f := range files {
		hit += f.Covered
		all += f.Covered + len(f.Missed)
		if len(f.Missed) > 0 {
			fmt.Fprintf(b, "not reached: %s:%s\n", f.File, lineRanges(f.Missed))
		}
	}
	percent := 100.0
	if all > 0 {
		percent = 100 * float64(hit) / float64(all)
	}
	fmt.Fprintf(b, "coverage: %.1f%% of %s", percent, lint.Count(all, "line"))
	if low = percent < threshold; low {
		fmt.Fprintf(b, ", below %v%%", threshold)
	}
	b.WriteString("\n")
	return low
}

// lineRanges writes sorted lines as 3,7-9.
func lineRanges(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := strconv.Itoa(lines[i])
		if j > i {
			part += "-" + strconv.Itoa(lines[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
