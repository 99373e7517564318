package linttest

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/probelint/probelint/internal/engine"
	"github.com/probelint/probelint/internal/lint"
	"github.com/probelint/probelint/internal/linttest/want"
	"github.com/probelint/probelint/internal/ruletest"
)

// RunDoc runs the examples of a rule's page: what stands under "## Example" is reported, what stands under "## Instead" is
// not. The blocks of one section are one repository: yaml is deployment.yaml, go is main.go beside a generated go.mod (or the test file that its first line names),
// dockerfile is Dockerfile, rego is policies/example.rego.
func RunDoc(t *testing.T, r *lint.Rule, others ...*lint.Rule) {
	t.Helper()
	runDoc(t, r, options{profile: "default", others: others})
}

// RunDocWith is RunDoc with changes to the options of the run.
func RunDocWith(t *testing.T, r *lint.Rule, with func(*engine.Options)) {
	t.Helper()
	runDoc(t, r, options{profile: "default", with: with})
}

func runDoc(t *testing.T, r *lint.Rule, o options) {
	t.Helper()
	for _, section := range []string{"Example", "Instead"} {
		files, err := examples(r.Doc, section)
		if err != nil {
			t.Errorf("%s, %s: %v", r.Name, section, err)
			continue
		}
		res, err := lintFiles(t, r, files, o)
		if err != nil {
			t.Errorf("%s, %s: %v", r.Name, section, err)
			continue
		}
		reports := 0
		for _, f := range res.Findings {
			if f.Rule == r.Name {
				reports++
				ruletest.Words(t, r, f)
			}
			if f.Rule != r.Name || section == "Instead" {
				t.Errorf("%s: the %s of doc.md is reported\n%s", r.Name, section, want.Frame(res, f))
			}
		}
		if section == "Example" && reports == 0 {
			t.Errorf("%s: the Example of doc.md is not reported\n%s", r.Name, want.Reported(res))
		}
	}
}

// examples are the fenced blocks of a section as the files of a repository.
func examples(doc, section string) ([]txtar.File, error) {
	var files []txtar.File
	add := func(name, text string) {
		for i := range files {
			if files[i].Name == name {
				files[i].Data = append(append(files[i].Data, "---\n"...), text...)
				return
			}
		}
		files = append(files, txtar.File{Name: name, Data: []byte(text)})
	}
	lang, in := "", false
	var block strings.Builder
	for _, line := range strings.SplitAfter(doc, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case lang == "" && strings.HasPrefix(line, "## "):
			in = trimmed == "## "+section
		case in && lang == "" && strings.HasPrefix(trimmed, "```"):
			lang = strings.TrimPrefix(trimmed, "```")
			block.Reset()
		case in && lang != "" && trimmed == "```":
			switch lang {
			case "yaml":
				add("deployment.yaml", block.String())
			case "dockerfile":
				add("Dockerfile", block.String())
			case "rego":
				files = append(files, txtar.File{Name: "policies/example.rego", Data: []byte(block.String())})
			case "go":
				if name, _, ok := strings.Cut(block.String(), "\n"); ok && strings.HasPrefix(name, "// ") && strings.HasSuffix(name, "_test.go") {
					add(strings.TrimPrefix(name, "// "), block.String())
					break
				}
				add("main.go", block.String())
				add("go.mod", "module example.com/doc\n\ngo 1.26\n")
			case "text", "sh", "console":
			default:
				return nil, fmt.Errorf("a block of %q; yaml, go and dockerfile are run, text is not", lang)
			}
			lang = ""
		case lang != "":
			block.WriteString(line)
		}
	}
	if lang != "" {
		return nil, fmt.Errorf("a block of %s has no end", lang)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no example of yaml or go")
	}
	return files, nil
}
