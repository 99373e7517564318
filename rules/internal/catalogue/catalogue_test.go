package catalogue

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files")

const root = "../../.."

func TestGeneratedFilesAreFresh(t *testing.T) {
	files, err := Generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if got, err := os.ReadFile(file); err == nil && bytes.Equal(got, want) {
			continue
		}
		if !*update {
			t.Errorf("%s is stale; run %s", name, Command)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A page of a rule that is gone is stale too.
	pages, err := filepath.Glob(filepath.Join(root, "docs", "rules", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if _, ok := files["docs/rules/"+filepath.Base(p)]; ok {
			continue
		}
		if !*update {
			t.Errorf("%s is the page of no rule; run %s", p, Command)
		} else if err := os.Remove(p); err != nil {
			t.Error(err)
		}
	}
}

func TestScanReadsTheLiteral(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b-rule/rule.go": "package brule\n\nvar Rule = &lint.Rule{Name: \"b-rule\", Level: lint.Warning, Sees: []lint.Sees{lint.Link, lint.Manifest}, Nursery: true}\n",
		"b-rule/doc.md":  "# b-rule\n\n## What it reports\n\nOne line | with a bar.\n",
		"a-rule/rule.go": "package arule\n\nvar Rule = &lint.Rule{Name: \"a-rule\", Level: lint.Error}\n",
		"a-rule/doc.md":  "First.\r\n\r\nSecond.\r\n",
		"helper/help.go": "package helper\n",
		"empty/rule.go":  "package empty\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := scan(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].name != "a-rule" || entries[1].level != "warning" || !entries[1].nursery ||
		strings.Join(entries[1].sees, "") != "LM" {
		t.Fatalf("got %+v", entries)
	}
	if got := string(readme(entries, func(e entry) string { return e.name })); !strings.Contains(got, "| [`b-rule`](b-rule) | warning, nursery | L M | One line \\| with a bar. |\n") {
		t.Errorf("table:\n%s", got)
	}
	if got := string(page(entries[1])); !strings.Contains(got, "# b-rule\n\nLevel: warning, nursery. Sees: L, M.\n\n## What it reports\n") {
		t.Errorf("page:\n%s", got)
	}
}

func TestAMissingPageIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x", "rule.go"), []byte("package x\n\nvar Rule = &lint.Rule{Name: \"x\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := scan(dir); err == nil || !strings.Contains(err.Error(), "reading rule x") {
		t.Errorf("got %v", err)
	}
}
