package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/config"
	"github.com/probelint/probelint/internal/edit"
	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/model"
	"github.com/probelint/probelint/internal/source"
)

func (c *command) init() *cobra.Command {
	var in input
	var force bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a configuration for this repository, and say what was found",
		Long: "Reads the repository that holds DIR (default: the working directory), says what was found, and writes " + config.FileName + " at its\n" +
			"root: valid, and every setting that can be changed in it as a comment. A file that is there is left alone without --force.\n\n" +
			"Exit code: 0 the file is there as init writes it, 2 another file is there, or nothing was found to check.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("init takes one folder, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := c.Dir
			if len(args) == 1 {
				if dir = inDir(c.Dir, args[0]); !isDir(dir) {
					return fmt.Errorf("reading %s: no folder", args[0])
				}
			}
			root := source.FindRoot(dir, dir)
			in.config.none = true
			o, err := in.options(c, []string{root})
			if err != nil {
				return err
			}
			line := c.startProgress(false)
			o.Progress = line.set
			r, err := engine.Read(cmd.Context(), o)
			line.end()
			if err != nil {
				return err
			}
			if r.Nothing() {
				return fmt.Errorf("nothing to check was found in %s: no workload and no Go package", root)
			}
			return c.writeInit(filepath.Join(root, config.FileName), foundIn(r), force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that is there")
	return cmd
}

// writeInit writes the file and says what was found.
func (c *command) writeInit(name string, found config.Found, force bool) error {
	text := config.Template(found)
	shown := shorten(c.Dir, name)
	_, err := fmt.Fprintf(c.out, "found %s\n", found.Read)
	if err != nil {
		return err
	}
	for _, u := range found.Unjoined {
		if _, err := fmt.Fprintf(c.out, "not joined with a program: container %s of %s: %s\n", u.Container, u.Workload, u.Why); err != nil {
			return err
		}
	}
	old, err := os.ReadFile(name)
	switch {
	case err == nil && string(old) == text:
		_, err = fmt.Fprintf(c.out, "%s is there already, and as init writes it\n", shown)
		return err
	case err == nil && !force:
		return fmt.Errorf("%s is there already, and it was changed; --force overwrites it", shown)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("reading %s: %w", shown, reason(err))
	}
	if err := edit.Write(name, []byte(text)); err != nil {
		return fmt.Errorf("writing %s: %w", shown, reason(err))
	}
	_, err = fmt.Fprintf(c.out, "wrote %s\n\nnext: `probelint check` reports, `probelint baseline create` accepts what is there today\n", shown)
	return err
}

// foundIn is what a run read, in words.
func foundIn(r *engine.Result) config.Found {
	s := r.Summary
	read := []string{lint.Count(s.Workloads, "workload"), lint.Count(s.Probes, "probe"), lint.Count(s.Packages, "Go package")}
	f := config.Found{Read: lint.And(read)}
	if s.Linked+s.Unlinked > 0 {
		f.Read += fmt.Sprintf("; %s linked to code, %d not", lint.Count(s.Linked, "probe"), s.Unlinked)
	}
	for _, w := range r.Workloads {
		if dir := path.Dir(w.File); !slices.Contains(f.Folders, dir) && w.File != "<stdin>" {
			f.Folders = append(f.Folders, dir)
		}
		for _, x := range w.Containers {
			if why := unjoined(x); why != "" && len(r.Programs) > 0 {
				f.Unjoined = append(f.Unjoined, config.Unjoined{Workload: w.Ref(), Container: x.Name, Why: why})
			}
		}
	}
	slices.Sort(f.Folders)
	for _, p := range r.Programs {
		f.Packages = append(f.Packages, "./"+strings.TrimPrefix(path.Clean(filepath.ToSlash(p.Dir)), "./"))
	}
	slices.Sort(f.Packages)
	f.Packages = slices.Compact(f.Packages)
	return f
}

// unjoined is why no probe of a container that asks code was linked; "" where one was, or none asks code.
func unjoined(c *model.Container) string {
	why := ""
	for _, p := range c.Probes {
		switch {
		case p.Endpoint != nil || p.Miss != nil && p.Miss.Kind != model.MissNoProgram: // the program is known
			return ""
		case p.Kind == model.HTTPGet || p.Kind == model.GRPC:
			if why == "" {
				why = p.Reason
			}
		}
	}
	return why
}
