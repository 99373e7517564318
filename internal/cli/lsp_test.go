package cli

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/probelint/probelint/internal/engine"
)

// The language server runs the team policies that the configuration of a folder names, and loads none where it names none.
func TestServerHasPolicies(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]}\n")
	write("rego/x.rego", "package probelint.rules.x\n\ndeny contains \"seen\" if input.workload.kind == \"Pod\"\n")
	for text, want := range map[string]int{"version: 1\n": 0, "version: 1\npolicies: [rego]\n": 1} {
		write(".probelint.yaml", text)
		c := &command{System: System{Dir: dir, Getenv: func(string) string { return "" }}}
		o, err := (&judging{profile: "default"}).options(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.NoGo = true
		r, err := engine.Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, f := range r.Findings {
			if f.Rule == "x" {
				got++
			}
		}
		if len(o.Policies) != want || got != want {
			t.Errorf("%q: %d policies, %d findings", text, len(o.Policies), got)
		}
	}
}
