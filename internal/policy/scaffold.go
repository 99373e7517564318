package policy

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed templates
var templates embed.FS

var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// maxName keeps `ignore.probelint.dev/NAME` an annotation.
const maxName = 40

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
