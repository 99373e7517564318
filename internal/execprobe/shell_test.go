package execprobe_test

import (
	"os"
	"os/exec"
	"testing"

	"pgregory.net/rapid"

	"github.com/probelint/probelint/internal/execprobe"
	"github.com/probelint/probelint/internal/model"
)

// scripts are made of two commands that succeed or fail as the environment says, joined in every way that the parser knows.
func scripts() *rapid.Generator[string] {
	leaf := rapid.SampledFrom([]string{
		`test -n "$A"`, `test -n "$B"`, "true", "false", "echo x", "exit 0", "exit 1", `! test -n "$A"`, "{ true; }", `test -n "$A"; exit $?`, "set -e",
		`x=$(test -n "$B")`, "printf x",
	})
	var node func(depth int) *rapid.Generator[string]
	node = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(t *rapid.T) string {
			a, b, c := node(depth-1).Draw(t, "a"), node(depth-1).Draw(t, "b"), leaf.Draw(t, "c")
			switch rapid.IntRange(0, 10).Draw(t, "form") {
			case 0:
				return a + " || " + b
			case 1:
				return a + " && " + b
			case 2:
				return a + "; " + b
			case 3:
				return "( " + a + " ) | cat"
			case 4:
				return "if " + a + "; then " + b + "; else " + c + "; fi"
			case 5:
				return "if " + a + "; then " + b + "; fi"
			case 6:
				return "( " + a + " )"
			case 7:
				return "{ " + a + "; " + b + "; }"
			case 8:
				return "for i in 1 2; do " + a + "; done"
			case 9:
				return `case "$A" in x) ` + a + ";; *) " + b + ";; esac"
			}
			return a
		})
	}
	return node(3)
}

// A script that is said to exit 0 whatever happens does so in a real shell, whatever its commands answer.
func TestAlwaysInARealShell(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	said := 0
	rapid.Check(t, func(t *rapid.T) {
		script := scripts().Draw(t, "script")
		p := &model.Probe{Kind: model.Exec, TimeoutSeconds: 5, Target: model.Target{Command: []string{"sh", "-c", script}}}
		execprobe.Describe(p, nil)
		if p.Command.Always == nil || said > 200 { // a shell takes its time
			return
		}
		said++
		for _, env := range [][]string{{"A=", "B="}, {"A=x", "B="}, {"A=", "B=x"}, {"A=x", "B=x"}} {
			cmd := exec.Command(sh, "-c", script)
			cmd.Env = append(os.Environ(), env...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%q with %q: %v; said to be %+v", script, env, err, p.Command.Always)
			}
		}
	})
	if said == 0 {
		t.Error("no script was said to exit 0 always")
	}
}
