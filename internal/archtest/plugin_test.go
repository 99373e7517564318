package archtest

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// Two linters of golangci-lint 2.15.0 (depguard, protogetter) use glob.Glob, which github.com/gobwas/glob has no more from
// v1.0.0 on. A build of golangci-lint with the plugin takes the highest version that any module asks for: one line of this
// go.mod, brought in by a newer OPA (from v1.21.0 on), and `golangci-lint custom` ends with a compiler error.
func TestGolangciLintBuildsWithThePlugin(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-json", "github.com/gobwas/glob").Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	var m struct{ Version string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(m.Version, "v0.2.") {
		t.Errorf("go.mod asks for gobwas/glob %s; golangci-lint with the plugin builds with v0.2.x alone", m.Version)
	}
}
