package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect on stdout and stderr")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"probelint": main})
}

// The scripts pin stdout, stderr and the exit code of whole commands.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			root, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			e.Setenv("ROOT", root) // of the repository, for scripts over testdata/shop
			// The environment of whoever runs the tests decides nothing.
			for _, v := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS", "TERM"} {
				e.Setenv(v, "")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "recipe": recipe},
	})
}

// recipe writes the script of the GitLab job as the runner gets it: recipe FILE
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: recipe FILE")
	}
	var jobs map[string]struct {
		Script []string
	}
	data, err := os.ReadFile(filepath.Join(ts.Getenv("ROOT"), "templates", "gitlab-ci.yml"))
	ts.Check(err)
	ts.Check(yaml.Unmarshal(data, &jobs))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(jobs["probelint"].Script, "\n")), 0o600))
}

// exits runs a command and compares its exit code: exits CODE COMMAND ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("running %s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
