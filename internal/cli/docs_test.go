package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	inCode   = regexp.MustCompile("`([^`\n]+)`")
	call     = regexp.MustCompile(`(?:^|[\s;&|(])probelint((?: +[^|;&#\n]*)?)`)
	flagWord = regexp.MustCompile(`^--?[a-z][a-z-]*`)
)

// Every command and flag that the documents show exists.
func TestDocumentsShowWhatExists(t *testing.T) {
	root := (&command{}).root()
	calls := 0
	for _, name := range documents(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fence := false
		lines := strings.Split(string(data), "\n")
		for i, line := range lines {
			around := strings.Join(lines[max(0, i-7):min(len(lines), i+3)], "\n")
			var code []string
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				fence = !fence
				continue
			}
			if fence {
				code = append(code, line)
			} else {
				for _, m := range inCode.FindAllStringSubmatch(line, -1) {
					code = append(code, m[1])
				}
			}
			for _, c := range code {
				c = strings.ReplaceAll(c, "go run ./cmd/probelint", "probelint")
				for _, m := range call.FindAllStringSubmatch(c, -1) {
					calls++
					if fault := wrongCall(root, strings.Fields(m[1])); fault != "" {
						t.Errorf("%s:%d: %s in %q", name, i+1, fault, strings.TrimSpace(c))
					}
				}
				if !fence && flagWord.MatchString(c) && strings.HasPrefix(c, "--") && !foreign(around) && !anyHas(root, strings.SplitN(strings.Fields(c)[0], "=", 2)[0]) {
					t.Errorf("%s:%d: no command has %s", name, i+1, c)
				}
			}
		}
	}
	if calls < 40 {
		t.Errorf("only %d calls were found", calls)
	}
}

// foreign reports whether a few lines speak of the flags of another program.
func foreign(text string) bool {
	for _, tool := range []string{"`git ", "kubectl", "helm ", "golangci-lint", "`go ", "curl", "kube-", "pre-commit", "conftest", "docker"} {
		if strings.Contains(text, tool) {
			return true
		}
	}
	return false
}

// wrongCall says what is wrong with the words behind `probelint`.
func wrongCall(root *cobra.Command, words []string) string {
	cmd := root
	for len(words) > 0 {
		next := find(cmd, words[0])
		if next == nil {
			break
		}
		cmd, words = next, words[1:]
	}
	if len(words) > 0 && cmd.HasSubCommands() && regexp.MustCompile(`^[a-z]+$`).MatchString(words[0]) && cmd == root {
		return "" // a word of a sentence: "probelint reads"
	}
	for _, w := range words {
		w = strings.Trim(w, "[]().,")
		for _, alternative := range strings.Split(w, "/") {
			name := flagWord.FindString(alternative)
			if name == "" || name == "--help" || name == "-h" {
				continue
			}
			if !has(cmd, name) {
				return cmd.CommandPath() + " has no " + name
			}
		}
	}
	return ""
}

func find(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

func has(cmd *cobra.Command, flag string) bool {
	if strings.HasPrefix(flag, "--") {
		return cmd.Flags().Lookup(flag[2:]) != nil
	}
	return cmd.Flags().ShorthandLookup(flag[1:2]) != nil
}

func anyHas(cmd *cobra.Command, flag string) bool {
	if has(cmd, strings.TrimRight(flag, ",.")) {
		return true
	}
	for _, c := range cmd.Commands() {
		if anyHas(c, flag) {
			return true
		}
	}
	return false
}

// documents are what people read.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"../../README.md", "../../CONTRIBUTING.md"}
	for _, dir := range []string{"../../docs", "../../rules"} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// Every command and flag of the command line of version 1 exists.
func TestTheCommandLineIsWhole(t *testing.T) {
	root := (&command{}).root()
	for path, flags := range map[string]string{
		"check": "format output show fail-on exit-zero select ignore level profile go no-go exclude show-files values baseline new-from " +
			"show-suppressed fix unsafe-fixes diff policies config no-config color quiet verbose offline",
		"inspect": "format config", "timeline": "format", "explain": "", "rules": "", "init": "force", "baseline create": "baseline force",
		"baseline prune": "baseline", "policy new": "", "policy check": "", "policy test": "", "policy input": "", "policy eject": "",
		"config show": "", "config verify": "", "config schema": "", "lsp": "", "man": "", "version": "",
	} {
		cmd := root
		for _, word := range strings.Fields(path) {
			if cmd = find(cmd, word); cmd == nil {
				t.Errorf("there is no command %s", path)
				break
			}
		}
		if cmd == nil {
			continue
		}
		for _, f := range strings.Fields(flags) {
			if cmd.Flags().Lookup(f) == nil {
				t.Errorf("%s has no --%s", path, f)
			}
		}
	}
}
