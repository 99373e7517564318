package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func (c *command) policyEject() *cobra.Command {
	var f policyFlags
	var to string
	cmd := &cobra.Command{
		Use:   "eject [DIR...]",
		Short: "Write what probelint adds to the policies (library, schema, fixtures), so that plain opa and editors know it",
		Long: "Writes the library, the schema of the input, and the fixtures of the policies at or below each DIR (default: policies) as data\n" +
			"into the folder --to, and prints the commands that opa then takes. Nothing that is written is read by probelint.",
		RunE: func(cmd *cobra.Command, args []string) error {
			set, clean, err := c.loadedPolicies(cmd.Context(), &f, args)
			defer clean()
			if err != nil {
				return err
			}
			files, err := set.Eject()
			if err != nil {
				return err
			}
			if err := os.RemoveAll(filepath.Join(inDir(c.Dir, to), "data")); err != nil {
				return fmt.Errorf("writing %s: %w", to, reason(err))
			}
			if err := c.writeAll(inDir(c.Dir, to), to, files); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{policyFolder}
			}
			args = append(args, f.data...)
			dirs := strings.Join(append(args, filepath.ToSlash(filepath.Join(to, "data"))), " ")
			_, err = fmt.Fprintf(c.out, "\nopa check --schema %s --ignore fixtures %s\nopa test --ignore fixtures %s\n",
				filepath.ToSlash(filepath.Join(to, "schema", "input.v1.json")), dirs, dirs)
			return err
		},
	}
	f.addShared(cmd.Flags())
	cmd.Flags().StringVar(&to, "to", ".probelint/opa", "folder to write into")
	return cmd
}
