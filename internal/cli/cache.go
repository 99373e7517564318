package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/probelint/probelint/internal/cache"
)

// cacheDir is the cache of this user, nil where there is none.
func (c *command) cacheDir() *cache.Dir {
	path := cache.DefaultPath(c.Getenv)
	if path == "" {
		return nil
	}
	return cache.Open(path, cache.Build(), cache.DefaultLimit)
}

func (c *command) cache() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "What earlier runs found out, kept for the next run",
		Long: "What a run finds out of Go code, what kustomize builds, and the findings of a repository are kept in the user's cache\n" +
			"directory. The next run takes over what depends on nothing that has changed. It holds at most 512 MiB; what was not used\n" +
			"for longest goes first. PROBELINT_CACHE names another directory, or is off.",
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(c.Err)
			_ = cmd.Help()
			return exitError(exitFailed)
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "clean",
		Short: "Remove all that is kept",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			path := cache.DefaultPath(c.Getenv)
			if path == "" {
				return usagef("there is no cache: PROBELINT_CACHE is off, or the system names no directory for caches")
			}
			files, size, err := cache.Open(path, "", cache.DefaultLimit).Clean()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "removed %d files, %.1f MB, from %s\n", files, float64(size)/1e6, path)
			return err
		},
	})
	return cmd
}
