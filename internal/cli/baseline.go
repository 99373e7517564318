package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/baseline"
	"github.com/probelint/probelint/internal/edit"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/source"
)

func (c *command) baseline() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Accept the findings of today, and forget those that are gone",
		Args:  unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed)
		},
	}
	cmd.AddCommand(
		c.baselineCommand("create [PATH...]", "Write all findings of these paths to a baseline",
			"Writes every finding, of each level, into a baseline that `probelint check --baseline FILE` takes as known. An entry has no line and\n"+
				"no words, so that it stays valid when files move or are reformatted. What cannot be read is never accepted.",
			true, c.createBaseline),
		c.baselineCommand("prune [PATH...]", "Take out of a baseline what is not found any more",
			"Takes out of the baseline what these paths do not show any more. It adds nothing. Give it the paths that the baseline was made for.",
			false, c.pruneBaseline),
	)
	return cmd
}

type baselineRun struct {
	judging
	file  string
	force bool
}

func (c *command) baselineCommand(use, short, long string, force bool, do func(context.Context, *baselineRun, []string) error) *cobra.Command {
	b := &baselineRun{}
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long + "\n\nExit code: 0 it was written, 2 it was not.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			b.profileSet = cmd.Flags().Changed("profile")
			return do(cmd.Context(), b, paths)
		},
	}
	cmd.Flags().StringVar(&b.file, "baseline", "", "the `FILE` (default: "+baseline.FileName+" at the root of the repository)")
	if force {
		cmd.Flags().BoolVar(&b.force, "force", false, "replace a baseline that is there, and so accept what is new since")
	}
	b.register(cmd.Flags())
	return cmd
}

// judge runs over the paths.
func (c *command) judge(ctx context.Context, b *baselineRun, paths []string) (*engine.Result, error) {
	o, err := b.options(c, paths)
	if err != nil {
		return nil, err
	}
	if b.file == "" {
		b.file = filepath.Join(o.Root, baseline.FileName)
	}
	line := c.startProgress(false)
	o.Progress = line.set
	r, err := engine.Run(ctx, o)
	line.end()
	if err != nil {
		return nil, b.failed(err)
	}
	for _, f := range r.Findings {
		if f.Rule == "unreadable-input" && f.Level == lint.Error {
			c.complain("not part of a baseline: %s", f.Title)
		}
	}
	return r, nil
}

func (c *command) createBaseline(ctx context.Context, b *baselineRun, paths []string) error {
	if b.file == "" {
		b.file = filepath.Join(source.FindRoot(firstDir(c, paths), c.Dir), baseline.FileName)
	}
	name := inDir(c.Dir, b.file)
	shown := shorten(c.Dir, name)
	if _, err := os.Lstat(name); err == nil && !b.force {
		return fmt.Errorf("%s is there already: `probelint baseline prune` takes out what is gone, --force accepts what is new too", shown)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s: %w", shown, reason(err))
	}
	r, err := c.judge(ctx, b, paths)
	if err != nil {
		return err
	}
	base := baseline.From(r.Findings)
	base.Code = r.Summary.Packages > 0
	if err := edit.Write(name, base.Text()); err != nil {
		return fmt.Errorf("writing %s: %w", shown, reason(err))
	}
	_, err = fmt.Fprintf(c.out, "wrote %s: %s\n", shown, lint.Count(base.Count(), "finding"))
	return err
}

func (c *command) pruneBaseline(ctx context.Context, b *baselineRun, paths []string) error {
	if b.file == "" {
		b.file = filepath.Join(source.FindRoot(firstDir(c, paths), c.Dir), baseline.FileName)
	}
	old, err := c.readBaseline(b.file)
	if err != nil {
		return err
	}
	r, err := c.judge(ctx, b, paths)
	if err != nil {
		return err
	}
	name := inDir(c.Dir, b.file)
	kept, gone, unjudged := old.Prune(r.Findings, judgedIn(r, old))
	if gone > 0 {
		if err := edit.Write(name, kept.Text()); err != nil {
			return fmt.Errorf("writing %s: %w", shorten(c.Dir, name), reason(err))
		}
	}
	more := ""
	if n := baseline.Sum(unjudged); n > 0 {
		more = fmt.Sprintf(", %d of them not found and not judged in this run", n)
		c.sayUnjudged(unjudged)
	}
	_, err = fmt.Fprintf(c.out, "%s: %d gone, %d left%s\n", shorten(c.Dir, name), gone, kept.Count(), more)
	return err
}

// judgedIn tells the entries of a baseline that a run would have found again from those that it can say nothing of.
func judgedIn(r *engine.Result, b *baseline.Baseline) func(baseline.Entry) bool {
	return func(e baseline.Entry) bool { return r.Judged(e.Rule, e.Object, e.Where, b.Code) }
}

// mostNamed is how many entries of a baseline are named before the rest is counted.
const mostNamed = 5

// sayUnjudged names the entries that a run can say nothing of.
func (c *command) sayUnjudged(es []baseline.Entry) {
	for _, e := range es[:min(len(es), mostNamed)] {
		c.complain("kept, because this run did not judge it to its end: %s", e)
	}
	if n := len(es) - mostNamed; n > 0 {
		c.complain("and %d more like these; a run over the whole tree in which all code is read and followed judges them", n)
	}
}

// readBaseline reads a baseline.
func (c *command) readBaseline(file string) (*baseline.Baseline, error) {
	name := inDir(c.Dir, file)
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no baseline %s; `probelint baseline create` writes one", shorten(c.Dir, name))
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shorten(c.Dir, name), reason(err))
	}
	b, err := baseline.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", shorten(c.Dir, name), err)
	}
	return b, nil
}

// firstDir is the folder of the first path, which the root is found from.
func firstDir(c *command, paths []string) string {
	for _, p := range paths {
		if p == "-" {
			continue
		}
		dir := inDir(c.Dir, p)
		if !isDir(dir) {
			dir = filepath.Dir(dir)
		}
		return dir
	}
	return c.Dir
}
