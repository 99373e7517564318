package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/manifest/render"
	"github.com/probelint/probelint/internal/policy"
	"github.com/probelint/probelint/internal/policytest"
	"github.com/probelint/probelint/internal/source"
	"github.com/probelint/probelint/internal/startup"
	"github.com/probelint/probelint/rules"
)

// policyFolder is where policies lie unless a DIR says otherwise.
const policyFolder = "policies"

func (c *command) policy() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Write, check and test team rules in Rego",
		Long: "Team rules in Rego see what `inspect` shows: workloads, probes, the code that answers them, dependencies and deadlines.\n" +
			"`probelint check --policies DIR` reports by them.",
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed)
		},
	}
	cmd.AddCommand(c.policyNew(), c.policyCheck(), c.policyTest(), c.policyInput(), c.policyEject())
	return cmd
}

func (c *command) policyNew() *cobra.Command {
	var dir string
	var example bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a rule with its test and its fixtures, for you to change",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("policy new takes one name, such as liveness-too-slow")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			write := policy.Scaffold
			if example {
				write = policy.Example
			}
			files, err := write(args[0])
			if err != nil {
				return usagef("%v", err)
			}
			root := inDir(c.Dir, dir)
			for _, name := range slices.Sorted(maps.Keys(files)) {
				if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(name))); err == nil {
					return fmt.Errorf("writing %s: it is there already", filepath.Join(dir, name))
				}
			}
			return c.writeAll(root, dir, files)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", policyFolder, "folder of policies")
	cmd.Flags().BoolVar(&example, "example", false, "write the shipped example of that name: "+strings.Join(policy.ExampleNames(), ", "))
	return cmd
}

// writeAll writes files below root and lists them as below shown.
func (c *command) writeAll(root, shown string, files map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(shown, name), reason(err))
		}
		if err := os.WriteFile(to, []byte(files[name]), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", filepath.Join(shown, name), reason(err))
		}
		if _, err := fmt.Fprintln(c.out, filepath.ToSlash(filepath.Join(shown, name))); err != nil {
			return err
		}
	}
	return nil
}

// folders are the DIRs of a command, in absolute paths.
func (c *command) folders(args []string) ([]string, error) {
	if len(args) == 0 {
		args = []string{policyFolder}
	}
	var out []string
	for _, a := range args {
		dir := inDir(c.Dir, a)
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && a == policyFolder {
			return nil, fmt.Errorf("reading %s: no such folder; `probelint policy new NAME` writes a first rule", a)
		} else if err != nil {
			return nil, fmt.Errorf("reading %s: %w", a, reason(err))
		}
		out = append(out, dir)
	}
	return out, nil
}

// policyOptions are what the commands about policies share.
func (c *command) policyOptions(f *policyFlags, args []string) (policytest.Options, error) {
	startup.Done()
	dirs, err := c.folders(args)
	if err != nil {
		return policytest.Options{}, err
	}
	names := map[string]bool{}
	for _, r := range rules.All() {
		names[r.Name] = true
	}
	o := policytest.Options{
		Root: source.FindRoot(c.Dir, c.Dir), Dirs: dirs, Namespaces: f.namespaces, Taken: func(id string) bool { return names[id] }, Renderer: render.New(nil),
	}
	for _, d := range f.data {
		o.Data = append(o.Data, inDir(c.Dir, d))
	}
	var cfg configFlags
	if err := cfg.load(c, dirs, o.Root); err != nil {
		return o, err
	}
	known := engine.Options{Root: o.Root}
	if err := cfg.reads(&known); err != nil {
		return o, err
	}
	for _, x := range known.Knowledge.Clients {
		o.Kinds = append(o.Kinds, x.Kind)
	}
	return o, nil
}

// loadedPolicies are the policies and tests of a command that runs none of them. The function
// removes what was laid out for them.
func (c *command) loadedPolicies(ctx context.Context, f *policyFlags, args []string) (*policy.Set, func(), error) {
	o, err := c.policyOptions(f, args)
	if err != nil {
		return nil, func() {}, err
	}
	set, _, clean, err := policytest.Load(ctx, o)
	return set, clean, err
}

func (c *command) policyCheck() *cobra.Command {
	var f policyFlags
	cmd := &cobra.Command{
		Use:   "check [DIR...]",
		Short: "Find what is wrong with policies without running them: unknown fields, values that never hold, rules that never report",
		Long: "Reads the policies and their tests at or below each DIR (default: policies).\n\n" +
			"Exit code: 0 all of them can run, 2 one is broken or there is none.",
		RunE: func(cmd *cobra.Command, args []string) error {
			set, clean, err := c.loadedPolicies(cmd.Context(), &f, args)
			defer clean()
			if err != nil {
				return err
			}
			if err := c.broken(set); err != nil {
				return err
			}
			for _, r := range set.All() {
				if _, err := fmt.Fprintf(c.out, "%s  %s  %s\n", r.ID, r.Level, r.File); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.addShared(cmd.Flags())
	return cmd
}

// broken prints the faults of policies and ends the command where there are any.
func (c *command) broken(set *policy.Set) error {
	faults := set.Broken()
	for _, f := range faults {
		if _, err := fmt.Fprintln(c.out, set.Where(f)); err != nil {
			return err
		}
	}
	if len(faults) > 0 {
		c.complain("%s", lint.Count(len(faults), "fault")+" in policies")
		return exitError(exitFailed)
	}
	return nil
}

func (c *command) policyInput() *cobra.Command {
	var in input
	var schema bool
	var only string
	cmd := &cobra.Command{
		Use:   "input [PATH...|-]",
		Short: "Print the document that a policy sees, one for each workload, as JSON",
		Long: "Prints the documents that `check --policies` gives to the policies for each PATH (default: the working directory; - is stdin):\n" +
			"one object where there is one workload, else a list.",
		RunE: func(cmd *cobra.Command, paths []string) error {
			if schema {
				_, err := c.out.Write(policy.Schema())
				return err
			}
			o, err := in.options(c, paths)
			if err != nil {
				return err
			}
			return c.inputs(cmd.Context(), o, only)
		},
	}
	in.register(cmd.Flags())
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON schema of the document instead")
	cmd.Flags().StringVar(&only, "workload", "", "print the document of `KIND/NAME` alone")
	return cmd
}

func (c *command) inputs(ctx context.Context, o engine.Options, only string) error {
	r, err := engine.Read(ctx, o)
	if err != nil {
		return err
	}
	var units []*lint.Unit
	var names []string
	for _, u := range r.Units {
		name := u.Name()
		names = append(names, name)
		if only == "" || only == name {
			units = append(units, u)
		}
	}
	if only != "" && len(units) == 0 && len(names) > 0 {
		return unknown("workload", only, names)
	}
	if len(units) == 0 {
		return c.readVerdict(r)
	}
	return policy.WriteInput(c.out, policy.Documents(units))
}
