package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probelint/probelint/internal/baseline"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/model"
)

// knownAt judges the tree of another revision and returns what was found there. Both trees are judged whole: a line of Go that
// changed can make a finding in a manifest that did not, so no diff of lines would do.
func (c *command) knownAt(ctx context.Context, rev string, o engine.Options) (*baseline.Baseline, error) {
	if slices.Contains(o.Paths, "-") {
		return nil, usagef("--new-from compares files, and standard input has no older version")
	}
	g := git{ctx: ctx, dir: o.Root}
	commit, err := g.base(rev)
	if err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp("", "probelint-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for %s: %w", rev, err)
	}
	defer os.RemoveAll(tmp)
	if tmp, err = filepath.EvalSymlinks(tmp); err != nil {
		return nil, fmt.Errorf("making a folder for %s: %w", rev, err)
	}
	top, err := g.run("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(tmp, "tree")
	if err := g.checkOut(commit, tree, filepath.Join(tmp, "index")); err != nil {
		return nil, err
	}
	old, ok, err := moved(o, filepath.FromSlash(top), tree)
	if err != nil {
		return nil, err
	}
	if !ok {
		return baseline.From(nil), nil // nothing of the paths was there
	}
	r, err := engine.Run(ctx, old)
	var nothing *engine.NothingCheckedError
	if errors.As(err, &nothing) {
		return baseline.From(nil), nil
	}
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", rev, err)
	}
	return baseline.From(r.Findings), nil
}

// moved are the options of the same run over a copy of the tree. Paths that were not there are left out; ok is false where none
// was.
func moved(o engine.Options, from, to string) (out engine.Options, ok bool, err error) {
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		real = from
	}
	there := func(abs string) (string, bool) {
		for _, top := range []string{from, real} {
			if rel, err := filepath.Rel(top, abs); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
				return filepath.Join(to, rel), true
			}
		}
		return "", false
	}
	back := func(abs string) string {
		if rel, err := filepath.Rel(to, abs); err == nil && !strings.HasPrefix(rel, "..") {
			return filepath.Join(from, rel)
		}
		return abs
	}
	all := func(what string, list []string) ([]string, error) {
		var kept []string
		for _, p := range list {
			abs := inDir(o.WorkingDir, p)
			q, inside := there(abs)
			if !inside {
				return nil, usagef("--new-from: %s %s lies outside of the repository %s", what, p, from)
			}
			if _, err := os.Stat(q); err == nil {
				kept = append(kept, q)
			}
		}
		return kept, nil
	}
	out = o
	out.Progress = func(stage string) { o.Progress("the older tree: " + stage) }
	if o.Progress == nil {
		out.Progress = nil
	}
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if out.Paths, err = all("PATH", paths); err != nil {
		return out, false, err
	}
	if out.GoDirs, err = all("--go", o.GoDirs); err != nil {
		return out, false, err
	}
	if out.Values, err = all("--values", o.Values); err != nil {
		return out, false, err
	}
	root, inside := there(o.Root)
	if !inside {
		return out, false, usagef("--new-from: %s lies outside of the repository %s", o.Root, from)
	}
	out.Root, out.WorkingDir = root, root
	out.Overrides = slices.Clone(o.Overrides)
	for i := range out.Overrides {
		match := out.Overrides[i].Match
		out.Overrides[i].Match = func(w *model.Workload, file string) bool { return match(w, back(file)) }
	}
	out.Critical = slices.Clone(o.Critical)
	for i := range out.Critical {
		if in := out.Critical[i].In; in != nil {
			out.Critical[i].In = func(file string) bool { return in(back(file)) }
		}
	}
	return out, len(out.Paths) > 0, nil
}

// git runs git in a folder. It changes nothing in the repository.
type git struct {
	ctx   context.Context
	dir   string
	index string
}

func (g git) run(args ...string) (string, error) {
	cmd := exec.CommandContext(g.ctx, "git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	if g.index != "" {
		cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+g.index)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("--new-from: git is not installed, or not on the PATH")
	case g.ctx.Err() != nil:
		return "", g.ctx.Err()
	case err != nil:
		if msg, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n"); msg != "" {
			return "", fmt.Errorf("--new-from: git %s: %s", args[0], strings.TrimPrefix(msg, "fatal: "))
		}
		return "", fmt.Errorf("--new-from: git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// base is the commit that REV and the work tree have in common, or that of REV where they have none.
func (g git) base(rev string) (string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return "", errors.New("--new-from: git is not installed, or not on the PATH")
	}
	if _, err := g.run("rev-parse", "--git-dir"); err != nil {
		if g.ctx.Err() != nil {
			return "", err
		}
		return "", fmt.Errorf("--new-from: %s is in no git repository", g.dir)
	}
	commit, err := g.run("rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		if g.ctx.Err() != nil {
			return "", err
		}
		hint := ""
		if shallow, err := g.run("rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
			hint = "; this is a shallow clone, and `git fetch --unshallow` brings the rest"
		}
		return "", fmt.Errorf("--new-from: there is no revision %q in this repository%s", rev, hint)
	}
	if base, err := g.run("merge-base", commit, "HEAD"); err == nil && base != "" {
		return base, nil
	}
	return commit, nil
}

// checkOut writes the files of a commit into a folder, with an index of its own.
func (g git) checkOut(commit, tree, index string) error {
	g.index = index
	if err := os.Mkdir(tree, 0o755); err != nil {
		return fmt.Errorf("making a folder for the older tree: %w", err)
	}
	top, err := g.run("rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	g.dir = filepath.FromSlash(top)
	if _, err := g.run("read-tree", commit); err != nil {
		return err
	}
	_, err = g.run("checkout-index", "--all", "--force", "--prefix="+filepath.ToSlash(tree)+"/")
	return err
}
