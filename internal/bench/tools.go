package main

import (
	"os"
	"os/exec"
	"path/filepath"
)

// tool is one program and how it is run on a corpus.
type tool struct {
	name, bin string
	// args are the arguments; a tool that reads its standard input gets every document there.
	args  func(c corpus) []string
	stdin bool
	// note says what a figure does not include.
	note string
}

// peers are other linters of manifests. Each is asked for all that it checks by default; none finds what probelint finds, so
// the comparison is one of cost alone.
var peers = []tool{
	{name: "kube-linter", args: func(c corpus) []string { return []string{"lint", c.dir} }},
	{name: "kube-score", args: func(corpus) []string { return []string{"score", "-"} }, stdin: true},
	{
		// Its schemas come from the network, which a measurement leaves out: every kind is said to have none.
		name: "kubeconform", note: "without schemas: it parses alone",
		args: func(c corpus) []string {
			return []string{"-ignore-missing-schemas", "-schema-location", filepath.Join(c.policy, "none-{{.ResourceKind}}.json"), c.dir}
		},
	},
	{name: "polaris", args: func(c corpus) []string { return []string{"audit", "--audit-path", c.dir, "--format", "score"} }},
	{name: "conftest", note: "with a policy of two rules", args: func(c corpus) []string { return []string{"test", "--policy", c.policy, "--no-color", c.dir} }},
}

// findTools are probelint and the peers in a folder, or on the PATH where dir is empty; absent names those that are not there.
func findTools(bin, dir string) (found []tool, absent []string) {
	found = []tool{{name: "probelint", bin: bin, args: func(c corpus) []string {
		return []string{"check", "--no-cache", "--format", "json", "--exit-zero", c.dir}
	}}}
	for _, p := range peers {
		if dir == "" {
			if path, err := exec.LookPath(p.name); err == nil {
				p.bin = path
			}
		} else if path, err := filepath.Abs(filepath.Join(dir, p.name)); err == nil {
			if _, err := os.Stat(path); err == nil {
				p.bin = path
			}
		}
		if p.bin == "" {
			absent = append(absent, p.name)
			continue
		}
		found = append(found, p)
	}
	return found, absent
}
