package policy

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/probelint/probelint/policies"
)

//go:embed templates
var templates embed.FS

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName keeps `ignore.probelint.dev/NAME` an annotation.
const maxName = 40

// ExampleNames are the shipped examples.
func ExampleNames() []string {
	entries, err := policies.Examples.ReadDir("examples")
	if err != nil {
		return nil // it is part of the program
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.ReplaceAll(e.Name(), "_", "-"))
	}
	return out
}

// Example are the files of a shipped example by path below the folder of policies.
func Example(name string) (map[string]string, error) {
	if !slices.Contains(ExampleNames(), name) {
		if near := did(name, ExampleNames()); near != "" {
			return nil, fmt.Errorf("no example %q; %s", name, strings.ReplaceAll(near, "`", "\""))
		}
		return nil, fmt.Errorf("no example %q; there are %s", name, strings.Join(ExampleNames(), ", "))
	}
	out := map[string]string{}
	folder := "examples/" + strings.ReplaceAll(name, "-", "_")
	err := fs.WalkDir(policies.Examples, folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := policies.Examples.ReadFile(file)
		out[strings.TrimPrefix(file, "examples/")] = string(text)
		return err
	})
	return out, err
}

// Scaffold are the files of a new rule by path below the folder of policies: the rule, its test, and two fixtures.
func Scaffold(name string) (map[string]string, error) {
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("%q is not kebab-case, such as liveness-too-slow", name)
	}
	if len(name) > maxName {
		return nil, fmt.Errorf("%q has %d letters; %d is the most", name, len(name), maxName)
	}
	pkg := strings.ReplaceAll(name, "-", "_")
	out := map[string]string{}
	for _, f := range []string{"rule.rego", "rule_test.rego", "fixtures/bad.yaml", "fixtures/good.yaml"} {
		text, err := templates.ReadFile("templates/" + f + ".tmpl")
		if err != nil {
			return nil, fmt.Errorf("reading the template of %s: %w", f, err)
		}
		out[pkg+"/"+f] = strings.NewReplacer("NAME", name, "PACKAGE", pkg).Replace(string(text))
	}
	return out, nil
}
