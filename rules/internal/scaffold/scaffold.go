// Package scaffold writes the folder of a new rule. What it writes compiles and is off (nursery), and its tests fail until
// the rule reports what its example shows.
package scaffold

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

//go:embed templates
var templates embed.FS

// nameForm is what the catalogue accepts: kebab-case, and a letter first because it becomes a package name.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)

const maxName = 40

// files are the templates by the file that they become; RULE stands for the package name.
var files = map[string]string{
	"rule.go":             "rule.go.tmpl",
	"doc.md":              "doc.md.tmpl",
	"RULE_test.go":        "test.go.tmpl",
	"testdata/bad.txtar":  "bad.txtar.tmpl",
	"testdata/good.txtar": "good.txtar.tmpl",
}

// Files returns the files of a new rule by path below its folder.
func Files(name string) (map[string][]byte, error) {
	if !nameForm.MatchString(name) {
		return nil, fmt.Errorf("%q is not kebab-case of two words or more, such as probe-does-something", name)
	}
	if len(name) > maxName {
		return nil, fmt.Errorf("%q has %d letters; %d is the most", name, len(name), maxName)
	}
	pkg := strings.ReplaceAll(name, "-", "")
	out := map[string][]byte{}
	for file, tmpl := range files {
		t, err := template.ParseFS(templates, "templates/"+tmpl)
		if err != nil {
			return nil, fmt.Errorf("parsing %s: %w", tmpl, err)
		}
		var b bytes.Buffer
		if err := t.Execute(&b, map[string]string{"Name": name, "Package": pkg}); err != nil {
			return nil, fmt.Errorf("filling in %s: %w", tmpl, err)
		}
		out[strings.Replace(file, "RULE", pkg, 1)] = b.Bytes()
	}
	return out, nil
}

// Write makes the folder of a new rule below dir, the folder of the catalogue. It leaves a folder that exists alone.
func Write(dir, name string) (folder string, err error) {
	out, err := Files(name)
	if err != nil {
		return "", err
	}
	folder = filepath.Join(dir, name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return "", fmt.Errorf("making the folder of the rule: %w", err)
	}
	for file, data := range out {
		path := filepath.Join(folder, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", fmt.Errorf("making the folder of the rule: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return "", fmt.Errorf("writing the rule: %w", err)
		}
	}
	return folder, nil
}
